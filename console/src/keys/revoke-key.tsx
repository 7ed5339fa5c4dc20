import { call } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { Key } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";
import { Timestamp } from "../components/values.tsx";
import type { KeyDialogProps } from "./key-dialog.ts";

export function RevokeKey({ of: key, onClose, onDone }: KeyDialogProps) {
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
