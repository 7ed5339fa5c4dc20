/** A line of a file: its number, from 1, and its bytes without the line feed. Of one that is too long, the beginning. */
export type Line = { number: number; bytes: Uint8Array; isTooLong: boolean };

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

  /** Returns the lines that end in this chunk. */
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
    const bytes = this.#number === 1 ? withoutMark(whole) : whole;
    const line = { number: this.#number, bytes, isTooLong: this.#isTooLong };
    this.#number += 1;
    this.#pieces = [];
    this.#size = 0;
    this.#isTooLong = false;
    return line;
  }
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}

/** Whether a line has only spaces, tabs and carriage returns. */
export function isBlank({ bytes }: Line): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
