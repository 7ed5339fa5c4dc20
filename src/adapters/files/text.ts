import { isAscii, isUtf8 } from "node:buffer";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Source } from "../../domain/files.ts";
import { FileError } from "./content.ts";
import { InputStopped, isBlank, type Line } from "./input.ts";

// What a file is before its format counts: its encoding, and what is no text at all.

const CARRIAGE_RETURN = 0x0d;
/** The bytes at the beginning of a file by which it is recognized. */
const HEAD = 4_096;

const [ZIP, ...spreadsheetParts] = ["PK", "xl/", "opendocument.spreadsheet", ".iwa"].map((text) =>
  Buffer.from(text).toString("hex"),
);

/** Files that are not read, by their beginning in hexadecimal digits. */
const refusals: readonly (readonly [beginning: RegExp, reason: string])[] = [
  [
    new RegExp(`^(?:d0cf11e0a1b11ae1|${ZIP}(?:..)*?(?:${spreadsheetParts.join("|")}))`),
    "The file is a spreadsheet, save it as CSV.",
  ],
  [
    new RegExp(`^${ZIP}0[357]`),
    "The file is compressed. If it is a spreadsheet, save it as CSV; otherwise decompress it first.",
  ],
  // gzip and compress, bzip2, xz, Zstandard, 7-Zip, RAR, LZ4
  [
    /^(?:1f8b|1f9d|1fa0|425a683|fd377a585a|28b52ffd|377abcaf|52617221|04224d18)/,
    "The file is compressed. Decompress it first.",
  ],
  [
    // SQLite, PNG, GIF, JPEG, zlib
    /^(?:53514c69746520666f726d6174203300|89504e47|47494638|ffd8ff|789c|78da)/,
    "The file is not text. Save the table as CSV.",
  ],
  [/^(?:efbbbf)?255044462d/, "The file is a PDF document. Save the table as CSV."],
  [/^7b5c727466/, "The file is a text document (RTF). Save the table as CSV."],
  [/^(?:fffe0000|0000feff)/, "The file is UTF-32. Save it as UTF-8."],
];

/** The encodings that are decoded, by their byte order mark, or by the zeros beside the first two characters. */
const encodings: readonly (readonly [beginning: RegExp, label: string])[] = [
  [/^(?:fffe|(?!00)..00(?!00)..00)/, "utf-16le"],
  [/^(?:feff|00(?!00)..00(?!00)..)/, "utf-16be"],
];

/** The text of a file as UTF-8, which its beginning may show to be UTF-16. @throws FileError when it cannot be read as text */
export async function* textOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  let decode: Decode | undefined;
  for await (const chunk of chunks) {
    if (decode !== undefined) {
      yield decode(chunk);
      continue;
    }
    waiting.push(chunk);
    size += chunk.length;
    if (size < HEAD) continue;
    decode = decoderOf(Buffer.concat(waiting));
    yield* waiting.map(decode);
    waiting = [];
  }
  decode ??= decoderOf(Buffer.concat(waiting));
  yield* waiting.map(decode);
  yield decode();
}

/** Turns a piece of the file into UTF-8, and what is left over at the end. */
type Decode = (chunk?: Uint8Array) => Uint8Array;

/** @throws FileError */
function decoderOf(head: Buffer): Decode {
  const bytes = head.toString("hex");
  const refusal = refusals.find(([beginning]) => beginning.test(bytes));
  if (refusal !== undefined) throw new FileError(refusal[1]);
  const [, label] = encodings.find(([beginning]) => beginning.test(bytes)) ?? [];
  requireLines(new TextDecoder(label).decode(head, { stream: true }));
  if (label === undefined) return (chunk = new Uint8Array()) => chunk;
  const decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true });
  return (chunk) => {
    try {
      return Buffer.from(chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true }));
    } catch {
      throw new FileError("The file is not valid UTF-16. Save it as UTF-8.");
    }
  };
}

/** @throws FileError for the beginning of a text that is markup, or whose lines end in carriage returns alone */
function requireLines(beginning: string): void {
  const text = beginning.trimStart();
  if (/^<(?:\?xml|!doctype|html|table)/i.test(text)) {
    throw new FileError("The file is XML or a web page. Save the table as CSV.");
  }
  const [first = ""] = text.split("\n", 1);
  // In quotes a field may contain them.
  if (!/\r[^\r]/.test(first.replace(/"[^"]*"/g, ""))) return;
  throw new FileError(returnsAlone());
}

/** @throws FileError when lines end in CR alone: the text before the first one `isWhole`, and others follow on the same line */
export function requireLineFeed({ line, bytes }: Source, isWhole: (first: string) => boolean): void {
  const at = bytes.indexOf(CARRIAGE_RETURN);
  if (at === -1 || at >= bytes.length - 1) return;
  const text = Buffer.from(bytes).toString("latin1");
  const end = [...text.matchAll(/"[^"]*"|\r(?=[^\r])/g)].find(([token]) => token === "\r")?.index;
  if (end !== undefined && isWhole(text.slice(0, end))) throw new FileError(returnsAlone(` (line ${line})`));
}

function returnsAlone(where = ""): string {
  return `The line ends are CR alone${where}. Save the file with line ends of LF or CR LF.`;
}

/** Lines that are examined before the first one is passed on: this many bytes, counting at most so many of a line. */
const MOST_HELD = 32 * 1024;
const MOST_OF_LINE = 4 * 1024;

/**
 * Passes on the lines of a file as far as they are text in UTF-8, and `examine`, which gets those that are not blank, finds nothing
 * that refuses the file. What the first 32 KiB show is known before any line. @throws FileError, also when the file ends before the line
 * that comes before `fromLine`
 */
export async function* examined(
  batches: AsyncIterable<Line[]>,
  fromLine: number,
  examine: (line: Line) => void = () => {},
): AsyncGenerator<Line[]> {
  const encoding = new Encoding();
  let last = 0;
  const held: Line[][] = [];
  let size = 0;
  try {
    for await (const lines of batches) {
      for (const line of lines) {
        encoding.add(line);
        if (!isBlank(line)) examine(line);
        last = line.number;
        size += Math.min(line.bytes.length + 1, MOST_OF_LINE);
      }
      held.push(lines);
      if (size < MOST_HELD) continue;
      encoding.requireUtf8();
      for (const waiting of held.splice(0)) {
        yield waiting;
        if (waiting !== lines) await nextTurn();
      }
    }
    encoding.requireUtf8();
    if (last < fromLine - 1) throw new FileError(`The file ends with line ${last}: it has no line ${fromLine}.`);
  } catch (error) {
    if (!(error instanceof InputStopped)) throw error;
    yield* held;
    throw error;
  }
  yield* held;
}

/** Finds out whether a file is UTF-8: then more of its lines with characters beyond ASCII are valid than invalid. */
class Encoding {
  #valid = 0;
  #invalid = 0;
  #first: Line | undefined;

  /** @throws FileError for a line that is not text */
  add(line: Line): void {
    const { number, bytes, isTooLong } = line;
    if (bytes.includes(0)) throw new FileError(`The file is not text: line ${number} has a NUL character.`);
    if (isAscii(bytes)) return;
    // A line that was cut off may end within a character.
    if (isUtf8(bytes) || (isTooLong && [1, 2, 3].some((length) => isUtf8(bytes.subarray(0, -length))))) {
      this.#valid += 1;
      return;
    }
    this.#invalid += 1;
    this.#first ??= line;
  }

  /** @throws FileError */
  requireUtf8(): void {
    if (this.#first === undefined || this.#invalid <= this.#valid) return;
    const { number, bytes } = this.#first;
    // Words of Western languages have characters beyond ASCII one by one.
    const isWestern = !/[\x80-\xff]{3}/.test(Buffer.from(bytes).toString("latin1"));
    const guess = isWestern ? ": it seems to be Latin-1 or Windows-1252" : "";
    throw new FileError(`The file is not UTF-8 (line ${number})${guess}. Save it as UTF-8.`);
  }
}
