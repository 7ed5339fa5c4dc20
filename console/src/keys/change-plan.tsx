import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { Key } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";
import type { KeyDialogProps } from "./key-dialog.ts";
import { PlanFields, type PlanInput, planOf } from "./plan-fields.tsx";

export function ChangePlan({ of: key, onClose, onDone }: KeyDialogProps) {
  const [input, setInput] = useState<PlanInput>({
    plan: key.plan,
    perMinute: String(key.limits.perMinute),
    perDay: String(key.limits.perDay),
  });
  const action = useAction();
  const change = async () => onDone(await call<Key>("PATCH", `/keys/${key.id}`, planOf(input)));
  return (
    <Dialog title={`Change plan of ${key.name}`} onClose={onClose}>
      <Form action={action} submitLabel="Change plan" onSubmit={change}>
        <PlanFields value={input} onChange={setInput} />
        <p class="hint">Applies from the next request on. Requests of the current windows stay counted.</p>
      </Form>
    </Dialog>
  );
}
