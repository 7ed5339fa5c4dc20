import { useState } from "preact/hooks";
import { defaultScopes, type Owner, ownerKeyOf, parseOwner, type Scope } from "../../../src/domain/keys/key.ts";
import { call, withQuery } from "../api/call.ts";
import { REFRESH_MS, useAction, useFetch } from "../api/hooks.ts";
import type { IssuedKey, Key, Keys } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { NewSecret } from "../components/dialogs.tsx";
import { type Filter, Filters } from "../components/filters.tsx";
import { Form, TextField } from "../components/form.tsx";
import { AsyncContent, EmptyState, Page } from "../components/page.tsx";
import { PAGE_SIZE, Pager, paginationIn, TableHead } from "../components/table.tsx";
import { Badge, Timestamp } from "../components/values.tsx";
import { deployment } from "../deployment.ts";
import { formatCount } from "../format.ts";
import { keyHref, replaceQuery } from "../route.ts";
import { useIsAdmin } from "../session.tsx";
import { type BulkAction, bulkActions, ChangeKeys } from "./key-dialogs.tsx";
import {
  ExpiryField,
  type ExpiryInput,
  expiresAtOf,
  NO_OWNER,
  OwnerFields,
  ownerOf,
  PlanFields,
  type PlanInput,
  planOf,
  ScopesField,
} from "./key-fields.tsx";
import { LimitBar, OwnerLink, planName, plans, states, toneOfState } from "./key-labels.tsx";

/** `rehearsing` is "true" for only the keys with a simulation. */
const filters = (isRehearsalShown: boolean): Filter[] => [
  { kind: "text", name: "search", label: "Search", placeholder: "Name, id, owner, last four" },
  {
    ...{ kind: "text", name: "owner", label: "Owner", placeholder: "Name or e-mail" },
    isComplete: (text) => parseOwner(text) !== undefined,
  },
  { kind: "choice", name: "plan", label: "Plan", none: "All plans", options: plans },
  { kind: "choice", name: "state", label: "State", none: "All states", options: states },
  ...(isRehearsalShown
    ? [{ kind: "choice" as const, name: "rehearsing", label: "Rehearsal", none: "All keys", options: rehearsals }]
    : []),
  { kind: "order", name: "sort", label: "Order", none: "Newest first", options: [["owner", "By owner"]] },
];
const rehearsals = [["true", "Rehearsing"]] as const;

/** The keys of each owner, of keys that the service has sorted by owner. */
function groupsOf(keys: Key[]): Key[][] {
  const groups: Key[][] = [];
  for (const key of keys) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && ownerKeyOf(ownerIn(last[0])) === ownerKeyOf(ownerIn(key))) last.push(key);
    else groups.push([key]);
  }
  return groups;
}

function ownerIn({ owner }: Key): Owner | undefined {
  if (owner === null) return undefined;
  const { name, email } = owner;
  return { ...(name !== null && { name }), ...(email !== null && { email }) };
}

/** The heading of a group, over all `columns` of the table. One key may have the name of the owner, and another not. */
function GroupHead({ of: group, columns }: { of: Key[]; columns: number }) {
  const { owner = null } = group.find((key) => key.owner?.name != null) ?? group[0] ?? {};
  return (
    <tr class="group">
      <th scope="rowgroup" colSpan={columns}>
        {owner === null ? "No owner" : <OwnerLink of={owner} />}
      </th>
    </tr>
  );
}

/** The keys that an operator has selected, by id, as they were then. */
type Selected = ReadonlyMap<string, Key>;
type Selection = { selected: Selected; onChange: (selected: Selected) => void };
type KeyTableProps = { keys: Key[]; isGrouped?: boolean; selection: Selection | undefined };

/** Nothing of a revoked key can be changed. */
const isSelectable = ({ state }: Key): boolean => state !== "revoked";

/** Adds keys to those that are selected, or takes them out. */
function withKeys(selected: Selected, keys: readonly Key[], isAdded: boolean): Selected {
  const changed = new Map(selected);
  for (const key of keys) isAdded ? changed.set(key.id, key) : changed.delete(key.id);
  return changed;
}

type SelectionBarProps = Selection & { keys: Key[]; onChanged: () => void };

/** Selects the keys of a page, and changes those that are selected, also on other pages. */
function SelectionBar({ keys, selected, onChange, onChanged }: SelectionBarProps) {
  const [action, setAction] = useState<BulkAction>();
  const selectable = keys.filter(isSelectable);
  const isAll = selectable.length > 0 && selectable.every(({ id }) => selected.has(id));
  const [first] = selected.values();
  return (
    <fieldset class="selection">
      <legend class="visually-hidden">Selected keys</legend>
      <label>
        <input
          type="checkbox"
          checked={isAll}
          indeterminate={!isAll && selected.size > 0}
          disabled={selectable.length === 0}
          onChange={() => onChange(withKeys(selected, selectable, !isAll))}
        />
        {selected.size === 0 ? "Select all on this page" : `${formatCount(selected.size)} selected`}
      </label>
      {first !== undefined && (
        <>
          {Object.entries(bulkActions).map(([name, { verb, isDangerous }]) => (
            <Button key={name} kind={isDangerous ? "danger" : "plain"} onClick={() => setAction(name as BulkAction)}>
              {verb}
            </Button>
          ))}
          <Button onClick={() => onChange(new Map())}>Clear selection</Button>
        </>
      )}
      {action !== undefined && (
        <ChangeKeys
          of={[...selected.values()].map((seen) => keys.find(({ id }) => id === seen.id) ?? seen)}
          action={action}
          onClose={() => setAction(undefined)}
          onDone={(changed) => {
            onChange(withKeys(selected, changed, false));
            onChanged();
          }}
        />
      )}
    </fieldset>
  );
}

/** A table of keys. With `isGrouped` each owner has a heading above the keys, which the service has sorted by owner. */
function KeyTable({ keys, isGrouped = false, selection }: KeyTableProps) {
  const groups = isGrouped ? groupsOf(keys) : [keys];
  return (
    <table class="cards">
      <TableHead columns={["Key", !isGrouped && "Owner", "State", "Plan", "Per minute", "Per day", "Last used"]} />
      {groups.map((group) => (
        <tbody key={group[0]?.id}>
          {isGrouped && <GroupHead of={group} columns={6} />}
          {group.map((key) => (
            <tr key={key.id}>
              <th scope="row">
                {selection !== undefined && isSelectable(key) && (
                  <input
                    type="checkbox"
                    aria-label={`Select ${key.name}`}
                    checked={selection.selected.has(key.id)}
                    onChange={({ currentTarget }) =>
                      selection.onChange(withKeys(selection.selected, [key], currentTarget.checked))
                    }
                  />
                )}
                <a href={keyHref(key.id)}>{key.name}</a>
                <span class="faint">
                  <code>{key.id}</code> …<code>{key.lastFour}</code>
                </span>
              </th>
              {!isGrouped && <OwnerCell owner={key.owner} />}
              <td class="status">
                <StateBadge of={key} />
              </td>
              <td data-label="Plan">{planName(key.plan)}</td>
              <td data-label="Per minute">
                <LimitBar label={`Requests per minute of ${key.name}`} window={key.usage?.minute} />
              </td>
              <td data-label="Per day">
                <LimitBar label={`Requests per day of ${key.name}`} window={key.usage?.day} />
              </td>
              <td data-label="Last used">
                <Timestamp at={key.lastUsedAt} format="relative" />
              </td>
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}

/** An empty cell takes no room on a phone. */
function OwnerCell({ owner }: { owner: Key["owner"] }) {
  return owner === null ? (
    <td class="empty" />
  ) : (
    <td data-label="Owner" class="owner">
      <OwnerLink of={owner} />
    </td>
  );
}

/** The state of a key, when its ban ends, and whether it has a simulation. */
export function StateBadge({ of: { state, usage, simulation } }: { of: Key }) {
  return (
    <span class="state">
      <Badge tone={toneOfState[state]}>{state}</Badge>
      {simulation !== null && <Badge tone="warn">rehearsing</Badge>}
      {state === "banned" && usage?.bannedUntil != null && (
        <span class="faint">
          ends <Timestamp at={usage.bannedUntil} format="relative" />
        </span>
      )}
    </span>
  );
}

/** The list of keys, with search and filters that the address keeps. */
export function KeysPage({ parameters }: { parameters: URLSearchParams }) {
  const { after: _, ...given } = Object.fromEntries(parameters);
  const { sort = "" } = given;
  const [isCreating, setCreating] = useState(false);
  const isAdmin = useIsAdmin();

  const pagination = paginationIn("keys", parameters);
  const fetched = useFetch<Keys>(
    withQuery("/keys", { limit: PAGE_SIZE, after: pagination.cursor, ...given }),
    REFRESH_MS,
  );
  const isFiltered = parameters.size > 0;
  const [selected, setSelected] = useState<Selected>(new Map());
  const selection = isAdmin ? { selected, onChange: setSelected } : undefined;
  const create = (
    <Button icon="add" kind="primary" onClick={() => setCreating(true)}>
      Create key
    </Button>
  );
  return (
    <Page title="Keys" actions={isAdmin && create}>
      <Filters
        page="keys"
        of={filters(deployment === "staging" || parameters.has("rehearsing"))}
        parameters={parameters}
      />
      <AsyncContent fetched={fetched} lines={8}>
        {({ keys, next, total }) =>
          keys.length > 0 ? (
            <>
              {selection !== undefined && <SelectionBar {...selection} keys={keys} onChanged={fetched.reload} />}
              <KeyTable keys={keys} isGrouped={sort === "owner"} selection={selection} />
              <Pager
                pagination={pagination}
                next={next}
                pageSize={PAGE_SIZE}
                count={keys.length}
                total={total}
                noun="key"
              />
            </>
          ) : isFiltered ? (
            <EmptyState icon="search" title="No matching keys">
              <Button onClick={() => replaceQuery("keys", { sort })}>Clear filters</Button>
            </EmptyState>
          ) : (
            <EmptyState icon="keys" title="No keys yet">
              <p>Each client of the API needs a key.</p>
              {isAdmin && create}
            </EmptyState>
          )
        }
      </AsyncContent>
      {isCreating && <CreateKey onClose={() => setCreating(false)} onCreated={fetched.reload} />}
    </Page>
  );
}

function CreateKey({ onClose, onCreated }: { onClose: () => void; onCreated: () => void }) {
  const [name, setName] = useState("");
  const [owner, setOwner] = useState(NO_OWNER);
  const [plan, setPlan] = useState<PlanInput>({ plan: "free", perMinute: "", perDay: "" });
  const [expiry, setExpiry] = useState<ExpiryInput>({ choice: "never", date: "" });
  const [chosen, setChosen] = useState<Scope[]>([...defaultScopes]);
  const [issued, setIssued] = useState<IssuedKey>();
  const action = useAction();

  const create = async () => {
    const expiresAt = expiresAtOf(expiry);
    const optional = Object.entries({ ...ownerOf(owner), expiresAt }).filter(([, value]) => value !== null);
    const newKey = { name, ...planOf(plan), scopes: chosen, ...Object.fromEntries(optional) };
    setIssued(await call<IssuedKey>("POST", "/keys", newKey));
    onCreated();
  };
  if (issued !== undefined) {
    return (
      <Dialog title="Key created" onClose={onClose} isDismissible={false}>
        <NewSecret kind="secret" name={issued.key.name} secret={issued.secret} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Create key" onClose={onClose}>
      <Form action={action} submitLabel="Create key" isDisabled={chosen.length === 0} onSubmit={create}>
        <TextField
          label="Name"
          name="name"
          value={name}
          onInput={setName}
          hint="The customer or application that uses the key."
        />
        <OwnerFields value={owner} onChange={setOwner} />
        <PlanFields value={plan} onChange={setPlan} />
        <ScopesField value={chosen} onChange={setChosen} />
        <ExpiryField value={expiry} onChange={setExpiry} />
      </Form>
    </Dialog>
  );
}
