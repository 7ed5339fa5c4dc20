import type { Batch } from "./batch-writer.ts";
import { batchesIn } from "./batches.ts";

/** What is known of a segment without its bytes: the number of its requests, and the times of the oldest and newest (Unix ms). */
export type SegmentSummary = { id: string; count: number; oldest: number; newest: number };

/** The form of a segment's id: when it began, the process that writes it, and its number there. */
export const SEGMENT_ID = /^\d{1,16}-[0-9a-f]{8}-\d{1,10}$/;

/**
 * Stores the segments of the request history. Each is written by one process, which appends batches to it. It is a log: a
 * crash loses the batches that the system or the server had not written, and damage costs requests, nothing else.
 * Every method throws service_unavailable when the store cannot be reached.
 */
export interface RequestSegments {
  /** The size of a segment, in bytes: a batch that would make it longer begins another one. */
  readonly segmentSize: number;
  /**
   * Appends a batch to the segment, which is `length` bytes long; creates the segment if it is missing. Returns its new
   * length. A repeated call after a failed one appends the batch once. After a successful one the bytes become another batch's.
   */
  append(id: string, length: number, batch: Batch): Promise<number>;
  /** All segments, unordered. */
  list(): Promise<SegmentSummary[]>;
  /** The bytes of a segment; undefined if it is missing. */
  read(id: string): Promise<Uint8Array | undefined>;
  /** Deletes segments. Those that are missing are no error. */
  delete(ids: readonly string[]): Promise<void>;
}

/** The summary of a segment with these bytes. */
export function summaryOf(id: string, bytes: Uint8Array): SegmentSummary {
  const summary = { id, count: 0, oldest: Infinity, newest: -Infinity };
  for (const { count, oldest, newest } of batchesIn(bytes)) {
    summary.count += count;
    summary.oldest = Math.min(summary.oldest, oldest);
    summary.newest = Math.max(summary.newest, newest);
  }
  return summary;
}
