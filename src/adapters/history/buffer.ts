import type { AnsweredRequest, Batch, RequestHistoryRecorder, RequestSegments } from "../../domain/requests.ts";
import { BatchWriter } from "./format.ts";

/** In bytes: about 1,000 requests. */
const BATCH_SIZE = 128 * 1024;

/** A segment is deleted as a whole, so it covers little of a day. In ms. */
const SEGMENT_DURATION = 3_600_000;

/** Batches that wait while the store is away. Further requests are not kept. */
const MAX_PENDING = 128;

/** So many batches are written at once, to use their buffers again. Fewer wait for the next call of `write`. */
const FULL = 8;

/** Buffers kept for further batches. */
const MAX_FREE = 8;

/** Collects the requests of this process until they are written to the history. */
export class RequestBuffer implements RequestHistoryRecorder {
  readonly #segments: RequestSegments;
  readonly #writer: string;
  readonly #share: number;
  #batch = new BatchWriter(new ArrayBuffer(BATCH_SIZE));
  /** Of batches that are written. They are used again: Bun counts a buffer as in use until it collects the whole heap. */
  readonly #free: ArrayBuffer[] = [];
  /** The batches that are not written yet, in order. They do not change any more. */
  readonly #pending: Batch[] = [];
  /** The segment that is being written; undefined before the first. */
  #segment: { id: string; length: number; began: number } | undefined;
  #number = 0;
  #writing: Promise<void> | undefined;
  #dropped = 0;

  /**
   * `writer`: eight hexadecimal digits that no other process has. `share`: how many of the requests without an error are kept,
   * from 0 to 1, chosen at random.
   */
  constructor(segments: RequestSegments, writer: string, share = 1) {
    this.#segments = segments;
    this.#writer = writer;
    this.#share = share;
  }

  /** The number of requests that are not in the history because it could not be written. */
  get dropped(): number {
    return this.#dropped;
  }

  record(request: AnsweredRequest): void {
    if (this.#share < 1 && request.status < 400 && Math.random() >= this.#share) return;
    if (!this.#batch.hasRoom) this.#seal();
    this.#batch.add(request);
  }

  /** Writes the requests so far. Full batches are also written before the next call, once they are many. What could not be written is written by the next call. @throws service_unavailable */
  write(): Promise<void> {
    this.#writing ??= this.#writePending().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #writePending(): Promise<void> {
    if (this.#pending.length === 0) this.#seal();
    for (let batch = this.#pending[0]; batch !== undefined; batch = this.#pending[0]) {
      const segment = this.#segmentFor(batch);
      segment.length = await this.#segments.append(segment.id, segment.length, batch);
      this.#pending.shift();
      this.#release(batch);
    }
  }

  #seal(): void {
    if (this.#batch.count === 0) return;
    const batch = this.#batch.take();
    this.#batch = new BatchWriter(this.#free.pop() ?? new ArrayBuffer(BATCH_SIZE));
    if (this.#pending.length < MAX_PENDING) {
      this.#pending.push(batch);
      // Once, also while the store is away: the next call of `write` tries again, and throws what fails.
      if (this.#pending.length === FULL) this.write().catch(() => {});
    } else {
      this.#dropped += batch.count;
      this.#release(batch);
    }
  }

  #release({ bytes }: Batch): void {
    if (this.#free.length < MAX_FREE) this.#free.push(bytes.buffer);
  }

  /** The segment for a batch: the same one when its write is repeated. */
  #segmentFor({ bytes, newest }: Batch) {
    const current = this.#segment;
    if (
      current !== undefined &&
      (current.length === 0 ||
        (current.length + bytes.length <= this.#segments.segmentSize && newest - current.began < SEGMENT_DURATION))
    )
      return current;
    this.#number += 1;
    this.#segment = { id: `${Math.trunc(newest)}-${this.#writer}-${this.#number}`, length: 0, began: newest };
    return this.#segment;
  }
}
