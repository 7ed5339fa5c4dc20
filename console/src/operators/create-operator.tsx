import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { IssuedOperator, Role } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { NewSecret } from "../components/dialogs.tsx";
import { Form, SelectField, TextField } from "../components/form.tsx";

const roles = [
  ["viewer", "Viewer: read only"],
  ["admin", "Admin: full access"],
] as const;

export function CreateOperator({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [created, setCreated] = useState<IssuedOperator>();
  const action = useAction();
  const create = async () => {
    setCreated(await call<IssuedOperator>("POST", "/operators", { name, role }));
    onDone();
  };
  if (created !== undefined) {
    return (
      <Dialog title="Operator created" onClose={onClose} isDismissible={false}>
        <NewSecret kind="token" name={created.operator.name} secret={created.token} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Create operator" onClose={onClose}>
      <Form action={action} submitLabel="Create operator" onSubmit={create}>
        <TextField label="Name" name="name" value={name} onInput={setName} />
        <SelectField label="Role" value={role} options={roles} onChange={setRole} />
      </Form>
    </Dialog>
  );
}
