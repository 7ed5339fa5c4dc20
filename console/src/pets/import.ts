import { apiError } from "../api/call.ts";

/** The progress of an import: bytes sent, and lines imported and rejected so far. */
export type ImportProgress = { sentBytes: number; totalBytes: number; imported: number; rejected: number };
type Rejection = { line: number; problem: string };
export type ImportResult = { imported: number; rejected: number; rejections: Rejection[] };

/** A line of the response. The last one has `done` or `error`. */
type ResponseLine = ImportResult & { done?: boolean; error?: { message: string } };

const KEPT = "Pets imported before that are kept.";

/**
 * Uploads an NDJSON or CSV file, as its extension says. The browser streams the file from disk, and the service streams
 * its progress as lines of JSON.
 * @throws ApiError for an error response; Error with a message for the operator when the import ends early
 */
export function importFile(
  file: File,
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
    if (last !== undefined) Object.assign(progress, { imported: last.imported, rejected: last.rejected });
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
    request.open("POST", "/admin/v1/pets/import");
    request.setRequestHeader("Content-Type", /\.csv$/i.test(file.name) ? "text/csv" : "application/x-ndjson");
    request.send(file);
  });
}
