import { apiError, typeOf, withQuery } from "../api/call.ts";
import type { Replacement } from "./replace-field.tsx";

/** The lines imported and rejected; and, with a replacement, how many pets were changed, and how many stay sold. */
type Counts = { imported: number; changed?: number; statusKept?: number; rejected: number };
/** The progress of an import: bytes sent, and what became of the lines so far. */
export type ImportProgress = Counts & { sentBytes: number; totalBytes: number };
export type ImportResult = Counts & { rejections: { line: number; problem: string }[] };

/** A line of the response. The last one has `done` or `error`. */
type ResponseLine = ImportResult & { done?: boolean; error?: { message: string } };

const KEPT = "What was imported before that is kept.";

/**
 * Uploads an NDJSON or CSV file, as its extension says. The browser streams the file from disk, and the service streams
 * its progress as lines of JSON.
 * @throws ApiError for an error response; Error with a message for the operator when the import ends early
 */
export function importFile(
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
