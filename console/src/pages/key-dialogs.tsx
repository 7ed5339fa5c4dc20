import type { ComponentChildren, VNode } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { publicErrors } from "../../../src/domain/errors.ts";
import { ApiError, type Method, request, type Tagged } from "../api/call.ts";
import { useAction, useConditionalChange } from "../api/hooks.ts";
import type { IssuedKey, Key } from "../api/responses.ts";
import { Actions } from "../components/actions.tsx";
import { Dialog } from "../components/dialog.tsx";
import { NewSecret } from "../components/dialogs.tsx";
import { Form, SelectField, TextField } from "../components/form.tsx";
import { ScrollRegion } from "../components/table.tsx";
import { Badge, Timestamp } from "../components/values.tsx";
import { deployment } from "../deployment.ts";
import { pluralize, toLocalInput } from "../format.ts";
import { Changes } from "./audit.tsx";
import {
  ExpiryField,
  type ExpiryInput,
  expiresAtOf,
  OwnerFields,
  ownerInputOf,
  ownerOf,
  PlanFields,
  type PlanInput,
  planOf,
  ScheduleFields,
  type ScheduleInput,
  ScopesField,
  scheduleInputOf,
  scheduleOf,
} from "./key-fields.tsx";

/** The props of each dialog that changes a key. `of` is the key with its ETag, as it was when the dialog opened. */
type KeyDialogProps = { of: Tagged<Key>; onClose: () => void; onDone: () => Promise<void> };

/** The request of a change: its method, its path below that of the key, and its body. */
type Change = [method: Method, path: string, body?: object];

/** A key without what its requests change. */
const settingsOf = ({ usage, lastUsedAt, version, state, simulation, ...settings }: Key) => ({
  ...settings,
  simulation: simulation && { ...simulation, requests: 0 },
});

/** What somebody else has changed while a dialog was open, and what the dialog would change now. */
function NewerKey({ opened, now, body = {} }: { opened: Key; now: Key; body?: object | undefined }) {
  const [before, after] = [settingsOf(opened), settingsOf(now)];
  return (
    <div class="note newer">
      <h3>Changed by somebody else</h3>
      <Changes before={before} after={after} />
      {Object.keys(body).length > 0 && (
        <>
          <h3>Your change</h3>
          <Changes before={after} after={{ ...after, ...body }} />
        </>
      )}
    </div>
  );
}

type ChangeKeyProps = KeyDialogProps & {
  title: string;
  submitLabel: string;
  isDangerous?: boolean | undefined;
  isDisabled?: boolean;
  /** The request, when the form is submitted. */
  change: () => Change;
  children: ComponentChildren;
};

/** A dialog whose form sends one request that changes a key, in the state that the operator has seen. */
function ChangeKey(props: ChangeKeyProps) {
  const { of: key, onClose, onDone, title, submitLabel, isDangerous = false, isDisabled = false, children } = props;
  const action = useAction();
  const [opened] = useState(key.value);
  const conditional = useConditionalChange<Key>(`/keys/${opened.id}`, key);
  const send = async () => {
    const [method, path, body] = props.change();
    await conditional.send(method, body, path);
    await onDone();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form action={action} submitLabel={submitLabel} isDangerous={isDangerous} isDisabled={isDisabled} onSubmit={send}>
        {conditional.isNewer && <NewerKey opened={opened} now={conditional.seen} body={props.change()[2]} />}
        {children}
      </Form>
    </Dialog>
  );
}

/** A change of a key that needs no more than a confirmation. */
type Verb = {
  /** What the title asks, up to the name of the key. */
  question: string;
  submitLabel: string | ((key: Key) => string);
  isDangerous?: boolean;
  change: Change;
  consequence: (key: Key) => ComponentChildren;
};

/** The dialog that asks before it calls a verb. */
const confirmation =
  ({ question, submitLabel, isDangerous, change, consequence }: Verb) =>
  (props: KeyDialogProps) => (
    <ChangeKey
      {...props}
      title={`${question} ${props.of.value.name}?`}
      submitLabel={typeof submitLabel === "string" ? submitLabel : submitLabel(props.of.value)}
      isDangerous={isDangerous}
      change={() => change}
    >
      {consequence(props.of.value)}
    </ChangeKey>
  );

function RenameKey(props: KeyDialogProps) {
  const key = props.of.value;
  const [name, setName] = useState(key.name);
  return (
    <ChangeKey {...props} title={`Rename ${key.name}`} submitLabel="Rename key" change={() => ["PATCH", "", { name }]}>
      <TextField label="Name" name="name" value={name} onInput={setName} />
    </ChangeKey>
  );
}

function ChangeOwner(props: KeyDialogProps) {
  const key = props.of.value;
  const [input, setInput] = useState(() => ownerInputOf(key));
  return (
    <ChangeKey
      {...props}
      title={`Change owner of ${key.name}`}
      submitLabel="Change owner"
      change={() => ["PATCH", "", ownerOf(input)]}
    >
      <OwnerFields value={input} onChange={setInput} />
      <p class="hint">Keys with the same e-mail address belong to one owner; without one, those with the same name.</p>
    </ChangeKey>
  );
}

function ChangePlan(props: KeyDialogProps) {
  const key = props.of.value;
  const [input, setInput] = useState<PlanInput>({
    plan: key.plan,
    perMinute: String(key.limits.perMinute),
    perDay: String(key.limits.perDay),
  });
  return (
    <ChangeKey
      {...props}
      title={`Change plan of ${key.name}`}
      submitLabel="Change plan"
      change={() => ["PATCH", "", planOf(input)]}
    >
      <PlanFields value={input} onChange={setInput} />
      <p class="hint">Applies from the next request on. Requests of the current windows stay counted.</p>
    </ChangeKey>
  );
}

function ChangeScopes(props: KeyDialogProps) {
  const key = props.of.value;
  const [chosen, setChosen] = useState(key.scopes);
  return (
    <ChangeKey
      {...props}
      title={`Change scopes of ${key.name}`}
      submitLabel="Change scopes"
      isDisabled={chosen.length === 0}
      change={() => ["PATCH", "", { scopes: chosen }]}
    >
      <ScopesField value={chosen} onChange={setChosen} />
      <p class="hint">Applies from the next request on.</p>
    </ChangeKey>
  );
}

function ChangeExpiry(props: KeyDialogProps) {
  const key = props.of.value;
  const [input, setInput] = useState<ExpiryInput>({
    choice: key.expiresAt === null ? "never" : "custom",
    date: key.expiresAt === null ? "" : toLocalInput(new Date(key.expiresAt)),
  });
  return (
    <ChangeKey
      {...props}
      title={`Change expiry of ${key.name}`}
      submitLabel="Change expiry"
      change={() => ["PATCH", "", { expiresAt: expiresAtOf(input) }]}
    >
      <ExpiryField value={input} onChange={setInput} />
    </ChangeKey>
  );
}

const suggestions = [...Object.keys(publicErrors), "delay=2000", "disconnect", "lost-answer"];

/** Has requests of a key answered with a simulated answer, on staging. */
function RehearseKey(props: KeyDialogProps) {
  const key = props.of.value;
  const list = useId();
  const [answer, setAnswer] = useState(key.simulation?.answer ?? "");
  const [schedule, setSchedule] = useState<ScheduleInput>(scheduleInputOf(key.simulation));
  return (
    <ChangeKey
      {...props}
      title={`Rehearse with ${key.name}`}
      submitLabel="Start rehearsal"
      change={() => ["PUT", "/simulation", { answer, ...scheduleOf(schedule) }]}
    >
      <TextField
        label="Simulated answer"
        name="answer"
        value={answer}
        onInput={setAnswer}
        list={list}
        hint="An error code, or another value of the header Petstore-Simulate, such as delay=2000."
      />
      <datalist id={list}>
        {suggestions.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <ScheduleFields value={schedule} onChange={setSchedule} />
      {key.simulation !== null && <p class="hint">Replaces the rehearsal of this key, and counts from the start.</p>}
    </ChangeKey>
  );
}

const gracePeriods = [
  ["0", "Immediately"],
  ["3600", "In 1 hour"],
  ["86400", "In 1 day"],
  ["604800", "In 1 week"],
] as const;

function RotateKey({ of: key, onClose, onDone }: KeyDialogProps) {
  const [graceSeconds, setGraceSeconds] = useState<(typeof gracePeriods)[number][0]>("86400");
  const [issued, setIssued] = useState<IssuedKey>();
  const action = useAction();
  const [opened] = useState(key.value);
  const change = useConditionalChange<Key>(`/keys/${opened.id}`, key);
  const rotate = async () =>
    setIssued(await change.send<IssuedKey>("POST", { graceSeconds: Number(graceSeconds) }, "/rotate"));
  if (issued !== undefined) {
    return (
      <Dialog title="Key rotated" onClose={onClose} isDismissible={false}>
        <NewSecret kind="secret" name={issued.key.name} secret={issued.secret} onClose={onDone} />
      </Dialog>
    );
  }
  return (
    <Dialog title={`Rotate ${opened.name}`} onClose={onClose}>
      <Form action={action} submitLabel="Rotate key" onSubmit={rotate}>
        {change.isNewer && <NewerKey opened={opened} now={change.seen} />}
        <p>The key gets a new secret. Its id, plan, limits and usage do not change.</p>
        <SelectField
          label="Old secret expires"
          value={graceSeconds}
          options={gracePeriods}
          onChange={setGraceSeconds}
        />
      </Form>
    </Dialog>
  );
}

/** What an operator can do with many keys at once. */
export const bulkActions = {
  plan: {
    verb: "Change plan",
    question: "Change plan of",
    isDangerous: false,
    hint: "Applies from the next request on.",
  },
  disable: {
    ...{ verb: "Disable", question: "Disable", isDangerous: true },
    hint: "Requests with these keys are refused within a second, until you enable them again.",
  },
  revoke: {
    ...{ verb: "Revoke", question: "Revoke", isDangerous: true },
    hint: "Requests with these keys are refused within a second. This cannot be undone.",
  },
} as const;

export type BulkAction = keyof typeof bulkActions;

type ChangeKeysProps = {
  of: readonly Key[];
  action: BulkAction;
  onClose: () => void;
  onDone: (changed: Key[]) => void;
};

/**
 * Changes keys one after the other, each in the version that the operator has seen, and says of each what became of it. Another
 * attempt is for those that failed. Cancel ends it after the key whose request is under way.
 */
export function ChangeKeys({ of: keys, action: name, onClose, onDone }: ChangeKeysProps) {
  const { verb, question, isDangerous, hint } = bulkActions[name];
  const [opened] = useState(keys);
  const [plan, setPlan] = useState<PlanInput>({ plan: "free", perMinute: "", perDay: "" });
  const [results, setResults] = useState<ReadonlyMap<string, "done" | Error>>(new Map());
  const action = useAction();
  const isLeft = useRef(false);
  useEffect(
    () => () => {
      isLeft.current = true;
    },
    [],
  );
  const counted = pluralize(opened.length, "key");
  const change: Change =
    name === "revoke" ? ["POST", "/revoke"] : ["PATCH", "", name === "disable" ? { disabled: true } : planOf(plan)];
  const submit = async () => {
    const made = new Map(results);
    const [method, below, body] = change;
    for (const { id, version } of opened.filter(({ id }) => made.get(id) !== "done")) {
      if (isLeft.current) break;
      const ifMatch = `"v${version}"`;
      const result = await request(method, `/keys/${id}${below}`, { body, ifMatch }).then(
        () => "done" as const,
        (error: Error) => error,
      );
      made.set(id, result);
      setResults(new Map(made));
    }
    const changed = opened.filter(({ id }) => made.get(id) === "done");
    onDone(changed);
    const failed = opened.length - changed.length;
    if (failed > 0) throw new Error(`${pluralize(failed, "key")} of ${opened.length} could not be changed: see above.`);
    if (!isLeft.current) onClose();
  };
  return (
    <Dialog title={`${question} ${counted}?`} onClose={onClose} isDismissible={!action.isPending}>
      <Form action={action} submitLabel={`${verb}: ${counted}`} isDangerous={isDangerous} onSubmit={submit}>
        {name === "plan" && <PlanFields value={plan} onChange={setPlan} />}
        <p>{hint} Each key has its entry in the audit log.</p>
        <ScrollRegion label="Keys">
          <ul class="results">
            {opened.map(({ id, name: keyName }) => (
              <li key={id}>
                {keyName} <Result of={results.get(id)} />
              </li>
            ))}
          </ul>
        </ScrollRegion>
        {action.isPending && (
          <p class="hint" role="status">
            {results.size} of {opened.length}
          </p>
        )}
      </Form>
    </Dialog>
  );
}

function Result({ of: result }: { of: "done" | Error | undefined }) {
  if (result === undefined) return null;
  if (result === "done") return <Badge tone="good">done</Badge>;
  const isNewer = result instanceof ApiError && result.code === "precondition_failed";
  const problem = isNewer ? "Somebody else has changed it. Look at it, then select it again." : result.message;
  return <span class="problem">{problem}</span>;
}

/** What an operator can do with a key, when it is offered, and the dialog that it opens. */
type KeyAction = {
  label: string;
  kind?: "primary" | "danger";
  isOffered?: (key: Key) => boolean;
  dialog: (props: KeyDialogProps) => VNode;
};

/** What the state of a key asks for, then what is used most, then the rest. */
const actions: KeyAction[] = [
  {
    label: "Unban",
    kind: "primary",
    isOffered: ({ state }) => state === "banned",
    dialog: confirmation({
      question: "Unban",
      submitLabel: "Unban key",
      change: ["POST", "/unban"],
      consequence: ({ usage }) => (
        <p>
          The service accepts requests with this key again at once, and resets its strikes. Otherwise the ban ends{" "}
          <Timestamp at={usage?.bannedUntil ?? null} />.
        </p>
      ),
    }),
  },
  {
    label: "Enable",
    kind: "primary",
    isOffered: ({ disabledAt }) => disabledAt !== null,
    dialog: confirmation({
      question: "Enable",
      submitLabel: "Enable key",
      change: ["PATCH", "", { disabled: false }],
      consequence: ({ disabledAt }) => (
        <p>
          The service accepts requests with this key again at once. It has been disabled since{" "}
          <Timestamp at={disabledAt} />.
        </p>
      ),
    }),
  },
  { label: "Change plan", dialog: ChangePlan },
  { label: "Rotate", dialog: RotateKey },
  { label: "Rename", dialog: RenameKey },
  { label: "Change owner", dialog: ChangeOwner },
  { label: "Change scopes", dialog: ChangeScopes },
  { label: "Change expiry", dialog: ChangeExpiry },
  {
    label: "End old secret",
    kind: "danger",
    isOffered: ({ earlierSecrets }) => earlierSecrets.length > 0,
    dialog: confirmation({
      question: "End old secret of",
      submitLabel: "End old secret",
      isDangerous: true,
      change: ["POST", "/end-grace"],
      consequence: ({ lastFour }) => (
        <p>
          Only the newest secret, which ends in <code>{lastFour}</code>, works from then on.{" "}
          <strong>This cannot be undone.</strong>
        </p>
      ),
    }),
  },
  { label: "Rehearse", isOffered: () => deployment === "staging", dialog: RehearseKey },
  {
    label: "End rehearsal",
    isOffered: ({ simulation }) => simulation !== null,
    dialog: confirmation({
      question: "End rehearsal of",
      submitLabel: "End rehearsal",
      change: ["DELETE", "/simulation"],
      consequence: () => <p>Requests with this key get their real answers again.</p>,
    }),
  },
  {
    label: "Disable",
    kind: "danger",
    isOffered: ({ disabledAt }) => disabledAt === null,
    dialog: confirmation({
      question: "Disable",
      submitLabel: "Disable key",
      isDangerous: true,
      change: ["PATCH", "", { disabled: true }],
      consequence: () => <p>Requests with this key are refused within a second, until you enable it again.</p>,
    }),
  },
  {
    label: "Revoke",
    kind: "danger",
    dialog: confirmation({
      question: "Revoke",
      submitLabel: ({ name }) => `Revoke ${name}`,
      isDangerous: true,
      change: ["POST", "/revoke"],
      consequence: ({ id, lastUsedAt }) => (
        <>
          <p>
            Requests with this key are refused within a second. <strong>This cannot be undone.</strong>
          </p>
          <p class="faint">
            <code>{id}</code>, last used <Timestamp at={lastUsedAt} format="relative" />
          </p>
        </>
      ),
    }),
  },
];

/** The actions that the state of a key allows. A revoked key has none. */
export function KeyActions({ of: key, onDone }: { of: Tagged<Key>; onDone: () => Promise<void> }) {
  const [open, setOpen] = useState<KeyAction>();
  if (key.value.state === "revoked") return null;
  const close = () => setOpen(undefined);
  const done = async () => {
    await onDone();
    close();
  };
  return (
    <>
      <Actions
        of={actions
          .filter(({ isOffered }) => isOffered?.(key.value) ?? true)
          .map((action) => ({ ...action, onSelect: () => setOpen(action) }))}
      />
      {open !== undefined && <open.dialog of={key} onClose={close} onDone={done} />}
    </>
  );
}
