import { useState } from "preact/hooks";
import { useAction } from "../api/action.ts";
import type { IssuedKey } from "../api/answers.ts";
import { call } from "../api/call.ts";
import { Dialog } from "../parts/dialog.tsx";
import { SelectField } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { SecretShown } from "../parts/secret-shown.tsx";
import type { KeyDialogProps } from "./key-dialog.ts";

const graces = [
  ["0", "No longer"],
  ["3600", "For an hour"],
  ["86400", "For a day"],
  ["604800", "For a week"],
] as const;

export function RotateKey({ of: key, onClose, onDone }: KeyDialogProps) {
  const [grace, setGrace] = useState<(typeof graces)[number][0]>("86400");
  const [issued, setIssued] = useState<IssuedKey>();
  const action = useAction();
  const rotate = async () =>
    setIssued(await call<IssuedKey>("POST", `/keys/${key.id}/rotate`, { graceSeconds: Number(grace) }));
  if (issued !== undefined) {
    return (
      <Dialog title="Key rotated" onClose={onClose} isHeld>
        <SecretShown kind="secret" name={issued.key.name} secret={issued.secret} onClose={() => onDone(issued.key)} />
      </Dialog>
    );
  }
  return (
    <Dialog title={`Rotate ${key.name}`} onClose={onClose}>
      <Form action={action} verb="Rotate key" onSubmit={rotate} onCancel={onClose}>
        <p>The key gets a new secret. Its id, plan and counts stay.</p>
        <SelectField label="The old secret works" value={grace} options={graces} onChoose={setGrace} />
      </Form>
    </Dialog>
  );
}
