import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Row, Sql, Values, Write } from "../sql/sql.ts";
import { read } from "./errors.ts";
import { GroupCommit } from "./group-commit.ts";
import { migrate, type StoreFile, sqlite } from "./migrate.ts";
import { connect, READ_BUSY_TIMEOUT } from "./open.ts";
import { OpenedFile } from "./opened-file.ts";

/** How old the snapshot may be that requests are answered from, in ms. */
const LONGEST_SNAPSHOT = 0.25;
const NONE = -Infinity;
/** How often reads check that the file is in its place, in ms. Every commit does. */
const CHECK_EVERY = 1_000;
/** How long starting blocks while another process migrates, in ms. */
const START_BUSY_TIMEOUT = 10_000;

/**
 * A SQLite file. Reads return at once, writes share commits.
 * Both go through one connection, so that our own writing does not empty the cache that reading has built up.
 */
export class Database implements Sql {
  readonly file: StoreFile;
  readonly #connection: DatabaseSync;
  readonly #opened: OpenedFile;
  readonly #writes: GroupCommit;
  readonly #dataVersion: StatementSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  #changesByOthers = 0;
  /** When the open snapshot was taken (performance.now()). */
  #snapshotAt = NONE;
  /** When reads last found the file in its place (performance.now()). */
  #inPlaceAt = NONE;

  /** Opens the file, creating it when it is missing, and brings its schema up to date. @throws StartupError */
  constructor(file: StoreFile) {
    this.file = file;
    this.#connection = connect(file, START_BUSY_TIMEOUT);
    migrate(this.#connection, file);
    this.#connection.exec(`PRAGMA busy_timeout = ${READ_BUSY_TIMEOUT}`);
    this.#opened = new OpenedFile(file.path);
    this.#writes = new GroupCommit(this.#connection, this.#endSnapshot, () => this.#opened.requireInPlace());
    this.#dataVersion = this.prepare("PRAGMA data_version");
    this.#begin = this.prepare("BEGIN");
    this.#end = this.prepare("COMMIT");
  }

  /** Prepares a statement: one that reads, to be run within `read`, or one that writes, within `write`. */
  prepare(sql: string): StatementSync {
    return this.#connection.prepare(sql);
  }

  /**
   * Runs `work` in a transaction that it shares with other writes, and resolves once that is on the disk.
   * @throws service_unavailable when the file cannot be written: nothing of `work` remains then
   */
  write<T>(work: () => T): Promise<T> {
    return this.#writes.write(work);
  }

  first(text: string, values: Values = {}): Row | undefined {
    return read(() => this.#shared(text).get(values));
  }

  all(text: string, values: Values = {}): Row[] {
    return read(() => this.#shared(text).all(values));
  }

  commit(...writes: Write[]): Promise<boolean> {
    return this.write(() => {
      // Other writes may share the transaction: only these are undone.
      this.#connection.exec("SAVEPOINT writes");
      const isDone = writes.every(({ text, values, mustChange = false }) => {
        const { changes } = this.#shared(text).run(values);
        return changes > 0 || !mustChange;
      });
      this.#connection.exec(isDone ? "RELEASE writes" : "ROLLBACK TO writes; RELEASE writes");
      return isDone;
    });
  }

  /** @throws service_unavailable when the file cannot be read, or is not the one that was opened */
  check(): void {
    this.#inPlaceAt = NONE;
    this.refresh();
  }

  /**
   * Detects changes of the file, by whichever process: `revision` differs then. Requests that arrive in one turn of
   * the event loop are answered from one snapshot, which is a quarter of a millisecond old at most: in a turn that
   * takes long, for whatever reason, a request can come after another process's change.
   * @throws service_unavailable when the file cannot be read, or has not been the one that was opened for a second
   */
  refresh(): void {
    const now = performance.now();
    this.#requireInPlace(now);
    if (now - this.#snapshotAt < LONGEST_SNAPSHOT) return;
    this.#endSnapshot();
    this.#changesByOthers = read(() => {
      this.#begin.run();
      this.#snapshotAt = now;
      return Number(this.#dataVersion.get()?.data_version);
    });
    setImmediate(this.#endSnapshot);
  }

  /** Grows with every change of the file, as of the last refresh: data_version counts those by other connections. */
  get revision(): number {
    return this.#changesByOthers + this.#writes.commits;
  }

  /** Writes what is still waiting, and closes the file. */
  close(): void {
    this.#writes.close();
    this.#endSnapshot();
    this.#connection.close();
  }

  /** Our own commits come after it: an open snapshot would keep the write-ahead log from being emptied. */
  readonly #endSnapshot = (): void => {
    if (this.#snapshotAt === NONE) return;
    this.#snapshotAt = NONE;
    this.#end.run();
  };

  #requireInPlace(now: number): void {
    if (now - this.#inPlaceAt < CHECK_EVERY) return;
    this.#opened.requireInPlace();
    this.#inPlaceAt = now;
  }

  /** Prepares a statement of `Sql`. */
  #shared(text: string): StatementSync {
    const statement = this.prepare(sqlite(text));
    statement.setReadBigInts(true);
    return statement;
  }
}
