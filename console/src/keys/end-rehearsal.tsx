import { call } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { Key } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";
import type { KeyDialogProps } from "./key-dialog.ts";

export function EndRehearsal({ of: key, onClose, onDone }: KeyDialogProps) {
  const action = useAction();
  const end = async () => onDone(await call<Key>("DELETE", `/keys/${key.id}/simulation`));
  return (
    <Dialog title={`End rehearsal of ${key.name}?`} onClose={onClose}>
      <Form action={action} submitLabel="End rehearsal" onSubmit={end}>
        <p>Requests with this key get their real answers again.</p>
      </Form>
    </Dialog>
  );
}
