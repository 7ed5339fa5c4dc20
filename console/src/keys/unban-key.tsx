import { call } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { Key } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";
import { Timestamp } from "../components/values.tsx";
import type { KeyDialogProps } from "./key-dialog.ts";

export function UnbanKey({ of: key, onClose, onDone }: KeyDialogProps) {
  const action = useAction();
  const unban = async () => onDone(await call<Key>("POST", `/keys/${key.id}/unban`));
  return (
    <Dialog title={`Unban ${key.name}?`} onClose={onClose}>
      <Form action={action} submitLabel="Unban key" onSubmit={unban}>
        <p>
          The service accepts requests with this key again at once, and resets its strikes. Otherwise the ban ends{" "}
          <Timestamp at={key.usage?.bannedUntil ?? null} />.
        </p>
      </Form>
    </Dialog>
  );
}
