import { useState } from "preact/hooks";
import { ApiError, call } from "../api/call.ts";
import { REFRESH_MS, useAction, useFetch } from "../api/hooks.ts";
import type { IssuedWebhook, Webhook, WebhookDeliveries, WebhookDelivery, Webhooks } from "../api/responses.ts";
import { Actions } from "../components/actions.tsx";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { NewSecret } from "../components/dialogs.tsx";
import { Form, SelectField, TextField } from "../components/form.tsx";
import {
  AsyncContent,
  DescriptionItem,
  DescriptionList,
  EmptyState,
  ErrorMessage,
  Page,
  Panel,
} from "../components/page.tsx";
import { TableHead } from "../components/table.tsx";
import { Badge, Timestamp, type Tone } from "../components/values.tsx";
import { announce } from "../focus.ts";
import { formatMilliseconds, pluralize } from "../format.ts";
import { leaveFor, webhookHref } from "../route.ts";
import { useIsAdmin } from "../session.tsx";
import { ChangesByOperators } from "./audit.tsx";

const tones: Record<Webhook["state"], Tone> = { enabled: "good", failing: "warn", disabled: "bad" };

function typesText({ types }: Webhook): string {
  return types.length === 0 ? "all events" : types.join(", ");
}

type Fields = { url: string; types: string; description: string };
const noFields: Fields = { url: "", types: "", description: "" };

function WebhookFields({ fields, onInput }: { fields: Fields; onInput: (changed: Partial<Fields>) => void }) {
  return (
    <>
      <TextField
        label="URL"
        name="url"
        value={fields.url}
        hint="Begins with https://."
        onInput={(url) => onInput({ url })}
      />
      <TextField
        label="Types"
        name="types.0"
        value={fields.types}
        required={false}
        hint="Of events, such as pet.created, order.placed, or of alerts, such as alert.disk_full. Empty for all events."
        onInput={(types) => onInput({ types })}
      />
      <TextField
        label="Description"
        name="description"
        value={fields.description}
        required={false}
        onInput={(description) => onInput({ description })}
      />
    </>
  );
}

function bodyOf({ url, types, description }: Fields) {
  const named = types.split(",").map((type) => type.trim());
  return { url, types: named.filter((type) => type !== ""), description };
}

/** Shows the secret of an endpoint, which is given once. */
function SecretDialog({ of: { webhook, secret }, onClose }: { of: IssuedWebhook; onClose: () => void }) {
  return (
    <Dialog title="Secret of the endpoint" onClose={onClose} isDismissible={false}>
      <NewSecret kind="secret" name={webhook.url} secret={secret} onClose={onClose} />
    </Dialog>
  );
}

function CreateWebhook({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [fields, setFields] = useState(noFields);
  const [created, setCreated] = useState<IssuedWebhook>();
  const action = useAction();
  const create = async () => {
    setCreated(await call<IssuedWebhook>("POST", "/webhooks", bodyOf(fields)));
    onDone();
  };
  if (created !== undefined) return <SecretDialog of={created} onClose={onClose} />;
  return (
    <Dialog title="Create endpoint" onClose={onClose}>
      <Form action={action} submitLabel="Create endpoint" onSubmit={create}>
        <WebhookFields fields={fields} onInput={(changed) => setFields({ ...fields, ...changed })} />
      </Form>
    </Dialog>
  );
}

export function WebhooksPage() {
  const fetched = useFetch<Webhooks>("/webhooks", REFRESH_MS);
  const [isCreating, setCreating] = useState(false);
  const isAdmin = useIsAdmin();
  return (
    <Page
      title="Webhooks"
      description="URLs that get each event of the feed, or alerts."
      actions={
        isAdmin && (
          <Button icon="add" kind="primary" onClick={() => setCreating(true)}>
            Create endpoint
          </Button>
        )
      }
    >
      <AsyncContent fetched={fetched}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <EmptyState icon="webhooks" title="There are no endpoints">
              <p>Changes of pets, categories and orders, or alerts, are sent to endpoints as they happen.</p>
            </EmptyState>
          ) : (
            <WebhookTable webhooks={webhooks} />
          )
        }
      </AsyncContent>
      {isCreating && <CreateWebhook onClose={() => setCreating(false)} onDone={fetched.reload} />}
    </Page>
  );
}

function WebhookTable({ webhooks }: { webhooks: Webhook[] }) {
  return (
    <table class="cards">
      <TableHead columns={["URL", "Types", "State", "Created"]} />
      <tbody>
        {webhooks.map((webhook) => (
          <tr key={webhook.id}>
            <th scope="row">
              <a href={webhookHref(webhook.id)}>{webhook.url}</a>
              <span class="faint">{webhook.description}</span>
            </th>
            <td data-label="Types">{typesText(webhook)}</td>
            <td class="status">
              <Badge tone={tones[webhook.state]}>{webhook.state}</Badge>
            </td>
            <td data-label="Created">
              <Timestamp at={webhook.createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The props of each dialog that changes an endpoint. */
type WebhookDialogProps = { of: Webhook; onClose: () => void; onDone: () => void };

function EditWebhook({ of: webhook, onClose, onDone }: WebhookDialogProps) {
  const { url, types, description } = webhook;
  const [fields, setFields] = useState<Fields>({ url, types: types.join(", "), description });
  const action = useAction();
  const save = async () => {
    await call<Webhook>("PATCH", `/webhooks/${webhook.id}`, bodyOf(fields));
    onDone();
    onClose();
  };
  return (
    <Dialog title="Edit endpoint" onClose={onClose}>
      <Form action={action} submitLabel="Save" onSubmit={save}>
        <WebhookFields fields={fields} onInput={(changed) => setFields({ ...fields, ...changed })} />
      </Form>
    </Dialog>
  );
}

const graces = [
  ["86400", "for a day"],
  ["3600", "for an hour"],
  ["0", "not at all"],
] as const;

function RotateWebhook({ of: webhook, onClose, onDone }: WebhookDialogProps) {
  const [grace, setGrace] = useState<(typeof graces)[number][0]>("86400");
  const [issued, setIssued] = useState<IssuedWebhook>();
  const action = useAction();
  const rotate = async () => {
    const body = { graceSeconds: Number(grace) };
    setIssued(await call<IssuedWebhook>("POST", `/webhooks/${webhook.id}/rotate`, body));
    onDone();
  };
  if (issued !== undefined) return <SecretDialog of={issued} onClose={onClose} />;
  return (
    <Dialog title="Rotate the secret?" onClose={onClose}>
      <Form action={action} submitLabel="Rotate the secret" onSubmit={rotate}>
        <SelectField label="The old secret signs, too," value={grace} options={graces} onChange={setGrace} />
      </Form>
    </Dialog>
  );
}

function RedeliverWebhook({ of: webhook, onClose, onDone }: WebhookDialogProps) {
  const [after, setAfter] = useState("");
  const action = useAction();
  const redeliver = async () => {
    await call("POST", `/webhooks/${webhook.id}/redeliver`, `{"after":${/^\d+$/.test(after) ? after : '""'}}`);
    onDone();
    onClose();
  };
  return (
    <Dialog title="Redeliver events?" onClose={onClose}>
      <Form action={action} submitLabel="Redeliver" onSubmit={redeliver}>
        <TextField
          label="After the event"
          name="after"
          value={after}
          inputMode="numeric"
          hint="The id of an event; 0 is before the oldest that is kept. All later ones are sent again, and the endpoint is enabled."
          onInput={setAfter}
        />
      </Form>
    </Dialog>
  );
}

function RemoveWebhook({ of: { id, url }, onClose }: WebhookDialogProps) {
  const action = useAction();
  const remove = async () => {
    await call("DELETE", `/webhooks/${id}`);
    onClose();
    leaveFor("webhooks", `The endpoint ${url} was removed.`);
  };
  return (
    <Dialog title="Remove endpoint?" onClose={onClose}>
      <Form action={action} submitLabel="Remove endpoint" isDangerous onSubmit={remove}>
        <p>
          It gets no more events, and its secret is forgotten. <strong>This cannot be undone.</strong>
        </p>
      </Form>
    </Dialog>
  );
}

const dialogs = { edit: EditWebhook, rotate: RotateWebhook, redeliver: RedeliverWebhook, remove: RemoveWebhook };

/** An endpoint with its last deliveries and its changes. */
export function WebhookPage({ id }: { id: string }) {
  const path = `/webhooks/${encodeURIComponent(id)}`;
  const fetched = useFetch<Webhook>(path, REFRESH_MS);
  const deliveries = useFetch<WebhookDeliveries>(`${path}/deliveries`, REFRESH_MS);
  const [open, setOpen] = useState<keyof typeof dialogs>();
  const action = useAction();
  const isAdmin = useIsAdmin();
  const isMissing = fetched.error instanceof ApiError && fetched.error.status === 404;
  const webhook = isMissing ? undefined : fetched.value;
  const OpenDialog = open === undefined ? undefined : dialogs[open];
  const reload = () => {
    fetched.reload();
    deliveries.reload();
  };
  const act = (verb: string, body?: object) =>
    action.run(async () => {
      const outcome = await call<Partial<WebhookDelivery> | undefined>("POST", `${path}/${verb}`, body);
      announce(outcome?.attempt === undefined ? "Done." : `The receiver: ${outcome.error ?? outcome.status}.`);
      reload();
    });
  return (
    <Page
      title="Webhook endpoint"
      description={
        <>
          <a href="#/webhooks">Webhooks</a> / <code>{id}</code>{" "}
          {webhook !== undefined && <Badge tone={tones[webhook.state]}>{webhook.state}</Badge>}
        </>
      }
      actions={
        webhook !== undefined &&
        isAdmin && (
          <Actions
            of={[
              ...(webhook.state === "disabled"
                ? [{ label: "Enable", kind: "primary" as const, onSelect: () => act("enable") }]
                : []),
              {
                label: "Send test event",
                kind: webhook.state === "disabled" ? "plain" : "primary",
                isPending: action.isPending,
                onSelect: () => act("test"),
              },
              { label: "Edit", onSelect: () => setOpen("edit") },
              { label: "Rotate secret", onSelect: () => setOpen("rotate") },
              { label: "Redeliver", onSelect: () => setOpen("redeliver") },
              ...(webhook.state === "disabled" ? [] : [{ label: "Disable", onSelect: () => act("disable") }]),
              { label: "Remove", kind: "danger", onSelect: () => setOpen("remove") },
            ]}
          />
        )
      }
    >
      {action.error !== undefined && <ErrorMessage error={action.error} />}
      {isMissing ? (
        <EmptyState icon="webhooks" title="Endpoint not found">
          <p>
            See <a href="#/webhooks">all endpoints</a>.
          </p>
        </EmptyState>
      ) : (
        <AsyncContent fetched={fetched} lines={8}>
          {(current) => (
            <>
              <WebhookDetails of={current} />
              <Panel title="Last deliveries">
                <AsyncContent fetched={deliveries}>
                  {(found) => (
                    <DeliveryTable
                      deliveries={found.deliveries}
                      onRedeliver={isAdmin ? (eventId) => act("redeliver", { eventId }) : undefined}
                    />
                  )}
                </AsyncContent>
              </Panel>
              <ChangesByOperators key={current.state} kind="webhook" id={id} />
            </>
          )}
        </AsyncContent>
      )}
      {webhook !== undefined && OpenDialog !== undefined && (
        <OpenDialog of={webhook} onClose={() => setOpen(undefined)} onDone={reload} />
      )}
    </Page>
  );
}

function WebhookDetails({ of: webhook }: { of: Webhook }) {
  const { url, description, position, failures, nextAttemptAt, disabledAt, disabledReason, oldSecretExpiresAt } =
    webhook;
  return (
    <Panel title="Details">
      <DescriptionList>
        <DescriptionItem term="URL">{url}</DescriptionItem>
        <DescriptionItem term="Types">{typesText(webhook)}</DescriptionItem>
        {description !== "" && <DescriptionItem term="Description">{description}</DescriptionItem>}
        <DescriptionItem term="Delivered up to">{position}</DescriptionItem>
        {disabledAt !== null && (
          <DescriptionItem term="Disabled">
            <Timestamp at={disabledAt} />: {disabledReason}
          </DescriptionItem>
        )}
        {nextAttemptAt !== null && (
          <DescriptionItem term="Next attempt">
            <Timestamp at={nextAttemptAt} />, after {pluralize(failures, "failure")}
          </DescriptionItem>
        )}
        {oldSecretExpiresAt !== null && (
          <DescriptionItem term="Old secret">
            signs until <Timestamp at={oldSecretExpiresAt} />
          </DescriptionItem>
        )}
        <DescriptionItem term="Created">
          <Timestamp at={webhook.createdAt} />
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}

type DeliveryTableProps = {
  deliveries: WebhookDelivery[];
  /** Undefined for viewers. */
  onRedeliver: ((eventId: number) => void) | undefined;
};

function DeliveryTable({ deliveries, onRedeliver }: DeliveryTableProps) {
  if (deliveries.length === 0) return <p class="quiet">Nothing was delivered yet.</p>;
  return (
    <table class="cards">
      <TableHead
        columns={[
          "Time",
          "Event",
          "Type",
          { title: "Attempt", isNumeric: true },
          "Answer",
          { title: "Duration", isNumeric: true },
          { title: "Actions", isHidden: true },
        ]}
      />
      <tbody>
        {deliveries.map(({ id, at, eventId, type, attempt, status, error, milliseconds }) => (
          <tr key={id}>
            <th scope="row">
              <Timestamp at={at} />
            </th>
            <td data-label="Event">{eventId ?? "test"}</td>
            <td data-label="Type">{type}</td>
            <td data-label="Attempt" class="number">
              {attempt}
            </td>
            <td data-label="Answer">
              <Badge tone={status !== null && status >= 200 && status < 300 ? "good" : "bad"}>
                {status === null ? "none" : String(status)}
              </Badge>{" "}
              <span class="faint">{error}</span>
            </td>
            <td data-label="Duration" class="number">
              {formatMilliseconds(milliseconds)}
            </td>
            <td class="row-actions">
              {onRedeliver !== undefined && eventId !== null && (
                <Button onClick={() => onRedeliver(eventId)}>Redeliver</Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
