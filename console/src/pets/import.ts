import { refusal } from "../api/call.ts";

/** How far an import is: bytes that were sent of all, lines that became pets, lines that did not. */
export type Progress = { sent: number; of: number; imported: number; rejected: number };
export type Rejection = { line: number; problem: string };
export type Outcome = { imported: number; rejected: number; rejections: Rejection[] };

const KEPT = "What was imported until then stays.";

type Line = Outcome & { done?: boolean; error?: { message: string } };

/**
 * Sends a file of NDJSON or CSV (by its name), however large: the browser reads it from the disk as it goes. The service
 * tells with a line of JSON now and then how far it is.
 * @throws Refusal, or Error with a sentence for people; what was imported by then stays
 */
export function importFile(
  file: File,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  const progress: Progress = { sent: 0, of: file.size, imported: 0, rejected: 0 };
  // fetch tells nothing of what it has sent.
  const request = new XMLHttpRequest();
  let read = 0;
  let last: Line | undefined;
  const readOn = () => {
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
      progress.sent = loaded;
      onProgress({ ...progress });
    };
    request.onprogress = () => request.status < 400 && readOn();
    request.onerror = () => reject(new Error(`The connection was lost. ${KEPT}`));
    request.onabort = () => reject(new Error(`The import was stopped. ${KEPT}`));
    request.onload = () => {
      if (request.status >= 400) {
        return reject(refusal(request.status, request.responseText, request.getResponseHeader("X-Request-Id")));
      }
      readOn();
      if (last?.done === true) resolve(last);
      else reject(new Error(`${last?.error?.message ?? "The service ended the import early."} ${KEPT}`));
    };
    signal.addEventListener("abort", () => request.abort());
    request.open("POST", "/admin/v1/pets/import");
    request.setRequestHeader("Content-Type", /\.csv$/i.test(file.name) ? "text/csv" : "application/x-ndjson");
    request.send(file);
  });
}
