import { useId, useState } from "preact/hooks";
import { publicErrors } from "../../../src/domain/errors.ts";
import { call } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { Key } from "../api/responses.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form, TextField } from "../components/form.tsx";
import type { KeyDialogProps } from "./key-dialog.ts";
import { ScheduleFields, type ScheduleInput, scheduleInputOf, scheduleOf } from "./schedule-fields.tsx";

const suggestions = [...Object.keys(publicErrors), "delay=2000", "disconnect", "lost-answer"];

/** Has requests of a key answered with a simulated answer, on staging. */
export function RehearseKey({ of: key, onClose, onDone }: KeyDialogProps) {
  const list = useId();
  const [answer, setAnswer] = useState(key.simulation?.answer ?? "");
  const [schedule, setSchedule] = useState<ScheduleInput>(scheduleInputOf(key.simulation));
  const action = useAction();
  const start = async () =>
    onDone(await call<Key>("PUT", `/keys/${key.id}/simulation`, { answer, ...scheduleOf(schedule) }));
  return (
    <Dialog title={`Rehearse with ${key.name}`} onClose={onClose}>
      <Form action={action} submitLabel="Start rehearsal" onSubmit={start}>
        <TextField
          label="Simulated answer"
          name="answer"
          value={answer}
          onInput={setAnswer}
          list={list}
          hint="An error code, or another value of the header Petstore-Simulate, such as delay=2000."
        />
        <datalist id={list}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <ScheduleFields value={schedule} onChange={setSchedule} />
        {key.simulation !== null && <p class="hint">Replaces the rehearsal of this key, and counts from the start.</p>}
      </Form>
    </Dialog>
  );
}
