import type { Format } from "../../domain/files.ts";
import { FileError } from "./content.ts";

// What a file is before its format counts: its encoding, and what is no text at all.

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
export async function* textOf(chunks: AsyncIterable<Uint8Array>, format: Format): AsyncGenerator<Uint8Array> {
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
    decode = decoderOf(Buffer.concat(waiting), format);
    yield* waiting.map(decode);
    waiting = [];
  }
  decode ??= decoderOf(Buffer.concat(waiting), format);
  yield* waiting.map(decode);
  yield decode();
}

/** Turns a piece of the file into UTF-8, and what is left over at the end. */
type Decode = (chunk?: Uint8Array) => Uint8Array;

/** @throws FileError */
function decoderOf(head: Buffer, format: Format): Decode {
  const bytes = head.toString("hex");
  const refusal = refusals.find(([beginning]) => beginning.test(bytes));
  if (refusal !== undefined) throw new FileError(refusal[1]);
  const [, label] = encodings.find(([beginning]) => beginning.test(bytes)) ?? [];
  requireLines(new TextDecoder(label).decode(head, { stream: true }));
  if (label === undefined && format !== "ndjson") requireUtf8(head);
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
  throw new FileError("The line ends are CR alone. Save the file with line ends of LF or CR LF.");
}

/** @throws FileError for the beginning of a file that is in another encoding than UTF-8 as a whole */
function requireUtf8(head: Buffer): void {
  // Without the replacement characters that the file itself has, one stands for an invalid byte.
  const own = Buffer.from(head.toString("latin1").replaceAll("\xef\xbf\xbd", ""), "latin1");
  const text = new TextDecoder().decode(own, { stream: true });
  // A file that has other characters beyond ASCII is UTF-8, with an invalid line.
  if (!text.includes("\ufffd") || /[^\p{ASCII}\ufffd]/u.test(text)) return;
  const line = text.slice(0, text.indexOf("\ufffd")).split("\n").length;
  throw new FileError(
    `The file is not UTF-8 (line ${line}): it seems to be Latin-1 or Windows-1252. Save it as UTF-8.`,
  );
}
