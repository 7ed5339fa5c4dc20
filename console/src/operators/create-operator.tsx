import { useState } from "preact/hooks";
import { useAction } from "../api/action.ts";
import type { AppointedOperator, Role } from "../api/answers.ts";
import { call } from "../api/call.ts";
import { Dialog } from "../parts/dialog.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { SecretShown } from "../parts/secret-shown.tsx";

const roles = [
  ["viewer", "Viewer: may look"],
  ["admin", "Admin: may change"],
] as const;

export function CreateOperator({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [created, setCreated] = useState<AppointedOperator>();
  const action = useAction();
  const create = async () => {
    setCreated(await call<AppointedOperator>("POST", "/operators", { name, role }));
    onDone();
  };
  if (created !== undefined) {
    return (
      <Dialog title="Operator created" onClose={onClose} isHeld>
        <SecretShown kind="token" name={created.operator.name} secret={created.token} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Create an operator" onClose={onClose}>
      <Form action={action} verb="Create operator" onSubmit={create} onCancel={onClose}>
        <TextField label="Name" value={name} onInput={setName} maxLength={100} />
        <SelectField label="Role" value={role} options={roles} onChoose={setRole} />
      </Form>
    </Dialog>
  );
}
