import { useEffect, useState } from "preact/hooks";
import { useAction } from "../api/hooks.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { FileField, Form } from "../components/form.tsx";
import { formatCount, pluralize } from "../format.ts";
import type { CatalogueDialogProps } from "./catalogue-dialog.ts";
import { type ImportProgress, type ImportResult, importFile } from "./import.ts";
import { ResultSummary } from "./import-result.tsx";
import { ReplaceField, type Replacement } from "./replace-field.tsx";

export function ImportPets({ onClose, onDone }: CatalogueDialogProps) {
  const [file, setFile] = useState<File>();
  const [replacement, setReplacement] = useState<Replacement>({ pets: false, status: false });
  const [progress, setProgress] = useState<ImportProgress>();
  const [result, setResult] = useState<ImportResult>();
  const [abort] = useState(() => new AbortController());
  const action = useAction();
  useEffect(() => () => abort.abort(), [abort]);

  const upload = async () => {
    if (file === undefined) return;
    try {
      setResult(await importFile(file, replacement, setProgress, abort.signal));
    } finally {
      onDone();
    }
  };
  if (result !== undefined) {
    return (
      <Dialog title="Import finished" onClose={onClose}>
        <ResultSummary result={result} />
        <footer>
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </footer>
      </Dialog>
    );
  }
  return (
    <Dialog title="Import pets" onClose={onClose} isDismissible={!action.isPending}>
      <Form action={action} submitLabel="Import" isDisabled={file === undefined} onSubmit={upload}>
        <FileField
          label="File"
          hint="NDJSON with one pet per line, or CSV with the columns name, categoryId and status. The name of a CSV file ends in .csv. Files can have any size."
          isRequired
          isDisabled={action.isPending}
          onChange={setFile}
        />
        <ReplaceField value={replacement} isDisabled={action.isPending} onChange={setReplacement} />
        {action.isPending && progress !== undefined && <ProgressLine progress={progress} />}
      </Form>
    </Dialog>
  );
}

function ProgressLine({ progress }: { progress: ImportProgress }) {
  const { sentBytes, totalBytes, imported, changed, rejected } = progress;
  const percent = totalBytes === 0 ? 100 : Math.round((100 * sentBytes) / totalBytes);
  return (
    <div class="progress" role="status">
      <progress max={100} value={percent} aria-label="Uploaded" />
      <span>
        {percent} % uploaded, {pluralize(imported, "pet")} imported
        {changed !== undefined && `, ${formatCount(changed)} changed`}
        {rejected > 0 && `, ${formatCount(rejected)} rejected`}
      </span>
    </div>
  );
}
