import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Row, Sql, Values, Write } from "../sql/sql.ts";
import { read } from "./errors.ts";
import { GroupCommit } from "./group-commit.ts";
import { migrate } from "./migrate.ts";
import { connect, READ_BUSY_TIMEOUT } from "./open.ts";

/** The largest age of the snapshot that requests read, in ms. */
const MAX_SNAPSHOT_AGE = 0.25;
const NO_SNAPSHOT = -Infinity;
/** How long the start blocks while another process migrates, in ms. */
const START_BUSY_TIMEOUT = 10_000;

/**
 * A SQLite file. Reads are synchronous, writes share commits.
 * Both use one connection, so that writes do not invalidate SQLite's page cache.
 */
export class Database implements Sql {
  readonly path: string;
  readonly #connection: DatabaseSync;
  readonly #writes: GroupCommit;
  readonly #dataVersion: StatementSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  #changesByOthers = 0;
  /** The time of the open snapshot (performance.now()). */
  #snapshotAt = NO_SNAPSHOT;

  /** Opens or creates the file, and brings its schema up to date. @throws StartupError */
  constructor(path: string) {
    this.path = path;
    this.#connection = connect(path, START_BUSY_TIMEOUT);
    migrate(this.#connection, path);
    this.#connection.exec(`PRAGMA busy_timeout = ${READ_BUSY_TIMEOUT}`);
    this.#writes = new GroupCommit(this.#connection, this.#endSnapshot);
    this.#dataVersion = this.prepare("PRAGMA data_version");
    this.#begin = this.prepare("BEGIN");
    this.#end = this.prepare("COMMIT");
  }

  /** Prepares a statement. Run it within `read` if it reads, within `write` if it writes. */
  prepare(sql: string): StatementSync {
    return this.#connection.prepare(sql);
  }

  /**
   * Runs `work` in a transaction that other writes share. Resolves when the transaction is on disk.
   * @throws service_unavailable when the file cannot be written; `work` is rolled back
   */
  write<T>(work: () => T): Promise<T> {
    return this.#writes.write(work);
  }

  first(text: string, values: Values = {}): Row | undefined {
    return read(() => this.#prepareShared(text).get(values));
  }

  all(text: string, values: Values = {}): Row[] {
    return read(() => this.#prepareShared(text).all(values));
  }

  commit(...writes: Write[]): Promise<boolean> {
    return this.write(() => {
      // Other writes may share the transaction: the savepoint rolls back only these.
      this.#connection.exec("SAVEPOINT writes");
      const haveChanged = writes.every(({ text, values, mustChange = false }) => {
        const { changes } = this.#prepareShared(text).run(values);
        return changes > 0 || !mustChange;
      });
      this.#connection.exec(haveChanged ? "RELEASE writes" : "ROLLBACK TO writes; RELEASE writes");
      return haveChanged;
    });
  }

  /**
   * Updates `revision` if any process has changed the file. The requests of one turn of the event loop read one snapshot.
   * It is at most a quarter of a millisecond old, because in a long turn a request may follow another process's change.
   */
  refresh(): void {
    const now = performance.now();
    if (now - this.#snapshotAt < MAX_SNAPSHOT_AGE) return;
    this.#endSnapshot();
    this.#changesByOthers = read(() => {
      this.#begin.run();
      this.#snapshotAt = now;
      return Number(this.#dataVersion.get()?.data_version);
    });
    setImmediate(this.#endSnapshot);
  }

  /** Grows with every change of the file, as of the last refresh. data_version counts changes by other connections. */
  get revision(): number {
    return this.#changesByOthers + this.#writes.commits;
  }

  /** Commits the waiting writes, and closes the file. */
  close(): void {
    this.#writes.close();
    this.#endSnapshot();
    this.#connection.close();
  }

  /** Called before each commit: an open snapshot would prevent a checkpoint of the write-ahead log. */
  readonly #endSnapshot = (): void => {
    if (this.#snapshotAt === NO_SNAPSHOT) return;
    this.#snapshotAt = NO_SNAPSHOT;
    this.#end.run();
  };

  /** Prepares a statement of `Sql` without the schema's name, because a file is one schema. */
  #prepareShared(text: string): StatementSync {
    const statement = this.prepare(text.replaceAll("petstore.", ""));
    statement.setReadBigInts(true);
    return statement;
  }
}
