import { useEffect, useState } from "preact/hooks";
import { apiError, typeOf, withQuery } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { Pet } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { FileField, Form } from "../components/form.tsx";
import { ScrollRegion, TableHead } from "../components/table.tsx";
import { formatCount, pluralize } from "../format.ts";

/**
 * The props of each dialog of the list of pets. `status` is the filter of the list; "" is all. `onDone` gets the pet that was
 * added, if it was a single one.
 */
export type CatalogueDialogProps = { status: string; onClose: () => void; onDone: (added?: Pet) => void };

/** What an import does with a line that has the id of a pet. `status`: also if a delivered order has sold the pet. */
type Replacement = { pets: boolean; status: boolean };

type ReplaceFieldProps = { value: Replacement; isDisabled: boolean; onChange: (value: Replacement) => void };

function ReplaceField({ value: { pets, status }, isDisabled, onChange }: ReplaceFieldProps) {
  return (
    <fieldset class="checks" disabled={isDisabled}>
      <legend>Lines that have an id</legend>
      <label>
        <input type="checkbox" checked={pets} onChange={() => onChange({ pets: !pets, status: false })} />
        <span>Change the pet with this id instead of adding one</span>
      </label>
      {pets && (
        <>
          <label>
            <input type="checkbox" checked={status} onChange={() => onChange({ pets, status: !status })} />
            <span>Also change the status of pets that a delivered order has sold</span>
          </label>
          <p class="note" role="status">
            {status
              ? "A file that is older than an order puts the pet that was delivered back on sale."
              : "A file with an older status puts sold pets back on sale, except those that a delivered order has sold."}
          </p>
        </>
      )}
    </fieldset>
  );
}

/** The lines imported and rejected; and, with a replacement, how many pets were changed, and how many stay sold. */
type Counts = { imported: number; changed?: number; statusKept?: number; rejected: number };
/** The progress of an import: bytes sent, and what became of the lines so far. */
type ImportProgress = Counts & { sentBytes: number; totalBytes: number };
type ImportResult = Counts & { rejections: { line: number; problem: string }[] };

/** A line of the response. The last one has `done` or `error`. */
type ResponseLine = ImportResult & { done?: boolean; error?: { message: string } };

const KEPT = "What was imported before that is kept.";

/**
 * Uploads an NDJSON or CSV file, as its extension says. The browser streams the file from disk, and the service streams
 * its progress as lines of JSON.
 * @throws ApiError for an error response; Error with a message for the operator when the import ends early
 */
function importFile(
  file: File,
  replacement: Replacement,
  onProgress: (progress: ImportProgress) => void,
  signal: AbortSignal,
): Promise<ImportResult> {
  const progress: ImportProgress = { sentBytes: 0, totalBytes: file.size, imported: 0, rejected: 0 };
  // fetch does not report upload progress.
  const request = new XMLHttpRequest();
  let read = 0;
  let last: ResponseLine | undefined;
  const readLines = () => {
    const end = request.responseText.lastIndexOf("\n") + 1;
    for (const line of request.responseText.slice(read, Math.max(read, end)).split("\n")) {
      if (line !== "") last = JSON.parse(line);
    }
    read = Math.max(read, end);
    if (last !== undefined) Object.assign(progress, last);
    onProgress({ ...progress });
  };
  return new Promise((resolve, reject) => {
    request.upload.onprogress = ({ loaded }) => {
      progress.sentBytes = loaded;
      onProgress({ ...progress });
    };
    request.onprogress = () => request.status < 400 && readLines();
    request.onerror = () => reject(new Error(`The connection was lost. ${KEPT}`));
    request.onabort = () => reject(new Error(`The import was cancelled. ${KEPT}`));
    request.onload = () => {
      if (request.status >= 400) {
        return reject(apiError(request.status, request.responseText, request.getResponseHeader("X-Request-Id")));
      }
      readLines();
      if (last?.done === true) resolve(last);
      else reject(new Error(`${last?.error?.message ?? "The service ended the import early."} ${KEPT}`));
    };
    signal.addEventListener("abort", () => request.abort());
    const query = { replace: String(replacement.pets), replaceStatus: String(replacement.status) };
    request.open("POST", withQuery("/admin/v1/pets/import", query));
    request.setRequestHeader("Content-Type", typeOf(file));
    request.send(file);
  });
}

/** The counts of an import, and its first rejected lines. */
function ResultSummary({ result }: { result: ImportResult }) {
  const { imported, changed, statusKept = 0, rejected, rejections } = result;
  return (
    <div class="fields" role="status">
      <p>
        <strong>
          {pluralize(imported, "pet")} imported{changed !== undefined && `, ${formatCount(changed)} changed`}
        </strong>
        {rejected > 0 ? `, ${pluralize(rejected, "line")} rejected.` : ", no lines rejected."}
      </p>
      {statusKept > 0 && (
        <p class="note">
          {statusKept === 1
            ? "1 pet that a delivered order has sold stays sold."
            : `${formatCount(statusKept)} pets that delivered orders have sold stay sold.`}
        </p>
      )}
      {rejections.length > 0 && (
        <ScrollRegion label="Rejected lines">
          <table>
            <TableHead columns={[{ title: "Line", isNumeric: true }, "Problem"]} />
            <tbody>
              {rejections.map(({ line, problem }) => (
                <tr key={line}>
                  <td class="number">{formatCount(line)}</td>
                  <td>{problem}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
      {rejected > rejections.length && <p class="hint">Only the first {formatCount(rejections.length)} are listed.</p>}
    </div>
  );
}

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
