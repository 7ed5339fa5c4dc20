import { call } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { Key } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";
import type { KeyDialogProps } from "./key-dialog.ts";

export function EndGrace({ of: key, onClose, onDone }: KeyDialogProps) {
  const action = useAction();
  const end = async () => onDone(await call<Key>("POST", `/keys/${key.id}/end-grace`));
  return (
    <Dialog title={`End old secret of ${key.name}?`} onClose={onClose}>
      <Form action={action} submitLabel="End old secret" isDangerous onSubmit={end}>
        <p>
          Only the newest secret, which ends in <code>{key.lastFour}</code>, works from then on.{" "}
          <strong>This cannot be undone.</strong>
        </p>
      </Form>
    </Dialog>
  );
}
