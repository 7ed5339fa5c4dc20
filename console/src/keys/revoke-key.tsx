import { useAction } from "../api/action.ts";
import type { Key } from "../api/answers.ts";
import { call } from "../api/call.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Form } from "../parts/form.tsx";
import { Moment } from "../parts/moment.tsx";
import type { KeyDialogProps } from "./key-dialog.ts";

export function RevokeKey({ of: key, onClose, onDone }: KeyDialogProps) {
  const action = useAction();
  const revoke = async () => onDone(await call<Key>("POST", `/keys/${key.id}/revoke`));
  return (
    <Dialog title={`Revoke ${key.name}?`} onClose={onClose}>
      <Form action={action} verb={`Revoke ${key.name}`} isDangerous onSubmit={revoke} onCancel={onClose}>
        <p>
          Within a second every request with this key is refused. <strong>It cannot be undone.</strong>
        </p>
        <p class="faint">
          <code>{key.id}</code>, last used <Moment at={key.lastUsedAt} as="ago" />
        </p>
      </Form>
    </Dialog>
  );
}
