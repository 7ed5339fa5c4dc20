import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { Key } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form, TextField } from "../components/form.tsx";
import type { KeyDialogProps } from "./key-dialog.ts";

export function RenameKey({ of: key, onClose, onDone }: KeyDialogProps) {
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
