import { crc32 } from "node:zlib";
import { BATCH_HEADER, batchFields, COVERED, MAGIC } from "./layout.ts";

/** A batch in the bytes of a segment: its requests are between `start` and `end`. */
export type StoredBatch = {
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
export function* batchesIn(bytes: Uint8Array): Generator<StoredBatch> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let offset = 0; offset + BATCH_HEADER <= bytes.length; ) {
    const length = view.getUint32(offset + batchFields.length, true);
    if (view.getUint32(offset + batchFields.magic, true) !== MAGIC) return;
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
