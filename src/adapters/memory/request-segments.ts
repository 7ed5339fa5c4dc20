import type { Batch } from "../../domain/requests/batch-writer.ts";
import { type RequestSegments, type SegmentSummary, summaryOf } from "../../domain/requests/segment.ts";

/** The request history of a database in memory. */
export class MemoryRequestSegments implements RequestSegments {
  /** An append copies the whole segment. */
  readonly segmentSize = 128 * 1024;
  readonly #segments = new Map<string, { summary: SegmentSummary; bytes: Uint8Array }>();

  async append(id: string, length: number, { bytes }: Batch): Promise<number> {
    const before = this.#segments.get(id)?.bytes.subarray(0, length) ?? new Uint8Array();
    const after = new Uint8Array(before.length + bytes.length);
    after.set(before);
    after.set(bytes, before.length);
    this.#segments.set(id, { summary: summaryOf(id, after), bytes: after });
    return after.length;
  }

  async list(): Promise<SegmentSummary[]> {
    return [...this.#segments.values()].map(({ summary }) => summary);
  }

  async read(id: string): Promise<Uint8Array | undefined> {
    return this.#segments.get(id)?.bytes;
  }

  async delete(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#segments.delete(id);
  }
}
