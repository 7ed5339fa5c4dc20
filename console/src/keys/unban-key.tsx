import { useAction } from "../api/action.ts";
import type { Key } from "../api/answers.ts";
import { call } from "../api/call.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Form } from "../parts/form.tsx";
import { Moment } from "../parts/moment.tsx";
import type { KeyDialogProps } from "./key-dialog.ts";

export function UnbanKey({ of: key, onClose, onDone }: KeyDialogProps) {
  const action = useAction();
  const lift = async () => onDone(await call<Key>("POST", `/keys/${key.id}/unban`));
  return (
    <Dialog title={`Lift the ban of ${key.name}?`} onClose={onClose}>
      <Form action={action} verb="Lift the ban" onSubmit={lift} onCancel={onClose}>
        <p>
          It would end <Moment at={key.usage?.bannedUntil ?? null} /> by itself. The key may call again at once, and its
          strikes are forgotten.
        </p>
      </Form>
    </Dialog>
  );
}
