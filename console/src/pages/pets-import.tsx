import { useEffect, useState } from "preact/hooks";
import { isObject } from "../../../src/domain/audit.ts";
import { apiError, call, typeOf, withQuery } from "../api/call.ts";
import { useAction } from "../api/hooks.ts";
import type { Audit, Pet } from "../api/responses.ts";
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
/**
 * The outcome. `source`: the rejected lines as they were, as a file. `interruption`: why the import ended early, and then
 * `nextLine` is where it goes on, if that is known.
 */
type ImportResult = Counts & {
  rejections: { line: number; problem: string }[];
  source: Blob;
  hasAllRejectedLines: boolean;
  interruption?: string;
  nextLine?: number;
};

/** A line of the response. The last one has `done`, or `error`. Those before have the rejected lines since the previous one. */
type ResponseLine = Counts &
  Partial<Pick<ImportResult, "rejections" | "hasAllRejectedLines">> & {
    import?: string;
    lastLine?: number;
    rejectedLines?: string;
    done?: boolean;
    error?: { message: string };
  };

const none: ResponseLine = { imported: 0, rejected: 0 };

/** How often, and in which interval (ms), the audit log is asked for the end of an import whose connection was lost. */
const TRIES = 10;
const INTERVAL_MS = 500;

/** The last line of an import whose connection was lost: the service reads on until it notices. */
async function lastLineOf(target: string): Promise<number | undefined> {
  for (let i = 0; i < TRIES; i++) {
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    const audit = await call<Audit>("GET", withQuery("/audit", { target, limit: 1 })).catch(() => undefined);
    const [entry] = audit?.entries ?? [];
    if (entry?.action === "pets.import" && isObject(entry.after)) return Number(entry.after.line);
  }
  return undefined;
}

type Upload = { file: File; replacement: Replacement; fromLine: number };

/**
 * Uploads an NDJSON or CSV file, as its extension says. The browser streams the file from disk, and the service streams
 * its progress as lines of JSON. @throws ApiError for an error response
 */
function importFile(
  { file, replacement, fromLine }: Upload,
  onProgress: (progress: ImportProgress) => void,
  signal: AbortSignal,
): Promise<ImportResult> {
  const progress: ImportProgress = { sentBytes: 0, totalBytes: file.size, imported: 0, rejected: 0 };
  // fetch does not report upload progress.
  const request = new XMLHttpRequest();
  const source: Uint8Array<ArrayBuffer>[] = [];
  let read = 0;
  let last = none;
  const readLines = () => {
    const end = request.responseText.lastIndexOf("\n") + 1;
    for (const line of request.responseText.slice(read, Math.max(read, end)).split("\n")) {
      if (line === "") continue;
      last = JSON.parse(line);
      source.push(Uint8Array.from(atob(last.rejectedLines ?? ""), (character) => character.charCodeAt(0)));
    }
    read = Math.max(read, end);
    const { imported, changed, rejected } = last;
    Object.assign(progress, { imported, changed, rejected });
    onProgress({ ...progress });
  };
  const result = (interruption?: string, lastLine?: number): ImportResult => ({
    hasAllRejectedLines: false,
    rejections: [],
    ...last,
    source: new Blob(source, { type: typeOf(file) }),
    ...(interruption !== undefined && { interruption }),
    ...(lastLine !== undefined && { nextLine: lastLine + 1 }),
  });
  return new Promise((resolve, reject) => {
    request.upload.onprogress = ({ loaded }) => {
      progress.sentBytes = loaded;
      onProgress({ ...progress });
    };
    request.onprogress = () => request.status < 400 && readLines();
    request.onerror = async () => {
      const lastLine = last.import === undefined ? undefined : await lastLineOf(last.import);
      resolve(result("The connection was lost.", lastLine));
    };
    request.onload = () => {
      if (request.status >= 400) {
        return reject(apiError(request.status, request.responseText, request.getResponseHeader("X-Request-Id")));
      }
      readLines();
      if (last.done === true) resolve(result());
      else resolve(result(last.error?.message ?? "The service ended the import early.", last.lastLine));
    };
    signal.addEventListener("abort", () => request.abort());
    const { pets: replace, status: replaceStatus } = replacement;
    const query = { replace, replaceStatus, rejectedLines: true, fromLine };
    request.open("POST", withQuery("/admin/v1/pets/import", query));
    request.setRequestHeader("Content-Type", typeOf(file));
    request.send(file);
  });
}

const importedText = ({ imported, changed }: Counts) =>
  `${pluralize(imported, "pet")} imported${changed === undefined ? "" : `, ${formatCount(changed)} changed`}`;

/** The counts of an import, and its first rejected lines. */
function ResultSummary({ result, fileName }: { result: ImportResult; fileName: string }) {
  const { statusKept = 0, rejected, rejections, interruption, nextLine } = result;
  return (
    <div class="fields" role="status">
      {interruption !== undefined && (
        <p class="note">
          {interruption}{" "}
          {nextLine === undefined
            ? "What was imported is kept. The audit log has the line with which the import ended."
            : `What was imported is kept. The import goes on with line ${formatCount(nextLine)}.`}
        </p>
      )}
      <p>
        <strong>{importedText(result)}</strong>
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
      {rejections.length > 0 && rejected > rejections.length && (
        <p class="hint">Only the first {formatCount(rejections.length)} are listed.</p>
      )}
      {result.source.size > 0 && <SourceDownload result={result} fileName={fileName} />}
    </div>
  );
}

/** A download of the rejected lines as a file. */
function SourceDownload({ result, fileName }: { result: ImportResult; fileName: string }) {
  const [href] = useState(() => URL.createObjectURL(result.source));
  useEffect(() => () => URL.revokeObjectURL(href), [href]);
  return (
    <p>
      <a href={href} download={`rejected-${fileName}`}>
        Download the rejected lines
      </a>{" "}
      as a file, to correct and import it.
      {!result.hasAllRejectedLines && " It has the first of them: the command line writes all with --rejected."}
    </p>
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

  const upload = async (fromLine: number) => {
    if (file === undefined) return;
    setResult(undefined);
    try {
      setResult(await importFile({ file, replacement, fromLine }, setProgress, abort.signal));
    } finally {
      onDone();
    }
  };
  if (result !== undefined) {
    const { interruption, nextLine } = result;
    return (
      <Dialog title={interruption === undefined ? "Import finished" : "Import interrupted"} onClose={onClose}>
        <ResultSummary result={result} fileName={file?.name ?? "pets"} />
        <footer>
          {nextLine !== undefined && (
            <Button onClick={() => action.run(() => upload(nextLine))}>
              Continue with line {formatCount(nextLine)}
            </Button>
          )}
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </footer>
      </Dialog>
    );
  }
  return (
    <Dialog title="Import pets" onClose={onClose} isDismissible={!action.isPending}>
      <Form action={action} submitLabel="Import" isDisabled={file === undefined} onSubmit={() => upload(1)}>
        <FileField
          label="File"
          hint="NDJSON with one pet per line, or CSV with the columns name, categoryId and status, as a spreadsheet saves it. The name of a CSV file ends in .csv, .tsv or .txt. Files can have any size."
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
  const { sentBytes, totalBytes, rejected } = progress;
  const percent = totalBytes === 0 ? 100 : Math.round((100 * sentBytes) / totalBytes);
  return (
    <div class="progress" role="status">
      <progress max={100} value={percent} aria-label="Uploaded" />
      <span>
        {percent} % uploaded, {importedText(progress)}
        {rejected > 0 && `, ${formatCount(rejected)} rejected`}
      </span>
    </div>
  );
}
