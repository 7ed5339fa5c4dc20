import { useState } from "preact/hooks";
import { useAction } from "../api/action.ts";
import type { Key } from "../api/answers.ts";
import { call } from "../api/call.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Form } from "../parts/form.tsx";
import { asExpiry, ExpiryField, type ExpiryInput } from "./expiry-field.tsx";
import type { KeyDialogProps } from "./key-dialog.ts";

export function ChangeExpiry({ of: key, onClose, onDone }: KeyDialogProps) {
  const [input, setInput] = useState<ExpiryInput>({
    choice: key.expiresAt === null ? "never" : "chosen",
    on: key.expiresAt === null ? "" : asLocal(new Date(key.expiresAt)),
  });
  const action = useAction();
  const change = async () => onDone(await call<Key>("PATCH", `/keys/${key.id}`, { expiresAt: asExpiry(input) }));
  return (
    <Dialog title={`Expiry of ${key.name}`} onClose={onClose}>
      <Form action={action} verb="Change expiry" onSubmit={change} onCancel={onClose}>
        <ExpiryField value={input} onChange={setInput} />
      </Form>
    </Dialog>
  );
}

/** A moment as the browser's picker takes it: to the minute, in the reader's zone. */
function asLocal(moment: Date): string {
  const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
