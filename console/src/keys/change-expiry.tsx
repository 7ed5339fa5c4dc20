import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { Key } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";
import { toLocalInput } from "../format.ts";
import { ExpiryField, type ExpiryInput, expiresAtOf } from "./expiry-field.tsx";
import type { KeyDialogProps } from "./key-dialog.ts";

export function ChangeExpiry({ of: key, onClose, onDone }: KeyDialogProps) {
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
