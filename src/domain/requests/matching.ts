import { batchesIn, type StoredBatch } from "./batches.ts";
import { isAmong, type RequestFilter } from "./filter.ts";
import { REQUEST_HEADER, requestFields } from "./layout.ts";
import type { PastRequest, WindowLeft } from "./request.ts";
import type { KeptSegment } from "./retention.ts";

/** A request in the bytes of a segment, at `offset`. */
export type Match = { at: number; offset: number; names: readonly string[] };

/** The requests of a segment that match the filter and are kept, in the order of its bytes. */
export function matchesIn(bytes: Uint8Array, { skipped }: KeptSegment, since: number, filter: RequestFilter): Match[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const from = Math.max(since, filter.from ?? since);
  const to = filter.to ?? Infinity;
  const matches: Match[] = [];
  let before = 0;
  for (const batch of batchesIn(bytes)) {
    const first = before;
    before += batch.count;
    if (before <= skipped || batch.newest < from || batch.oldest >= to) continue;
    const isMatch = matcherOf(filter, batch, bytes, view);
    let index = first;
    for (let offset = batch.start; offset < batch.end; index++) {
      const at = view.getFloat64(offset + requestFields.at, true);
      if (index >= skipped && at >= from && at < to && isMatch(offset))
        matches.push({ at, offset, names: batch.names });
      offset += view.getUint16(offset + requestFields.length, true);
    }
  }
  return matches;
}

/** Whether the request at an offset of the batch matches the filter, apart from its time: numbers first, they are cheap. */
function matcherOf(
  { requestId, keyId, operation, status, error }: RequestFilter,
  { names }: StoredBatch,
  bytes: Uint8Array,
  view: DataView,
): (offset: number) => boolean {
  const operations = operation && numbersOf(operation, names);
  const errors = error && numbersOf(error, names);
  return (offset) => {
    if (status !== undefined && !isAmong(view.getUint16(offset + requestFields.status, true), status)) return false;
    if (operations?.includes(view.getUint16(offset + requestFields.operation, true)) === false) return false;
    if (errors?.includes(view.getUint16(offset + requestFields.error, true) - 1) === false) return false;
    const idLength = view.getUint8(offset + requestFields.requestIdLength);
    const idAt = offset + REQUEST_HEADER;
    if (requestId !== undefined && !isText(requestId, bytes, idAt, idLength)) return false;
    if (keyId === undefined) return true;
    return isText(keyId, bytes, idAt + idLength, view.getUint8(offset + requestFields.keyIdLength));
  };
}

function numbersOf(wanted: readonly string[], names: readonly string[]): number[] {
  return wanted.map((name) => names.indexOf(name)).filter((number) => number !== -1);
}

function isText(text: string, bytes: Uint8Array, start: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let i = 0; i < length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** Reads the request of a match. */
export function requestAt(bytes: Uint8Array, { at, offset, names }: Match, id: string): PastRequest {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const name = (field: number) => names[view.getUint16(offset + field, true)] ?? "";
  let end = offset + REQUEST_HEADER;
  const text = (field: number): string => {
    const start = end;
    end += view.getUint8(offset + field);
    return String.fromCharCode(...bytes.subarray(start, end)).replace(/[^ -~]/g, "?");
  };
  const left = (limit: number, remaining: number): WindowLeft | undefined => {
    const window = { limit: view.getUint32(offset + limit, true), remaining: view.getUint32(offset + remaining, true) };
    return window.limit === 0 ? undefined : window;
  };
  const error = view.getUint16(offset + requestFields.error, true);
  return {
    id,
    at,
    requestId: text(requestFields.requestIdLength),
    keyId: text(requestFields.keyIdLength) || undefined,
    path: text(requestFields.pathLength),
    simulated: text(requestFields.simulatedLength) || undefined,
    operation: name(requestFields.operation),
    method: name(requestFields.method),
    status: view.getUint16(offset + requestFields.status, true),
    error: error === 0 ? undefined : names[error - 1],
    duration: view.getUint32(offset + requestFields.duration, true) / 1000,
    minute: left(requestFields.minuteLimit, requestFields.minuteRemaining),
    day: left(requestFields.dayLimit, requestFields.dayRemaining),
  };
}
