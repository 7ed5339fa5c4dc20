import { closeSync, constants, fstatSync, ftruncateSync, mkdirSync, openSync, writeSync } from "node:fs";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { codeOf, unavailable } from "../../domain/errors.ts";
import { type Batch, type RequestSegments, SEGMENT_ID, type SegmentSummary } from "../../domain/requests.ts";
import { summaryOf } from "./format.ts";

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

/** Without truncating what is there. */
const WRITE = constants.O_RDWR | constants.O_CREAT;
/** What the system says where there is no directory: the history is empty then. */
const ABSENT = ["ENOENT", "ENOTDIR"];

/**
 * The request history beside a SQLite database: a directory with a file for each segment, so that processes which serve the
 * same database, and commands, need no lock between them. Nothing is synced.
 */
export class RequestFiles implements RequestSegments {
  /** To create a file takes three times as long as to write a batch to it. A search reads one without a pause. */
  readonly segmentSize = 512 * 1024;
  readonly #directory: string;
  /** The summaries of the files, with their sizes. */
  readonly #known = new Map<string, SegmentSummary & { size: number }>();

  /** `database`: the path of its file. */
  constructor(database: string) {
    this.#directory = `${database}.requests`;
  }

  /** Not asynchronous: a write to the cache of the system takes less than what six waits for it would. */
  async append(id: string, length: number, batch: Batch): Promise<number> {
    const { bytes } = batch;
    try {
      const file = this.#open(id);
      try {
        const { size } = fstatSync(file);
        // A file that is shorter was deleted meanwhile, and begins anew.
        const start = size < length ? 0 : length;
        if (size > start) ftruncateSync(file, start);
        const written = writeSync(file, bytes, 0, bytes.length, start);
        if (written < bytes.length) throw new Error(`The system wrote ${written} of ${bytes.length} bytes.`);
        this.#appended(id, start, batch);
        return start + bytes.length;
      } finally {
        closeSync(file);
      }
    } catch (error) {
      throw unavailable(error);
    } finally {
      // Requests are answered between two batches.
      await nextTurn();
    }
  }

  async list(): Promise<SegmentSummary[]> {
    const ids = (await this.#names()).filter((name) => SEGMENT_ID.test(name));
    const present = new Set(ids);
    for (const id of this.#known.keys()) if (!present.has(id)) this.#known.delete(id);
    const summaries: SegmentSummary[] = [];
    for (const id of ids) summaries.push(await this.#summaryOf(id));
    return summaries;
  }

  /** A file that cannot be read is one whose requests are lost. */
  read(id: string): Promise<Uint8Array | undefined> {
    return readFile(this.#pathOf(id)).catch(() => undefined);
  }

  async delete(ids: readonly string[]): Promise<void> {
    try {
      for (const id of ids) await rm(this.#pathOf(id), { force: true });
    } catch (error) {
      throw unavailable(error);
    }
  }

  async #names(): Promise<string[]> {
    try {
      return await readdir(this.#directory);
    } catch (error) {
      if (ABSENT.includes(String(codeOf(error)))) return [];
      throw unavailable(error);
    }
  }

  /** Reads a file only if its size has changed: only its end ever does. */
  async #summaryOf(id: string): Promise<SegmentSummary> {
    const size = await stat(this.#pathOf(id)).then(
      (found) => found.size,
      () => 0,
    );
    const known = this.#known.get(id);
    if (known?.size === size) return known;
    const summary = { ...summaryOf(id, (await this.read(id)) ?? new Uint8Array()), size };
    this.#known.set(id, summary);
    return summary;
  }

  /** Knows what it writes, so that it need not read it. */
  #appended(id: string, start: number, { bytes, count, oldest, newest }: Batch): void {
    const before = start === 0 ? undefined : this.#known.get(id);
    if (start > 0 && before?.size !== start) return;
    this.#known.set(id, {
      id,
      size: start + bytes.length,
      count: count + (before?.count ?? 0),
      oldest: Math.min(oldest, before?.oldest ?? Infinity),
      newest: Math.max(newest, before?.newest ?? -Infinity),
    });
  }

  #open(id: string): number {
    try {
      return openSync(this.#pathOf(id), WRITE, 0o600);
    } catch {
      // The first write, or somebody has deleted the directory.
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      return openSync(this.#pathOf(id), WRITE, 0o600);
    }
  }

  #pathOf(id: string): string {
    return join(this.#directory, id);
  }
}
