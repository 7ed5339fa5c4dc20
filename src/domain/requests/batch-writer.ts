import { crc32 } from "node:zlib";
import { simulationText } from "../simulation/simulation.ts";
import { BATCH_HEADER, batchFields, COVERED, MAGIC, MAX_TEXT, REQUEST_HEADER } from "./layout.ts";
import { keptPath } from "./path.ts";
import type { AnsweredRequest } from "./request.ts";

/** Requests as bytes, with their number and the times of the oldest and the newest (Unix ms). */
export type Batch = { bytes: Uint8Array<ArrayBuffer>; count: number; oldest: number; newest: number };

/** A request and the names that it may add take at most so many bytes. */
const MAX_REQUEST = REQUEST_HEADER + 7 * MAX_TEXT;
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
    const minute = decision?.windows[0];
    const day = decision?.windows[1];
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
    view.setUint32(batchFields.magic, MAGIC, true);
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
    const length = Math.min(text.length, MAX_TEXT);
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
