import { useId, useState } from "preact/hooks";
import { publicErrors } from "../../../src/domain/errors.ts";
import { type Scope, scopes } from "../../../src/domain/keys/key.ts";
import { call } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { IssuedKey, Key } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { NewSecret } from "../components/dialogs.tsx";
import { Form, SelectField, TextField } from "../components/form.tsx";
import { Timestamp } from "../components/values.tsx";
import { deployment } from "../deployment.ts";
import { toLocalInput } from "../format.ts";
import {
  ExpiryField,
  type ExpiryInput,
  expiresAtOf,
  NO_OWNER,
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

/** The props of each dialog that changes a key. `onDone` gets the key as it is after the change. */
type KeyDialogProps = { of: Key; onClose: () => void; onDone: (key: Key) => void };

function ChangeExpiry({ of: key, onClose, onDone }: KeyDialogProps) {
  const [input, setInput] = useState<ExpiryInput>({
    choice: key.expiresAt === null ? "never" : "custom",
    date: key.expiresAt === null ? "" : toLocalInput(new Date(key.expiresAt)),
  });
  const action = useAction();
  const change = async () => onDone(await call<Key>("PATCH", `/keys/${key.id}`, { expiresAt: expiresAtOf(input) }));
  return (
    <Dialog title={`Change expiry of ${key.name}`} onClose={onClose}>
      <Form action={action} submitLabel="Change expiry" onSubmit={change}>
        <ExpiryField value={input} onChange={setInput} />
      </Form>
    </Dialog>
  );
}

function ChangeOwner({ of: key, onClose, onDone }: KeyDialogProps) {
  const [input, setInput] = useState(() => ownerInputOf(key));
  const action = useAction();
  const change = async () => onDone(await call<Key>("PATCH", `/keys/${key.id}`, ownerOf(input)));
  return (
    <Dialog title={`Change owner of ${key.name}`} onClose={onClose}>
      <Form action={action} submitLabel="Change owner" onSubmit={change}>
        <OwnerFields value={input} onChange={setInput} />
        <p class="hint">
          Keys with the same e-mail address belong to one owner; without one, those with the same name.
        </p>
      </Form>
    </Dialog>
  );
}

function ChangePlan({ of: key, onClose, onDone }: KeyDialogProps) {
  const [input, setInput] = useState<PlanInput>({
    plan: key.plan,
    perMinute: String(key.limits.perMinute),
    perDay: String(key.limits.perDay),
  });
  const action = useAction();
  const change = async () => onDone(await call<Key>("PATCH", `/keys/${key.id}`, planOf(input)));
  return (
    <Dialog title={`Change plan of ${key.name}`} onClose={onClose}>
      <Form action={action} submitLabel="Change plan" onSubmit={change}>
        <PlanFields value={input} onChange={setInput} />
        <p class="hint">Applies from the next request on. Requests of the current windows stay counted.</p>
      </Form>
    </Dialog>
  );
}

function ChangeScopes({ of: key, onClose, onDone }: KeyDialogProps) {
  const [scopes, setScopes] = useState(key.scopes);
  const action = useAction();
  const change = async () => onDone(await call<Key>("PATCH", `/keys/${key.id}`, { scopes }));
  return (
    <Dialog title={`Change scopes of ${key.name}`} onClose={onClose}>
      <Form action={action} submitLabel="Change scopes" isDisabled={scopes.length === 0} onSubmit={change}>
        <ScopesField value={scopes} onChange={setScopes} />
        <p class="hint">Applies from the next request on.</p>
      </Form>
    </Dialog>
  );
}

function DisableKey({ of: key, onClose, onDone }: KeyDialogProps) {
  const action = useAction();
  const disable = async () => onDone(await call<Key>("PATCH", `/keys/${key.id}`, { disabled: true }));
  return (
    <Dialog title={`Disable ${key.name}?`} onClose={onClose}>
      <Form action={action} submitLabel="Disable key" isDangerous onSubmit={disable}>
        <p>Requests with this key are refused within a second, until you enable it again.</p>
      </Form>
    </Dialog>
  );
}

function EnableKey({ of: key, onClose, onDone }: KeyDialogProps) {
  const action = useAction();
  const enable = async () => onDone(await call<Key>("PATCH", `/keys/${key.id}`, { disabled: false }));
  return (
    <Dialog title={`Enable ${key.name}?`} onClose={onClose}>
      <Form action={action} submitLabel="Enable key" onSubmit={enable}>
        <p>
          The service accepts requests with this key again at once. It has been disabled since{" "}
          <Timestamp at={key.disabledAt} />.
        </p>
      </Form>
    </Dialog>
  );
}

function EndGrace({ of: key, onClose, onDone }: KeyDialogProps) {
  const action = useAction();
  const end = async () => onDone(await call<Key>("POST", `/keys/${key.id}/end-grace`));
  return (
    <Dialog title={`End old secret of ${key.name}?`} onClose={onClose}>
      <Form action={action} submitLabel="End old secret" isDangerous onSubmit={end}>
        <p>
          Only the newest secret, which ends in <code>{key.lastFour}</code>, works from then on.{" "}
          <strong>This cannot be undone.</strong>
        </p>
      </Form>
    </Dialog>
  );
}

function EndRehearsal({ of: key, onClose, onDone }: KeyDialogProps) {
  const action = useAction();
  const end = async () => onDone(await call<Key>("DELETE", `/keys/${key.id}/simulation`));
  return (
    <Dialog title={`End rehearsal of ${key.name}?`} onClose={onClose}>
      <Form action={action} submitLabel="End rehearsal" onSubmit={end}>
        <p>Requests with this key get their real answers again.</p>
      </Form>
    </Dialog>
  );
}

const suggestions = [...Object.keys(publicErrors), "delay=2000", "disconnect", "lost-answer"];

/** Has requests of a key answered with a simulated answer, on staging. */
function RehearseKey({ of: key, onClose, onDone }: KeyDialogProps) {
  const list = useId();
  const [answer, setAnswer] = useState(key.simulation?.answer ?? "");
  const [schedule, setSchedule] = useState<ScheduleInput>(scheduleInputOf(key.simulation));
  const action = useAction();
  const start = async () =>
    onDone(await call<Key>("PUT", `/keys/${key.id}/simulation`, { answer, ...scheduleOf(schedule) }));
  return (
    <Dialog title={`Rehearse with ${key.name}`} onClose={onClose}>
      <Form action={action} submitLabel="Start rehearsal" onSubmit={start}>
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
      </Form>
    </Dialog>
  );
}

function RenameKey({ of: key, onClose, onDone }: KeyDialogProps) {
  const [name, setName] = useState(key.name);
  const action = useAction();
  const rename = async () => onDone(await call<Key>("PATCH", `/keys/${key.id}`, { name }));
  return (
    <Dialog title={`Rename ${key.name}`} onClose={onClose}>
      <Form action={action} submitLabel="Rename key" onSubmit={rename}>
        <TextField label="Name" name="name" value={name} onInput={setName} />
      </Form>
    </Dialog>
  );
}

function RevokeKey({ of: key, onClose, onDone }: KeyDialogProps) {
  const action = useAction();
  const revoke = async () => onDone(await call<Key>("POST", `/keys/${key.id}/revoke`));
  return (
    <Dialog title={`Revoke ${key.name}?`} onClose={onClose}>
      <Form action={action} submitLabel={`Revoke ${key.name}`} isDangerous onSubmit={revoke}>
        <p>
          Requests with this key are refused within a second. <strong>This cannot be undone.</strong>
        </p>
        <p class="faint">
          <code>{key.id}</code>, last used <Timestamp at={key.lastUsedAt} format="relative" />
        </p>
      </Form>
    </Dialog>
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
  const rotate = async () =>
    setIssued(await call<IssuedKey>("POST", `/keys/${key.id}/rotate`, { graceSeconds: Number(graceSeconds) }));
  if (issued !== undefined) {
    return (
      <Dialog title="Key rotated" onClose={onClose} isDismissible={false}>
        <NewSecret kind="secret" name={issued.key.name} secret={issued.secret} onClose={() => onDone(issued.key)} />
      </Dialog>
    );
  }
  return (
    <Dialog title={`Rotate ${key.name}`} onClose={onClose}>
      <Form action={action} submitLabel="Rotate key" onSubmit={rotate}>
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

function UnbanKey({ of: key, onClose, onDone }: KeyDialogProps) {
  const action = useAction();
  const unban = async () => onDone(await call<Key>("POST", `/keys/${key.id}/unban`));
  return (
    <Dialog title={`Unban ${key.name}?`} onClose={onClose}>
      <Form action={action} submitLabel="Unban key" onSubmit={unban}>
        <p>
          The service accepts requests with this key again at once, and resets its strikes. Otherwise the ban ends{" "}
          <Timestamp at={key.usage?.bannedUntil ?? null} />.
        </p>
      </Form>
    </Dialog>
  );
}

const dialogs = {
  rename: RenameKey,
  owner: ChangeOwner,
  plan: ChangePlan,
  scopes: ChangeScopes,
  expiry: ChangeExpiry,
  rotate: RotateKey,
  grace: EndGrace,
  disable: DisableKey,
  enable: EnableKey,
  unban: UnbanKey,
  rehearse: RehearseKey,
  endRehearsal: EndRehearsal,
  revoke: RevokeKey,
};

/** The actions that the state of a key allows. A revoked key has none. */
export function KeyActions({ of: key, onDone }: { of: Key; onDone: () => void }) {
  const [open, setOpen] = useState<keyof typeof dialogs>();
  if (key.state === "revoked") return null;
  const Dialog = open === undefined ? undefined : dialogs[open];
  const close = () => setOpen(undefined);
  const done = () => {
    close();
    onDone();
  };
  return (
    <>
      {key.state === "banned" && (
        <Button kind="primary" onClick={() => setOpen("unban")}>
          Unban
        </Button>
      )}
      {key.disabledAt !== null && (
        <Button kind="primary" onClick={() => setOpen("enable")}>
          Enable
        </Button>
      )}
      <Button onClick={() => setOpen("rename")}>Rename</Button>
      <Button onClick={() => setOpen("owner")}>Change owner</Button>
      <Button onClick={() => setOpen("plan")}>Change plan</Button>
      <Button onClick={() => setOpen("scopes")}>Change scopes</Button>
      <Button onClick={() => setOpen("expiry")}>Change expiry</Button>
      <Button onClick={() => setOpen("rotate")}>Rotate</Button>
      {key.earlierSecrets.length > 0 && <Button onClick={() => setOpen("grace")}>End old secret</Button>}
      {deployment === "staging" && <Button onClick={() => setOpen("rehearse")}>Rehearse</Button>}
      {key.simulation !== null && <Button onClick={() => setOpen("endRehearsal")}>End rehearsal</Button>}
      {key.disabledAt === null && (
        <Button kind="danger" onClick={() => setOpen("disable")}>
          Disable
        </Button>
      )}
      <Button kind="danger" onClick={() => setOpen("revoke")}>
        Revoke
      </Button>
      {Dialog !== undefined && <Dialog of={key} onClose={close} onDone={done} />}
    </>
  );
}

export function CreateKey({ onClose, onCreated }: { onClose: () => void; onCreated: () => void }) {
  const [name, setName] = useState("");
  const [owner, setOwner] = useState(NO_OWNER);
  const [plan, setPlan] = useState<PlanInput>({ plan: "free", perMinute: "", perDay: "" });
  const [expiry, setExpiry] = useState<ExpiryInput>({ choice: "never", date: "" });
  const [chosen, setChosen] = useState<Scope[]>([...scopes]);
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
