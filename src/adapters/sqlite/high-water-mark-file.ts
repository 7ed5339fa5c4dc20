import {
  closeSync,
  fchownSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { BOOT, type HighWaterMark, lostIds, NO_BOOT } from "./high-water-mark.ts";
import { sync } from "./sync.ts";

const DIGITS = 16;
const BOOT_LENGTH = 36;
const AT_RESERVED = DIGITS + 1 + BOOT_LENGTH + 1;
const MAX_LENGTH = 128;
const FORMAT = /^(\d{16}) (\S+) *(\d{16})\n(?:lost (\d{16}) (\d{16})\n)?$/;

/**
 * The high-water mark of ids: a line of text in a file beside the database, outside of its log. It shows that pets are
 * lost when the log is damaged, which SQLite takes for the end of the log, and keeps their ids from being given again. A
 * second line remembers a loss.
 *
 * `highest` is written after each commit without a sync, in a few µs: the system keeps it when a process ends, however it
 * ends. `reserved` is synced, but only once for thousands of ids. Both are overwritten in place: the file is smaller than
 * a sector of a disk, and other processes that have it open see the change.
 */
export class HighWaterMarkFile implements Disposable {
  readonly path: string;
  readonly #database: string;
  #file: number | undefined;

  /** The mark of a database file that exists. */
  constructor(database: string) {
    // One mark for all links to a database.
    this.#database = realpathSync(database);
    this.path = `${this.#database}.ids`;
  }

  /** Returns undefined when there is no mark, or it is damaged. */
  read(): HighWaterMark | undefined {
    const file = this.#opened();
    if (file === undefined) return undefined;
    const bytes = Buffer.alloc(MAX_LENGTH);
    const length = readSync(file, bytes, 0, MAX_LENGTH, 0);
    const [, highest, boot = "", reserved, from, to] = FORMAT.exec(bytes.toString("latin1", 0, length)) ?? [];
    if (highest === undefined) return undefined;
    const lost = from === undefined ? undefined : { from: Number(from), to: Number(to) };
    return { highest: Number(highest), boot, reserved: Number(reserved), lost };
  }

  /** Reserves the ids up to this one, durably. Creates the mark if there is none. */
  reserve(id: number): void {
    const file = this.#opened();
    if (file === undefined || this.read() === undefined) {
      this.#write({ highest: 0, boot: BOOT, reserved: id, lost: undefined });
      return;
    }
    writeSync(file, `${digits(id)}\n`, AT_RESERVED);
    fdatasyncSync(file);
  }

  /** Records the highest id, unless another process recorded a higher one. The system writes it to the disk some time later. */
  record(highest: number): void {
    const file = this.#opened();
    if (file === undefined) return;
    const mark = this.read();
    if (mark === undefined || mark.boot !== BOOT || mark.highest < highest)
      writeSync(file, unsyncedPart(highest, BOOT), 0);
  }

  /** Remembers, durably, which pets a database lacks that ends at `last`. Afterwards it may record higher ids. */
  rememberLost(last: number): void {
    const mark = this.read();
    if (mark !== undefined && last < mark.highest) this.#write({ ...mark, lost: lostIds(mark, last) });
  }

  /** Records, durably, that no id above the highest one was given. */
  settle(highest: number): void {
    this.#write({ highest, boot: BOOT, reserved: highest, lost: this.read()?.lost });
  }

  /**
   * Marks a database that an operator put in the place of this one, or accepts as it is: what it lacks is not lost, but its
   * ids were given.
   */
  replace(highest: number): void {
    const mark = this.read();
    if (mark === undefined) return;
    this.#write({
      highest,
      boot: NO_BOOT,
      reserved: Math.max(mark.highest, mark.reserved, highest),
      lost: undefined,
    });
  }

  [Symbol.dispose](): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #write({ highest, boot, reserved, lost }: HighWaterMark): void {
    const file = this.#opened() ?? this.#create();
    const loss = lost === undefined ? "" : `lost ${digits(lost.from)} ${digits(lost.to)}\n`;
    const text = `${unsyncedPart(highest, boot)}${digits(reserved)}\n${loss}`;
    writeSync(file, text, 0);
    ftruncateSync(file, text.length);
    fsyncSync(file);
  }

  #opened(): number | undefined {
    this.#file ??= openIfThere(this.path);
    return this.#file;
  }

  #create(): number {
    const file = openSync(this.path, "w+");
    this.#file = file;
    const { uid, gid } = statSync(this.#database);
    try {
      // As SQLite does for its log: a command that root runs leaves a file that the service can write.
      fchownSync(file, uid, gid);
    } catch {
      // Only root may give a file away.
    }
    sync(dirname(this.path));
    return file;
  }
}

function unsyncedPart(highest: number, boot: string): string {
  return `${digits(highest)} ${boot.padEnd(BOOT_LENGTH)} `;
}

function digits(id: number): string {
  return String(id).padStart(DIGITS, "0");
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, "r+");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
