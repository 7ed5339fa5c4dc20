import { useEffect, useState } from "preact/hooks";
import { useAction } from "../api/action.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { inFull, plural } from "../words/number.ts";
import type { DialogProps } from "./create-pet.tsx";
import { importFile, type Outcome, type Progress } from "./import.ts";

export function ImportPets({ onClose, onDone }: DialogProps) {
  const [file, setFile] = useState<File>();
  const [progress, setProgress] = useState<Progress>();
  const [outcome, setOutcome] = useState<Outcome>();
  const [abort] = useState(() => new AbortController());
  const action = useAction();
  useEffect(() => () => abort.abort(), [abort]);

  const send = async () => {
    if (file === undefined) return;
    try {
      setOutcome(await importFile(file, setProgress, abort.signal));
    } finally {
      onDone();
    }
  };
  if (outcome !== undefined) {
    return (
      <Dialog title="Import finished" onClose={onClose}>
        <Result outcome={outcome} />
        <footer>
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </footer>
      </Dialog>
    );
  }
  return (
    <Dialog title="Import pets" onClose={onClose} isHeld={action.isBusy}>
      <Form action={action} verb="Import" isDisabled={file === undefined} onSubmit={send} onCancel={onClose}>
        <Field
          label="File"
          hint="NDJSON with a pet a line, or CSV (its name ends in .csv) with a head that names name, categoryId and status. Of any size."
        >
          {(id, hint) => (
            <input
              id={id}
              type="file"
              accept=".ndjson,.jsonl,.json,.csv,application/x-ndjson,text/csv"
              required
              disabled={action.isBusy}
              aria-describedby={hint}
              onChange={(event) => setFile(event.currentTarget.files?.[0])}
            />
          )}
        </Field>
        {action.isBusy && progress !== undefined && <Under progress={progress} />}
      </Form>
    </Dialog>
  );
}

function Under({ progress: { sent, of, imported, rejected } }: { progress: Progress }) {
  const percent = of === 0 ? 100 : Math.round((100 * sent) / of);
  return (
    <div class="progress" role="status">
      <progress max={100} value={percent} aria-label="Sent" />
      <span>
        {percent} % sent, {plural(imported, "pet")} imported{rejected > 0 && `, ${inFull(rejected)} rejected`}
      </span>
    </div>
  );
}

function Result({ outcome: { imported, rejected, rejections } }: { outcome: Outcome }) {
  return (
    <div class="fields" role="status">
      <p>
        <strong>{plural(imported, "pet")} imported</strong>
        {rejected > 0 ? `, ${plural(rejected, "line")} rejected.` : "; no line was rejected."}
      </p>
      {rejections.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with keys
        <section class="scroller" tabIndex={0} aria-label="Rejected lines">
          <table>
            <thead>
              <tr>
                <th scope="col" class="number">
                  Line
                </th>
                <th scope="col">Problem</th>
              </tr>
            </thead>
            <tbody>
              {rejections.map(({ line, problem }) => (
                <tr key={line}>
                  <td class="number">{inFull(line)}</td>
                  <td>{problem}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {rejected > rejections.length && <p class="hint">The first {inFull(rejections.length)} are shown.</p>}
    </div>
  );
}
