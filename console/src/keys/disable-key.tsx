import { call } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { Key } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";
import type { KeyDialogProps } from "./key-dialog.ts";

export function DisableKey({ of: key, onClose, onDone }: KeyDialogProps) {
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
