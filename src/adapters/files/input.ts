import { createReadStream, type Stats, statSync } from "node:fs";
import type { Readable } from "node:stream";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { FileError, fileError } from "./content.ts";

const CHUNK_BYTES = 64 * 1024;

/** The input was stopped. The last chunk may end in the middle of a line. */
export class InputStopped extends Error {}

/** Reads a file or a stream, until it ends or is stopped, and counts the bytes. */
export class Input {
  bytesRead = 0;
  /** The size in bytes of a file, which can be read again. */
  readonly size: number | undefined;
  readonly #name: string;
  readonly #open: () => Readable;
  #stream: Readable | undefined;
  #isStopped = false;

  private constructor(name: string, open: () => Readable, size?: number) {
    this.#name = name;
    this.#open = open;
    this.size = size;
  }

  /** @throws FileError */
  static file(path: string): Input {
    const stats = statsOf(path);
    if (stats.isDirectory()) throw new FileError(`${path} cannot be read: it is a directory.`);
    const open = () => createReadStream(path, { highWaterMark: CHUNK_BYTES });
    return new Input(path, open, stats.isFile() ? stats.size : undefined);
  }

  /** `open` is called when reading begins. */
  static stream(name: string, open: () => Readable): Input {
    return new Input(name, open);
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Stops reading: `chunks` throws InputStopped. */
  stop(): void {
    this.#isStopped = true;
    this.#stream?.destroy();
  }

  /** Reads from the beginning, a file also again. @throws FileError, InputStopped */
  async *chunks(): AsyncGenerator<Uint8Array> {
    this.bytesRead = 0;
    this.#stream = this.#open();
    try {
      for await (const chunk of this.#stream) {
        if (this.#isStopped) break;
        this.bytesRead += chunk.length;
        yield chunk;
      }
    } catch (error) {
      if (!this.#isStopped) throw fileError(this.#name, "read", error);
    }
    if (this.#isStopped) throw new InputStopped();
  }
}

function statsOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    throw fileError(path, "read", error);
  }
}

/**
 * A line of a file: its number, from 1, and its bytes without the line feed. Of one that is too long, the beginning. `mark` is
 * the byte order mark that the first line may have.
 */
export type Line = { number: number; bytes: Uint8Array; isTooLong: boolean; mark?: Uint8Array };

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * Splits a stream into lines, and yields those that each chunk completes. Keeps at most `maxBytes` of a line, so that
 * memory is bounded. Drops a byte order mark at the beginning.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line[]> {
  const splitter = new LineSplitter(maxBytes);
  for await (const chunk of chunks) {
    const lines = splitter.split(chunk);
    if (lines.length > 0) yield lines;
  }
  const last = splitter.last();
  if (last !== undefined) yield [last];
}

class LineSplitter {
  readonly #maxBytes: number;
  #number = 1;
  /** The pieces of the current line. */
  #pieces: Uint8Array[] = [];
  #size = 0;
  #isTooLong = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  split(chunk: Uint8Array): Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end === -1) break;
      this.#keep(chunk.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  /** Returns the text after the last line feed, or undefined if it is empty. */
  last(): Line | undefined {
    return this.#size > 0 ? this.#take() : undefined;
  }

  #keep(piece: Uint8Array): void {
    const room = this.#maxBytes - this.#size;
    if (piece.length > room) this.#isTooLong = true;
    const kept = piece.subarray(0, Math.max(room, 0));
    if (kept.length === 0) return;
    this.#pieces.push(kept);
    this.#size += kept.length;
  }

  #take(): Line {
    const [first = new Uint8Array()] = this.#pieces;
    const whole = this.#pieces.length > 1 ? Buffer.concat(this.#pieces) : first;
    const size =
      this.#number === 1 && BYTE_ORDER_MARK.every((byte, i) => whole[i] === byte) ? BYTE_ORDER_MARK.length : 0;
    const line: Line = { number: this.#number, bytes: whole.subarray(size), isTooLong: this.#isTooLong };
    if (size > 0) line.mark = whole.subarray(0, size);
    this.#number += 1;
    this.#pieces = [];
    this.#size = 0;
    this.#isTooLong = false;
    return line;
  }
}

/** Whether a line has only spaces, tabs and carriage returns. */
export function isBlank({ bytes }: Line): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

/** The bytes of a small chunk: few enough that lines of any content are read and validated in about 1 ms. */
const MAX_BYTES = 1_024;
/** The time after which other work gets a turn of the event loop, in ms. */
const SLICE = 1;
/** The most bytes to read per ms on average. Invalid lines could be read five times as fast: garbage would pile up. */
const MOST_PER_MS = 100_000;

/**
 * Cuts chunks into small ones, and lets the event loop continue between them: a chunk may have megabytes. `clock` returns
 * milliseconds.
 */
export async function* smallChunks(
  chunks: AsyncIterable<Uint8Array>,
  clock = () => performance.now(),
): AsyncGenerator<Uint8Array> {
  let began = clock();
  let bytes = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += MAX_BYTES) {
      const small = chunk.subarray(at, at + MAX_BYTES);
      yield small;
      bytes += small.length;
      if (clock() - began < SLICE && bytes < MOST_PER_MS * SLICE) continue;
      const due = began + bytes / MOST_PER_MS;
      let early = due - clock();
      if (early <= 0) await nextTurn();
      // A timer may be a millisecond early.
      for (; early > 0; early = due - clock()) await pause(early);
      began = clock();
      bytes = 0;
    }
  }
}
