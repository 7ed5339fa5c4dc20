import { crc32 } from "node:zlib";
import { simulationText } from "../simulation/simulation.ts";
import { BATCH_HEADER, batchFields, COVERED, MAGIC, MAX_TEXT, REQUEST_HEADER, requestFields } from "./layout.ts";
import { keptPath } from "./path.ts";
import type { AnsweredRequest } from "./request.ts";

/** Requests as bytes, with their number and the times of the oldest and the newest (Unix ms). */
export type Batch = { bytes: Uint8Array; count: number; oldest: number; newest: number };

/** A request and the names that it may add take at most so many bytes. */
const MAX_REQUEST = REQUEST_HEADER + 7 * MAX_TEXT;
const MAX_DURATION = 2 ** 32 - 1;

/** Collects requests in one buffer, without an object for any of them: each request waits for this. */
export class BatchWriter {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  /** Where the names must end. */
  readonly #end: number;
  readonly #numbers = new Map<string, number>();
  #namesLength = 2;
  #offset = BATCH_HEADER;
  #count = 0;
  #oldest = Infinity;
  #newest = -Infinity;

  constructor(size: number) {
    this.#bytes = new Uint8Array(size);
    this.#view = new DataView(this.#bytes.buffer);
    this.#end = size - MAX_REQUEST;
  }

  get count(): number {
    return this.#count;
  }

  /** Whether another request may be added. */
  get hasRoom(): boolean {
    return this.#offset + this.#namesLength < this.#end;
  }

  add(request: AnsweredRequest): void {
    const { requestId, keyId, path, decision, simulation, at, duration, status, operation, method, error } = request;
    const view = this.#view;
    const start = this.#offset;
    let end = start + REQUEST_HEADER;
    end = this.#write(requestId, end);
    view.setUint8(start + requestFields.requestIdLength, end - start - REQUEST_HEADER);
    const keyAt = end;
    if (keyId !== undefined) end = this.#write(keyId, end);
    view.setUint8(start + requestFields.keyIdLength, end - keyAt);
    const pathAt = end;
    end = this.#write(keptPath(path), end);
    view.setUint8(start + requestFields.pathLength, end - pathAt);
    const simulatedAt = end;
    if (simulation !== undefined) end = this.#write(simulationText(simulation), end);
    view.setUint8(start + requestFields.simulatedLength, end - simulatedAt);
    view.setFloat64(start + requestFields.at, Math.trunc(at), true);
    view.setUint32(start + requestFields.duration, Math.min(duration * 1000, MAX_DURATION), true);
    view.setUint16(start + requestFields.length, end - start, true);
    view.setUint16(start + requestFields.status, status, true);
    view.setUint16(start + requestFields.operation, this.#numberOf(operation), true);
    view.setUint16(start + requestFields.method, this.#numberOf(method), true);
    view.setUint16(start + requestFields.error, error === undefined ? 0 : this.#numberOf(error) + 1, true);
    const minute = decision?.windows[0];
    const day = decision?.windows[1];
    view.setUint32(start + requestFields.minuteLimit, minute?.limit ?? 0, true);
    view.setUint32(start + requestFields.minuteRemaining, minute?.remaining ?? 0, true);
    view.setUint32(start + requestFields.dayLimit, day?.limit ?? 0, true);
    view.setUint32(start + requestFields.dayRemaining, day?.remaining ?? 0, true);
    this.#offset = end;
    this.#count += 1;
    if (at < this.#oldest) this.#oldest = at;
    if (at > this.#newest) this.#newest = at;
  }

  /** Returns the requests so far, and begins a new batch. */
  take(): Batch {
    const names = new TextEncoder().encode(JSON.stringify([...this.#numbers.keys()]));
    this.#bytes.set(names, this.#offset);
    const length = this.#offset + names.length;
    const [count, oldest, newest] = [this.#count, this.#oldest, this.#newest];
    this.#view.setUint32(batchFields.magic, MAGIC, true);
    this.#view.setUint32(batchFields.length, length, true);
    this.#view.setUint32(batchFields.count, count, true);
    this.#view.setUint32(batchFields.names, names.length, true);
    this.#view.setFloat64(batchFields.oldest, oldest, true);
    this.#view.setFloat64(batchFields.newest, newest, true);
    this.#view.setUint32(batchFields.crc, crc32(this.#bytes.subarray(COVERED, length)), true);
    this.#numbers.clear();
    this.#namesLength = 2;
    this.#offset = BATCH_HEADER;
    this.#count = 0;
    this.#oldest = Infinity;
    this.#newest = -Infinity;
    return { bytes: this.#bytes.slice(0, length), count, oldest, newest };
  }

  /** Writes a text from `offset`. Returns its end. Faster than the encoders of the runtimes, for texts of this length. */
  #write(text: string, offset: number): number {
    const bytes = this.#bytes;
    const length = Math.min(text.length, MAX_TEXT);
    for (let i = 0; i < length; i++) bytes[offset + i] = text.charCodeAt(i);
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
