import type { DatabaseSync, StatementSync } from "node:sqlite";
import { unavailable } from "../../domain/errors.ts";
import { StartupError } from "../../domain/startup-error.ts";
import { isCorrupt, reasonOf } from "./errors.ts";
import { type IdRange, lostIds, lowerBound } from "./high-water-mark.ts";
import { HighWaterMarkFile } from "./high-water-mark-file.ts";
import { IN_MEMORY } from "./in-memory.ts";

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
  /** The sequence's last id in the open transaction, and in the last commit. */
  #last = 0;
  #recorded = 0;

  /** `path`: the database file, or IN_MEMORY. @throws StartupError when it or its mark cannot be read */
  constructor(connection: DatabaseSync, path: string) {
    this.#connection = connection;
    this.#mark = path === IN_MEMORY ? undefined : new HighWaterMarkFile(path);
    this.#sequence = connection.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'pets'");
    try {
      // First the mark: another process may be adding pets.
      const mark = this.#mark?.read();
      this.#last = this.#sequenceNow();
      this.#recorded = this.#last;
      this.lost = lostIds(mark, lastIdIn(connection));
    } catch (error) {
      // What is intact can still be read.
      if (isCorrupt(error)) return;
      throw new StartupError(`${path} or ${this.#mark?.path} cannot be read: ${reasonOf(error)}.`);
    }
  }

  /**
   * Raises the next id above all that were given, and remembers what is lost below it. Call it within a transaction that may
   * add pets.
   */
  raise(): void {
    if (this.#isRaised || this.#isInOrder) return;
    const last = lastIdIn(this.#connection);
    const bound = onDisk(() => {
      this.#mark?.rememberLost(last);
      return lowerBound(this.#mark?.read(), last);
    });
    this.#isInOrder = bound === last;
    if (this.#isInOrder) return;
    this.#connection.exec(
      `DELETE FROM sqlite_sequence WHERE name = 'pets'; INSERT INTO sqlite_sequence VALUES ('pets', ${bound})`,
    );
  }

  /** Reserves the ids that the open transaction gives. The database's lock keeps other processes from doing so. */
  reserve(): void {
    this.#last = this.#sequenceNow();
    if (this.#last === this.#recorded) return;
    onDisk(() => {
      if (this.#last > (this.#mark?.read()?.reserved ?? 0)) this.#mark?.reserve(this.#last + BLOCK);
    });
  }

  /** Records the ids of the transaction that was just committed. */
  record(): void {
    if (this.#last === this.#recorded) return;
    onDisk(() => this.#mark?.record(this.#last));
    this.#recorded = this.#last;
    this.#isRaised = true;
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
