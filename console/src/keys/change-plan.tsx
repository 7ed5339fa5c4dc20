import { useState } from "preact/hooks";
import { useAction } from "../api/action.ts";
import type { Key } from "../api/answers.ts";
import { call } from "../api/call.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Form } from "../parts/form.tsx";
import type { KeyDialogProps } from "./key-dialog.ts";
import { asPlan, PlanFields, type PlanInput } from "./plan-fields.tsx";

/** Another plan, or other limits where they are the key's own. */
export function ChangePlan({ of: key, onClose, onDone }: KeyDialogProps) {
  const [input, setInput] = useState<PlanInput>({
    plan: key.plan,
    perMinute: String(key.limits.perMinute),
    perDay: String(key.limits.perDay),
  });
  const action = useAction();
  const change = async () => onDone(await call<Key>("PATCH", `/keys/${key.id}`, asPlan(input)));
  return (
    <Dialog title={`Plan of ${key.name}`} onClose={onClose}>
      <Form action={action} verb="Change plan" onSubmit={change} onCancel={onClose}>
        <PlanFields value={input} onChange={setInput} />
        <p class="hint">It applies with the next request. What was already used stays counted.</p>
      </Form>
    </Dialog>
  );
}
