/**
 * The ad-hoc code signature of a Mach-O executable: hashes of its pages, and no identity. macOS ends a program whose bytes
 * differ from its signature. Formats: <mach-o/loader.h>, and cs_blobs.h of XNU.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const LC_SEGMENT_64 = 0x19;
const LC_CODE_SIGNATURE = 0x1d;
const HEADER_BYTES = 32;
const PAGE_BITS = 12;
const PAGE = 1 << PAGE_BITS;
const HASH_BYTES = 32;
/** What precedes the identifier in a code directory of version 0x20400, and the directory in its blob. */
const DIRECTORY_BYTES = 88;
const SUPERBLOB_BYTES = 20;

const roundedUp = (value: number, unit: number) => Math.ceil(value / unit) * unit;

/** Where an executable's parts are, in bytes: load commands, and the end of the code, where the signature begins. */
function layoutOf(file: Buffer) {
  const segments = new Map<string, number>();
  let signature: number | undefined;
  let at = HEADER_BYTES;
  for (let count = file.readUInt32LE(16); count > 0; count--) {
    const command = file.readUInt32LE(at);
    if (command === LC_CODE_SIGNATURE) signature = at;
    if (command === LC_SEGMENT_64) segments.set(file.toString("latin1", at + 8, at + 24).replace(/\0.*/, ""), at);
    at += file.readUInt32LE(at + 4);
  }
  const text = segments.get("__TEXT");
  const linkedit = segments.get("__LINKEDIT");
  if (signature === undefined || text === undefined || linkedit === undefined)
    throw new Error("This executable has no place for a signature.");
  return { signature, text, linkedit, codeBytes: file.readUInt32LE(signature + 8) };
}

/** Replaces the signature of a 64-bit executable, which is at its end, by an ad-hoc one. @throws when it has none */
export function signAdHoc(path: string, identifier: string): void {
  const file = readFileSync(path);
  const { signature, text, linkedit, codeBytes } = layoutOf(file);
  const pages = Math.ceil(codeBytes / PAGE);
  const name = Buffer.from(`${identifier}\0`);
  const directoryBytes = DIRECTORY_BYTES + name.length + pages * HASH_BYTES;
  const blobBytes = roundedUp(SUPERBLOB_BYTES + directoryBytes, 16);

  // The load commands are part of what is signed.
  file.writeUInt32LE(blobBytes, signature + 12);
  const linkeditBytes = codeBytes + blobBytes - Number(file.readBigUInt64LE(linkedit + 40));
  file.writeBigUInt64LE(BigInt(roundedUp(linkeditBytes, PAGE)), linkedit + 32);
  file.writeBigUInt64LE(BigInt(linkeditBytes), linkedit + 48);

  const blob = Buffer.alloc(blobBytes);
  // One blob, the code directory.
  writeBig(blob, 0, [0xfade0cc0, SUPERBLOB_BYTES + directoryBytes, 1, 0, SUPERBLOB_BYTES]);
  const directory = blob.subarray(SUPERBLOB_BYTES);
  const flags = 0x20002; // ad hoc, and by a linker: codesign may replace it
  const hashesAt = DIRECTORY_BYTES + name.length;
  writeBig(directory, 0, [0xfade0c02, directoryBytes, 0x20400, flags, hashesAt, DIRECTORY_BYTES, 0, pages, codeBytes]);
  directory.set([HASH_BYTES, 2, 0, PAGE_BITS], 36); // 2 is SHA-256
  directory.writeBigUInt64BE(file.readBigUInt64LE(text + 48), 72); // the bytes of the main program's segment,
  directory.writeBigUInt64BE(1n, 80); // which this is
  directory.set(name, DIRECTORY_BYTES);
  for (let page = 0; page < pages; page++) {
    const bytes = file.subarray(page * PAGE, Math.min((page + 1) * PAGE, codeBytes));
    directory.set(createHash("sha256").update(bytes).digest(), hashesAt + page * HASH_BYTES);
  }
  writeFileSync(path, Buffer.concat([file.subarray(0, codeBytes), blob]));
}

function writeBig(into: Buffer, at: number, words: number[]): void {
  for (const [index, word] of words.entries()) into.writeUInt32BE(word, at + index * 4);
}
