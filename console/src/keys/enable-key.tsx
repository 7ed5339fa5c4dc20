import { call } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { Key } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";
import { Timestamp } from "../components/values.tsx";
import type { KeyDialogProps } from "./key-dialog.ts";

export function EnableKey({ of: key, onClose, onDone }: KeyDialogProps) {
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
