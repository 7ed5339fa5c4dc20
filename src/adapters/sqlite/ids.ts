import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { codeOf, messageOf, StartupError, unavailable } from "../../domain/errors.ts";
import { IN_MEMORY, isCorrupt } from "./errors.ts";
import { canWrite, type FileIdentity, giveToOwnerOf, identityAt, markOf, syncFile } from "./files.ts";

/** What the high-water mark says about the ids of a database. */
type HighWaterMark = {
  /** The highest id of an acknowledged pet. */
  highest: number;
  /** The boot of the machine in which `highest` is exact: it is not synced, so that a loss of power may set it back. */
  boot: string;
  /** No id above this one was given. It is synced before an id reaches it. */
  reserved: number;
  /** The ids of acknowledged pets that were found to be lost, until an operator accepts it. */
  lost: IdRange | undefined;
};

/** Ids from the first to the last one, including both. */
export type IdRange = { from: number; to: number };

/** The boot of a mark whose `highest` is not exact: the database was replaced. */
const NO_BOOT = "none";
/** Linux gives each boot a new id. Elsewhere a loss of power looks like the end of a process. */
const BOOT = bootId() ?? "unknown";

/**
 * The ids of pets that were acknowledged and are not there, or were found to be lost before: `last` is the highest id of the
 * database. There may be more after a loss of power. Between two losses there may be pets that are there.
 */
export function lostIds(mark: HighWaterMark | undefined, last: number): IdRange | undefined {
  if (mark === undefined || last >= mark.highest) return mark?.lost;
  return { from: Math.min(last + 1, mark.lost?.from ?? Infinity), to: mark.highest };
}

/** The id above which the next one must be: `last`, unless later ids were given, or may have been. */
function lowerBound(mark: HighWaterMark | undefined, last: number): number {
  if (mark === undefined || (last >= mark.highest && mark.boot === BOOT)) return last;
  return Math.max(last, mark.highest, mark.reserved);
}

function bootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return undefined;
  }
}

const DIGITS = 16;
const BOOT_LENGTH = 36;
const AT_RESERVED = DIGITS + 1 + BOOT_LENGTH + 1;
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
  /** What the path led to when the file was opened. */
  #identity = "";

  /** The mark of a database file that exists. */
  constructor(database: string) {
    // One mark for all links to a database.
    this.#database = realpathSync(database);
    this.path = markOf(database);
  }

  /** Returns undefined when there is no mark, or it is damaged. */
  read(): HighWaterMark | undefined {
    const file = this.#opened();
    if (file === undefined) return undefined;
    const bytes = Buffer.alloc(fstatSync(file).size);
    const length = readSync(file, bytes, { position: 0 });
    const [, highest, boot = "", reserved, from, to] = FORMAT.exec(bytes.toString("latin1", 0, length)) ?? [];
    if (highest === undefined) return undefined;
    const lost = from === undefined ? undefined : { from: Number(from), to: Number(to) };
    return { highest: Number(highest), boot, reserved: Number(reserved), lost };
  }

  /** Whether there is a file that is none of a mark: what it said of lost pets is not known. */
  get isDamaged(): boolean {
    return this.#opened() !== undefined && this.read() === undefined;
  }

  /** Creates the mark of a database whose highest id this is, unless there is a file. */
  create(highest: number): void {
    if (this.#opened() === undefined) this.settle(highest);
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

  /**
   * Remembers, durably, which pets a database lacks that ends at `last`. Afterwards it may record higher ids. Returns whether it
   * lacks any.
   */
  rememberLost(last: number): boolean {
    const mark = this.read();
    if (mark === undefined || last >= mark.highest) return false;
    this.#write({ ...mark, lost: lostIds(mark, last) });
    return true;
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
    if (this.#opened() === undefined) return;
    const mark = this.read();
    this.#write({
      highest,
      boot: NO_BOOT,
      reserved: Math.max(mark?.highest ?? 0, mark?.reserved ?? 0, highest),
      lost: undefined,
    });
  }

  /** The file, once it is open. */
  get inUse(): FileIdentity | undefined {
    return this.#file === undefined ? undefined : { path: this.path, identity: this.#identity };
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
    if (this.#file === undefined) {
      this.#file = openIfThere(this.path, canWrite(this.#database) ? "r+" : "r");
      this.#identity = identityAt(this.path);
    }
    return this.#file;
  }

  #create(): number {
    const file = openSync(this.path, "w+", 0o600);
    this.#file = file;
    this.#identity = identityAt(this.path);
    giveToOwnerOf(this.#database, file);
    syncFile(dirname(this.path));
    return file;
  }
}

function unsyncedPart(highest: number, boot: string): string {
  return `${digits(highest)} ${boot.padEnd(BOOT_LENGTH)} `;
}

function digits(id: number): string {
  return String(id).padStart(DIGITS, "0");
}

function openIfThere(path: string, mode: "r" | "r+"): number | undefined {
  try {
    return openSync(path, mode);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The ids that are reserved at a time. After a loss of power at most so many are skipped. */
const BLOCK = 10_000;

/** The highest id of a pet that a database gave, also if the pet was deleted since. */
export function lastIdIn(database: Pick<DatabaseSync, "prepare">): number {
  const last = database.prepare(
    `SELECT max(coalesce((SELECT max(id) FROM pets), 0),
                coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'pets'), 0)) AS last`,
  );
  return Number(last.get()?.last);
}

/**
 * Has the events of a database that may lack some, which clients have read, go on above all ids that were ever given: the time in µs.
 * Positions in the gap are refused from then on. A backup may be older than the feed.
 */
export function skipEventIds(database: DatabaseSync): void {
  if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'event_gaps'").get() === undefined) return;
  database.exec(`
    INSERT INTO event_gaps SELECT coalesce((SELECT max(id) FROM events), 1), max(seq + 1, CAST(unixepoch('subsec') * 1e6 AS INTEGER))
      FROM sqlite_sequence WHERE name = 'events';
    UPDATE sqlite_sequence SET seq = (SELECT max(before_id) FROM event_gaps) WHERE name = 'events';
  `);
}

/** Keeps the ids of pets increasing, even if the database is damaged or lost, by means of its high-water mark. */
export class Ids {
  readonly #connection: DatabaseSync;
  /** A database in memory has none: it cannot be damaged, and ends with its process. */
  readonly #mark: HighWaterMarkFile | undefined;
  readonly #sequence: StatementSync;
  /** The ids of acknowledged pets that are lost, as of when the database was opened. */
  readonly lost: IdRange | undefined;
  /** Whether pets were added since, so that the next id is above all that were given. */
  #isRaised = false;
  /** Whether the sequence was found where it should be. Then other processes keep it there. */
  #isInOrder = false;
  /** The sequence's last id in the last commit that was acknowledged. */
  #recorded = 0;

  /** `path`: the database file, or IN_MEMORY. @throws StartupError when it or its mark cannot be read */
  constructor(connection: DatabaseSync, path: string) {
    this.#connection = connection;
    this.#mark = path === IN_MEMORY ? undefined : new HighWaterMarkFile(path);
    this.#sequence = connection.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'pets'");
    try {
      // First the mark: another process may be adding pets.
      const mark = this.#mark?.read();
      this.#recorded = this.#sequenceNow();
      this.lost = lostIds(mark, lastIdIn(connection));
    } catch (error) {
      // What is intact can still be read.
      if (isCorrupt(error)) return;
      throw new StartupError(`${path} or ${this.#mark?.path} cannot be read: ${messageOf(error)}.`);
    }
  }

  /** The high-water mark, once it is open. */
  get markInUse(): FileIdentity | undefined {
    return this.#mark?.inUse;
  }

  /**
   * Raises the next id above all that were given, and remembers what is lost below it. Call it within a transaction that may
   * add pets or events.
   */
  raise(): void {
    if (this.#isRaised || this.#isInOrder) return;
    const last = lastIdIn(this.#connection);
    const { isLacking, bound } = onDisk(() => ({
      isLacking: this.#mark?.rememberLost(last) ?? false,
      bound: lowerBound(this.#mark?.read(), last),
    }));
    this.#isInOrder = bound === last;
    if (this.#isInOrder) return;
    if (isLacking) skipEventIds(this.#connection);
    this.#connection.exec(
      `DELETE FROM sqlite_sequence WHERE name = 'pets'; INSERT INTO sqlite_sequence VALUES ('pets', ${bound})`,
    );
  }

  /**
   * Reserves the ids that the open transaction gives, and returns the last one. The database's lock keeps other processes from
   * doing so.
   */
  reserve(): number {
    const last = this.#sequenceNow();
    if (last === this.#recorded) return last;
    onDisk(() => {
      if (last > (this.#mark?.read()?.reserved ?? 0)) this.#mark?.reserve(last + BLOCK);
    });
    return last;
  }

  /** Notes that a transaction with these ids was committed. */
  commit(last: number): void {
    if (last !== this.#recorded) this.#isRaised = true;
  }

  /** Records the ids of a commit that is on the disk. */
  record(last: number): void {
    if (last === this.#recorded) return;
    onDisk(() => this.#mark?.record(last));
    this.#recorded = last;
  }

  /**
   * Gives back what is reserved, so that a restart of the machine skips no ids, and closes the mark. A database that is not
   * `isInPlace` any more has pets that were not acknowledged: it changes no mark.
   */
  close(isInPlace: boolean): void {
    try {
      if (this.#isRaised && isInPlace) this.#settle();
    } finally {
      this.#mark?.[Symbol.dispose]();
    }
  }

  #sequenceNow(): number {
    return Number(this.#sequence.get()?.seq ?? 0);
  }

  #settle(): void {
    try {
      this.#connection.exec("BEGIN IMMEDIATE");
    } catch {
      return; // Another process adds pets: the ids stay reserved.
    }
    try {
      this.#mark?.settle(lastIdIn(this.#connection));
    } catch {
      // The mark stays as it is, which skips ids at worst.
    } finally {
      this.#connection.exec("ROLLBACK");
    }
  }
}

/** @throws service_unavailable for an error of the file system */
function onDisk<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw unavailable(error);
  }
}
