import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { IssuedKey } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { NewSecret } from "../components/dialogs.tsx";
import { Form, SelectField } from "../components/form.tsx";
import type { KeyDialogProps } from "./key-dialog.ts";

const gracePeriods = [
  ["0", "Immediately"],
  ["3600", "In 1 hour"],
  ["86400", "In 1 day"],
  ["604800", "In 1 week"],
] as const;

export function RotateKey({ of: key, onClose, onDone }: KeyDialogProps) {
  const [graceSeconds, setGraceSeconds] = useState<(typeof gracePeriods)[number][0]>("86400");
  const [issued, setIssued] = useState<IssuedKey>();
  const action = useAction();
  const rotate = async () =>
    setIssued(await call<IssuedKey>("POST", `/keys/${key.id}/rotate`, { graceSeconds: Number(graceSeconds) }));
  if (issued !== undefined) {
    return (
      <Dialog title="Key rotated" onClose={onClose} isDismissible={false}>
        <NewSecret kind="secret" name={issued.key.name} secret={issued.secret} onClose={() => onDone(issued.key)} />
      </Dialog>
    );
  }
  return (
    <Dialog title={`Rotate ${key.name}`} onClose={onClose}>
      <Form action={action} submitLabel="Rotate key" onSubmit={rotate}>
        <p>The key gets a new secret. Its id, plan, limits and usage do not change.</p>
        <SelectField
          label="Old secret expires"
          value={graceSeconds}
          options={gracePeriods}
          onChange={setGraceSeconds}
        />
      </Form>
    </Dialog>
  );
}
