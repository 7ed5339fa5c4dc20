import {
  closeSync,
  fchownSync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

/** What the mark says about the ids of a database. */
export type Mark = {
  /** The highest id of an acknowledged pet. */
  highest: number;
  /** The boot of the machine in which `highest` is exact: it is not synced, so that a loss of power may set it back. */
  boot: string;
  /** No id above this one was given. It is synced before an id reaches it. */
  reserved: number;
};

/** Ids from the first to the last one, including both. */
export type IdRange = { from: number; to: number };

const DIGITS = 16;
const BOOT_LENGTH = 36;
const AT_RESERVED = DIGITS + 1 + BOOT_LENGTH + 1;
const LENGTH = AT_RESERVED + DIGITS + 1;
const FORMAT = /^(\d{16}) (\S+) *(\d{16})\n$/;

/** The boot of a mark whose `highest` is not exact: the database was replaced. */
const NO_BOOT = "none";
/** Linux gives each boot a new id. Elsewhere a loss of power looks like the end of a process. */
const BOOT = bootId() ?? "unknown";

/**
 * The high-water mark of ids: a line of text in a file beside the database, outside of its log. It shows that pets are
 * lost when the log is damaged, which SQLite takes for the end of the log, and keeps their ids from being given again.
 *
 * `highest` is written after each commit without a sync, which takes about 2 µs: the system keeps it when a process ends,
 * however it ends. `reserved` is synced, but only once for thousands of ids. Each is overwritten in place: the file is
 * smaller than a sector of a disk, and another process that has it open sees the change.
 */
export class IdMark {
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
  read(): Mark | undefined {
    const file = this.#opened();
    if (file === undefined) return undefined;
    const bytes = Buffer.alloc(LENGTH);
    readSync(file, bytes, 0, LENGTH, 0);
    const [, highest, boot = "", reserved] = FORMAT.exec(bytes.toString("latin1")) ?? [];
    return highest === undefined ? undefined : { highest: Number(highest), boot, reserved: Number(reserved) };
  }

  /** Reserves the ids up to this one, durably. Creates the mark if there is none. */
  reserve(id: number): void {
    const file = this.#opened();
    if (file === undefined || this.read() === undefined) {
      this.#write({ highest: 0, boot: BOOT, reserved: id });
      return;
    }
    writeSync(file, `${digits(id)}\n`, AT_RESERVED);
    fdatasyncSync(file);
  }

  /** Records the highest id. The system writes it to the disk some time later. */
  record(highest: number): void {
    const file = this.#opened();
    if (file !== undefined) writeSync(file, textOf(highest, BOOT), 0);
  }

  /** Records, durably, that no id above the highest one was given. */
  settle(highest: number): void {
    this.#write({ highest, boot: BOOT, reserved: highest });
  }

  /** Marks another database, which took the place of this one: what it lacks is not lost, but its ids were given. */
  replace(highest: number): void {
    const mark = this.read();
    if (mark === undefined) return;
    this.#write({ highest, boot: NO_BOOT, reserved: Math.max(mark.highest, mark.reserved, highest) });
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #write({ highest, boot, reserved }: Mark): void {
    const file = this.#opened() ?? this.#create();
    writeSync(file, `${textOf(highest, boot)}${digits(reserved)}\n`, 0);
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
    syncDirectory(dirname(this.path));
    return file;
  }
}

/** Marks a database that took the place of another one; see `IdMark.replace`. */
export function replaceMark(database: string, highest: number): void {
  const mark = new IdMark(database);
  try {
    mark.replace(highest);
  } finally {
    mark.close();
  }
}

/**
 * The range of ids of pets that were acknowledged and are not there: `last` is the highest id of the database. There may
 * be more, after a loss of power.
 */
export function lostIds(mark: Mark | undefined, last: number): IdRange | undefined {
  return mark !== undefined && last < mark.highest ? { from: last + 1, to: mark.highest } : undefined;
}

/** The id above which the next one must be: `last`, unless later ids were given, or may have been. */
export function lowerBound(mark: Mark | undefined, last: number): number {
  if (mark === undefined || (last >= mark.highest && mark.boot === BOOT)) return last;
  return Math.max(last, mark.highest, mark.reserved);
}

function textOf(highest: number, boot: string): string {
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

function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

function bootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return undefined;
  }
}
