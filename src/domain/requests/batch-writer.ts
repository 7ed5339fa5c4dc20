import { crc32 } from "node:zlib";
import { simulationText } from "../simulation/simulation.ts";
import { BATCH_HEADER, batchFields, COVERED, MAGIC, MAX_TEXT, REQUEST_HEADER } from "./layout.ts";
import { keptPath } from "./path.ts";
import type { AnsweredRequest } from "./request.ts";

/** Requests as bytes, with their number and the times of the oldest and the newest (Unix ms). */
export type Batch = { bytes: Uint8Array; count: number; oldest: number; newest: number };

/** A request and the names that it may add take at most so many bytes. */
const MAX_REQUEST = REQUEST_HEADER + 7 * MAX_TEXT;
const MAX_DURATION = 2 ** 32 - 1;
/** A path may have any character. Half of its code must not become another character, or a text that is kept nowhere. */
const DEL = 0x7f;
const UNKNOWN = 0x3f;

/** Collects requests in one buffer, without an object for any of them: each request waits for this. */
export class BatchWriter {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
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

  constructor(size: number) {
    this.#bytes = new Uint8Array(size);
    this.#view = new DataView(this.#bytes.buffer);
    this.#words = new Uint32Array(this.#bytes.buffer);
    this.#times = new Float64Array(this.#bytes.buffer);
    this.#end = size - MAX_REQUEST;
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
