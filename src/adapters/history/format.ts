import { crc32 } from "node:zlib";
import {
  type AnsweredRequest,
  type Batch,
  isAmong,
  type KeptSegment,
  keptPath,
  MAX_KEPT_TEXT,
  type PastRequest,
  type RequestFilter,
  type SegmentSummary,
  type WindowLeft,
} from "../../domain/requests.ts";
import { simulationText } from "../../domain/simulation.ts";

/**
 * The layout of the request history, in little-endian bytes. A segment is a sequence of batches. A batch is a header,
 * requests, and the names that its requests refer to by number (operations, methods and error codes), as a JSON array. It
 * needs nothing outside of it: a version that knows other operations reads it too.
 */

/** The first word of a batch: "REQ1". */
const MAGIC = 0x31514552;

/** Where the fields of a batch's header begin, after its first word. `crc` covers what follows it. */
const batchFields = { length: 4, crc: 8, count: 12, names: 16, oldest: 24, newest: 32 } as const;

const BATCH_HEADER = 40;

/** What `crc` covers begins here. */
const COVERED = batchFields.count;

/**
 * Where the fields of a request begin, at a multiple of eight, after its time. Its texts follow: request id, key id, path,
 * and what it simulated. `BatchWriter` writes the fields as words.
 */
const requestFields = {
  /** In µs. */
  duration: 8,
  length: 12,
  status: 14,
  operation: 16,
  method: 18,
  /** The number of the code's name plus one; 0 without an error. */
  error: 20,
  requestIdLength: 22,
  keyIdLength: 23,
  pathLength: 24,
  simulatedLength: 25,
  minuteLimit: 28,
  minuteRemaining: 32,
  dayLimit: 36,
  dayRemaining: 40,
} as const;

const REQUEST_HEADER = 44;

/** A request and the names that it may add take at most so many bytes. */
const MAX_REQUEST = REQUEST_HEADER + 7 * MAX_KEPT_TEXT;

const MAX_DURATION = 2 ** 32 - 1;

/** A path may have any character. Half of its code must not become another character, or a text that is kept nowhere. */
const DEL = 0x7f;

const UNKNOWN = 0x3f;

/** Collects the requests of one batch in a buffer, without an object for any of them: each request waits for this. */
export class BatchWriter {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  /** The same bytes as numbers. Every platform of the runtimes is little-endian. */
  readonly #words: Uint32Array;
  readonly #times: Float64Array;
  /** Where the names must end. */
  readonly #end: number;
  readonly #numbers = new Map<string, number>();
  #namesLength = 2;
  #offset = BATCH_HEADER;
  #count = 0;
  #oldest = Infinity;
  #newest = -Infinity;

  /** `buffer`: what an earlier batch left in it does not matter. */
  constructor(buffer: ArrayBuffer) {
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
    this.#times = new Float64Array(buffer);
    this.#end = buffer.byteLength - MAX_REQUEST;
  }

  get count(): number {
    return this.#count;
  }

  /** Whether another request may be added. */
  get hasRoom(): boolean {
    return this.#offset + this.#namesLength < this.#end;
  }

  /** Writes words, two fields at a time where they are shorter: as fast as the runtimes store anything. */
  add(request: AnsweredRequest): void {
    const { requestId, keyId, path, decision, simulation, at, duration, status, operation, method, error } = request;
    const words = this.#words;
    const start = this.#offset;
    const idEnd = this.#write(requestId, start + REQUEST_HEADER);
    const keyEnd = keyId === undefined ? idEnd : this.#write(keyId, idEnd);
    const pathEnd = this.#write(keptPath(path), keyEnd);
    const textEnd = simulation === undefined ? pathEnd : this.#write(simulationText(simulation), pathEnd);
    const end = (textEnd + 7) & ~7;
    const errorNumber = error === undefined ? 0 : this.#numberOf(error) + 1;
    const idLength = idEnd - start - REQUEST_HEADER;
    const windows = decision?.withoutBan ?? decision?.windows;
    const minute = windows?.[0];
    const day = windows?.[1];
    this.#times[start >> 3] = Math.trunc(at);
    const first = start >> 2;
    words[first + 2] = Math.min(duration * 1000, MAX_DURATION);
    words[first + 3] = (end - start) | (status << 16);
    words[first + 4] = this.#numberOf(operation) | (this.#numberOf(method) << 16);
    words[first + 5] = errorNumber | (idLength << 16) | ((keyEnd - idEnd) << 24);
    words[first + 6] = (pathEnd - keyEnd) | ((textEnd - pathEnd) << 8);
    words[first + 7] = minute === undefined ? 0 : minute.limit;
    words[first + 8] = minute === undefined ? 0 : minute.remaining;
    words[first + 9] = day === undefined ? 0 : day.limit;
    words[first + 10] = day === undefined ? 0 : day.remaining;
    this.#offset = end;
    this.#count += 1;
    if (at < this.#oldest) this.#oldest = at;
    if (at > this.#newest) this.#newest = at;
  }

  /** Returns the requests so far. It has the bytes of the buffer, so no further requests may be added. */
  take(): Batch {
    const names = new TextEncoder().encode(JSON.stringify([...this.#numbers.keys()]));
    this.#bytes.set(names, this.#offset);
    const bytes = this.#bytes.subarray(0, this.#offset + names.length);
    const [count, oldest, newest] = [this.#count, this.#oldest, this.#newest];
    const view = new DataView(bytes.buffer);
    view.setUint32(0, MAGIC, true);
    view.setUint32(batchFields.length, bytes.length, true);
    view.setUint32(batchFields.count, count, true);
    view.setUint32(batchFields.names, names.length, true);
    view.setFloat64(batchFields.oldest, oldest, true);
    view.setFloat64(batchFields.newest, newest, true);
    view.setUint32(batchFields.crc, crc32(bytes.subarray(COVERED)), true);
    return { bytes, count, oldest, newest };
  }

  /** Writes a text from `offset`. Returns its end. Faster than the encoders of the runtimes, for texts of this length. */
  #write(text: string, offset: number): number {
    const bytes = this.#bytes;
    const length = Math.min(text.length, MAX_KEPT_TEXT);
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      bytes[offset + i] = code < DEL ? code : UNKNOWN;
    }
    return offset + length;
  }

  #numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(name, number);
    // As JSON, with quotes and a comma.
    this.#namesLength += name.length + 3;
    return number;
  }
}

/** A batch in the bytes of a segment: its requests are between `start` and `end`. */
type StoredBatch = {
  start: number;
  end: number;
  count: number;
  oldest: number;
  newest: number;
  names: readonly string[];
};

/**
 * Returns the batches in the bytes of a segment. It skips a damaged one, and ends where one is incomplete or its length is
 * damaged: a process died, the disk was full, or another process is writing it.
 */
function* batchesIn(bytes: Uint8Array): Generator<StoredBatch> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let offset = 0; offset + BATCH_HEADER <= bytes.length; ) {
    const length = view.getUint32(offset + batchFields.length, true);
    if (view.getUint32(offset, true) !== MAGIC) return;
    if (length < BATCH_HEADER) return;
    const batch = batchAt(bytes.subarray(offset, offset + length), offset);
    if (batch !== undefined) yield batch;
    offset += length;
  }
}

/** Returns the batch in these bytes, which begin at `offset` of a segment; undefined if they are damaged. */
function batchAt(bytes: Uint8Array, offset: number): StoredBatch | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (crc32(bytes.subarray(COVERED)) !== view.getUint32(batchFields.crc, true)) return undefined;
  const namesAt = bytes.length - view.getUint32(batchFields.names, true);
  return {
    start: offset + BATCH_HEADER,
    end: offset + namesAt,
    count: view.getUint32(batchFields.count, true),
    oldest: view.getFloat64(batchFields.oldest, true),
    newest: view.getFloat64(batchFields.newest, true),
    names: JSON.parse(new TextDecoder().decode(bytes.subarray(namesAt))),
  };
}

export function summaryOf(id: string, bytes: Uint8Array): SegmentSummary {
  const summary = { id, count: 0, oldest: Infinity, newest: -Infinity };
  for (const { count, oldest, newest } of batchesIn(bytes)) {
    summary.count += count;
    summary.oldest = Math.min(summary.oldest, oldest);
    summary.newest = Math.max(summary.newest, newest);
  }
  return summary;
}

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
      const at = view.getFloat64(offset, true);
      if (index >= skipped && at >= from && at < to && isMatch(offset))
        matches.push({ at, offset, names: batch.names });
      offset += view.getUint16(offset + requestFields.length, true);
    }
  }
  return matches;
}

/** Whether the request at an offset of the batch matches the filter, apart from its time: numbers first, they are cheap. */
function matcherOf(
  { requestId, keyIds, operation, status, error }: RequestFilter,
  { names }: StoredBatch,
  bytes: Uint8Array,
  view: DataView,
): (offset: number) => boolean {
  const operations = operation && numbersOf(operation, names);
  const errors = error && numbersOf(error, names);
  const keys = keyIds && new Set(keyIds);
  return (offset) => {
    if (status !== undefined && !isAmong(view.getUint16(offset + requestFields.status, true), status)) return false;
    if (operations?.includes(view.getUint16(offset + requestFields.operation, true)) === false) return false;
    if (errors?.includes(view.getUint16(offset + requestFields.error, true) - 1) === false) return false;
    const idLength = view.getUint8(offset + requestFields.requestIdLength);
    const idAt = offset + REQUEST_HEADER;
    if (requestId !== undefined && !isText(requestId, bytes, idAt, idLength)) return false;
    if (keys === undefined) return true;
    const keyAt = idAt + idLength;
    const keyEnd = keyAt + view.getUint8(offset + requestFields.keyIdLength);
    return keys.has(String.fromCharCode(...bytes.subarray(keyAt, keyEnd)));
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
