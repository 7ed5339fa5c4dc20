import { useState } from "preact/hooks";
import { type Scope, scopes } from "../../../src/domain/keys/key.ts";
import { call } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { IssuedKey } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { NewSecret } from "../components/dialogs.tsx";
import { Form, TextField } from "../components/form.tsx";
import { ExpiryField, type ExpiryInput, expiresAtOf } from "./expiry-field.tsx";
import { NO_OWNER, OwnerFields, ownerOf } from "./owner-fields.tsx";
import { PlanFields, type PlanInput, planOf } from "./plan-fields.tsx";
import { ScopesField } from "./scopes-field.tsx";

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
