import type { DatabaseSync, StatementSync } from "node:sqlite";
import { messageOf, PetstoreError, unavailable } from "../../domain/errors.ts";
import {
  type Row,
  resultOf,
  type SchemaVersions,
  type Sql,
  type Statement,
  seekByValues,
  type Transaction,
  type TransactionOutcome,
  type Values,
  type Write,
} from "../sql/sql.ts";
import { Checkpoints, SLOW_DISK } from "./checkpoints.ts";
import { IN_MEMORY, read, rollBack } from "./errors.ts";
import { canWrite, OpenedFile, requireMark, SYNCS, sizeWithLog } from "./files.ts";
import { GroupCommit, HANGING, type WriteOptions } from "./group-commit.ts";
import { Ids } from "./ids.ts";
import { currentVersionFor, migrate, type StoreFile, sqlite } from "./migrate.ts";
import { connect, READ_BUSY_TIMEOUT } from "./open.ts";
import { Reserve } from "./reserve.ts";

/**
 * Surrounds a part of a transaction that others share, so that this part can be undone alone. While it is open, SQLite
 * copies each page before its first change. `beforeBegin` runs what must not be undone with it.
 */
function savepointOn(connection: DatabaseSync, beforeBegin: () => void) {
  const begin = connection.prepare("SAVEPOINT part");
  const release = connection.prepare("RELEASE part");
  const rollBack = connection.prepare("ROLLBACK TO part");
  return {
    begin: () => {
      beforeBegin();
      begin.run();
    },
    keep: () => release.run(),
    undo: () => {
      rollBack.run();
      release.run();
    },
  };
}

type Savepoint = ReturnType<typeof savepointOn>;

/**
 * Runs a transaction within a commit that others share. A refusal leaves no trace of it: mostly it has not written yet, and
 * after a tentative statement a savepoint undoes it.
 * @throws a refusal after any other write, which only a rollback of the whole commit can undo
 */
function runTransaction<T>(
  transaction: Transaction<T>,
  run: (statement: Statement) => Row[],
  savepoint: Savepoint,
): TransactionOutcome<T> {
  let state: "read" | "tentative" | "written" = "read";
  try {
    let step = transaction.next([]);
    while (step.done !== true) {
      const statement = step.value;
      if (state === "read" && statement.isTentative === true) {
        savepoint.begin();
        state = "tentative";
      } else if (state === "read" && !statement.text.startsWith("SELECT ")) {
        state = "written";
      }
      step = transaction.next(run(statement));
    }
    if (state === "tentative") savepoint.keep();
    return { result: step.value };
  } catch (refusal) {
    if (!(refusal instanceof PetstoreError) || state === "written") throw refusal;
    if (state === "tentative") savepoint.undo();
    return { refusal };
  }
}

type Reserving = Pick<WriteOptions, "usesReserve">;
type UncachedOptions = Reserving & { onVisible?: (() => void) | undefined };

/** The largest age of the snapshot that requests read, in ms. */
const MAX_SNAPSHOT_AGE = 1;
const NEVER = -Infinity;
/**
 * How often the files are checked to be in their places, in ms: sooner than another service starts. It is also checked before
 * each commit is acknowledged.
 */
const CHECK_EVERY = 50;

/**
 * A SQLite file, or a database in memory. Reads are synchronous, writes share commits. Both use one connection, so that writes do
 * not invalidate SQLite's page cache. In the only process of a service, on a disk that is slow, other threads bring commits to
 * the disk: meanwhile reads have a connection that sees only what is there already. So no request waits for the disk but those
 * that write, and nobody sees what a loss of power takes back.
 */
export class Database implements Sql {
  readonly afterCommit = new Set<() => void>();
  readonly seek = seekByValues;
  readonly file: StoreFile;
  readonly schema: SchemaVersions;
  readonly ids: Ids;
  readonly #connection: DatabaseSync;
  /** Neither in memory, nor where this user may only read the file. */
  readonly #opened: OpenedFile | undefined;
  readonly #reserve: Reserve | undefined;
  readonly #writes: GroupCommit;
  readonly #dataVersion: StatementSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  readonly #savepoint: Savepoint;
  readonly #statements = new Map<string, StatementSync>();
  readonly #checkpoints: Checkpoints | undefined;
  #changesByOthers = 0;
  #ownChanges = 0;
  /** Those of the open transaction. */
  #changes = 0;
  #committing: Commit | undefined;
  /** How often each statement is counted that the open transaction has not run yet. */
  readonly #counted = new Map<StatementSync, number>();
  /** The commits that nobody sees yet, in order: what is read is the snapshot before the first one. */
  readonly #hidden: Commit[] = [];
  readonly #idleReaders: HeldReader[] = [];
  /** Why what was committed may not be on disk, and never will be. */
  #syncFailure: Error | undefined;
  /** The time of the open snapshot (performance.now()). */
  #snapshotAt = NEVER;
  /** When reads last found the file in its place (performance.now()). */
  #inPlaceAt = NEVER;

  /** Opens or creates the database, and brings its schema up to date. @throws StartupError */
  constructor(file: StoreFile, slowDisk = SLOW_DISK) {
    this.file = file;
    this.#connection = connect(file);
    this.schema = { version: migrate(this.#connection, file).to, current: currentVersionFor(file) };
    this.#connection.exec(`PRAGMA busy_timeout = ${READ_BUSY_TIMEOUT}`);
    if (file.path !== IN_MEMORY && canWrite(file.path)) requireMark(file.path);
    this.ids = new Ids(this.#connection, file.path);
    if (file.path !== IN_MEMORY && canWrite(file.path)) {
      this.#opened = new OpenedFile(file.path, file.lock, () => this.ids.markInUse);
      this.#reserve = new Reserve(file.path);
    }
    if (file.isAlone === true && this.#opened !== undefined)
      this.#checkpoints = new Checkpoints(this.#connection, slowDisk);
    this.#writes = new GroupCommit(this.#connection, {
      beforeOrdinary: () => this.#reserve?.require(),
      release: () => {
        this.#reserve?.release();
        this.#emptyLog();
      },
      beforeBegin: () => {
        this.#requireSynced();
        this.#endSnapshot();
        this.#requireInPlace(performance.now());
        this.#changes = 0;
      },
      beforeCommit: (isHidden) => {
        this.#runCounted();
        const lastId = this.ids.reserve();
        const held = isHidden ? this.#hold() : undefined;
        this.#committing = { changes: this.#changes, lastId, held, isShown: false };
      },
      afterCommit: () => {
        if (this.#committing === undefined) return;
        this.#hidden.push(this.#committing);
        this.ids.commit(this.#committing.lastId);
        this.#committing = undefined;
      },
      afterRollback: () => {
        this.#release(this.#committing?.held);
        this.#committing = undefined;
        this.#counted.clear();
      },
      beforeAcknowledging: () => {
        this.#requireSynced();
        const commit = this.#show();
        this.#opened?.requireInPlace();
        if (commit !== undefined) this.ids.record(commit.lastId);
        for (const committed of this.afterCommit) committed();
      },
      ...(this.#checkpoints !== undefined && {
        background: {
          slow: slowDisk.slow,
          syncs: SYNCS,
          beside: slowDisk.beside,
          oneAtATime: slowDisk.oneAtATime,
          sync: () => this.#sync(),
          syncNow: () => this.#syncNow(),
          isLogLong: () => this.#syncFailure === undefined && this.#checkpoints?.isLong() === true,
          restartLog: () => this.#restartLog(),
        },
      }),
    });
    this.#dataVersion = this.prepare("PRAGMA data_version");
    this.#begin = this.prepare("BEGIN");
    this.#end = this.prepare("COMMIT");
    this.#savepoint = savepointOn(this.#connection, () => this.#runCounted());
  }

  /** Prepares a statement that is run within `write`. */
  prepare(sql: string): StatementSync {
    return this.#connection.prepare(compiledOnce(sql));
  }

  /** Prepares a query that is run outside of `write`, and within `read`. `readsBigInts`: integers are bigints. */
  prepareRead(sql: string, readsBigInts = false): Query {
    const statement = this.prepare(sql);
    statement.setReadBigInts(readsBigInts);
    return () => this.#reader?.statement(sql, readsBigInts) ?? statement;
  }

  /**
   * Runs `work` in a transaction that other writes share. Resolves when the transaction is on disk.
   * @throws service_unavailable when the file cannot be written; `work` is rolled back
   */
  write<T>(work: () => T, options: Reserving = {}): Promise<T> {
    return this.#writes.write(() => {
      this.#changes += 1;
      return work();
    }, options);
  }

  /**
   * Within `write`: runs a statement once for all of these calls in a commit, with their number as its parameter, before any other
   * statement of `Sql` runs.
   */
  count(statement: StatementSync): void {
    this.#counted.set(statement, (this.#counted.get(statement) ?? 0) + 1);
  }

  #runCounted(): void {
    if (this.#counted.size === 0) return;
    for (const [statement, number] of this.#counted) statement.run(number);
    this.#counted.clear();
  }

  /** As `write`, for changes of operators, which may use what is reserved on a full disk. */
  readonly withReserve: Sql = {
    afterCommit: this.afterCommit,
    read: (text, values) => this.read(text, values),
    first: (text, values) => this.first(text, values),
    all: (text, values) => this.all(text, values),
    seek: this.seek,
    commit: (...writes) => this.#commit(writes, { usesReserve: true }),
    transaction: (run) => this.#transact(run, { usesReserve: true }),
  };

  /**
   * As `write`, for rows that no cache depends on, such as counters and usage: `revision` stays the same. Another thread always
   * syncs the log. Reads may find the rows before that: `onVisible` is called before any other read.
   */
  async writeUncached<T>(work: () => T, { onVisible, usesReserve = false }: UncachedOptions = {}): Promise<T> {
    const result = await this.#writes.write(work, { isSynced: false, usesReserve });
    onVisible?.();
    // An error of the disk is that of the next commit, which syncs the log itself.
    if (!this.#writes.isBehind) await this.#opened?.syncLog().catch(() => {});
    return result;
  }

  read(text: string, values: Values = {}): Row[] {
    return this.all(text, values);
  }

  first(text: string, values: Values = {}): Row | undefined {
    return read(() => this.#prepareToRead(text).get(values));
  }

  all(text: string, values: Values = {}): Row[] {
    return read(() => this.#prepareToRead(text).all(values));
  }

  /** Runs a query of `Sql` within `write`. */
  rows({ text, values }: Statement): Row[] {
    this.#runCounted();
    return this.#prepareShared(text).all(values);
  }

  /** Runs a statement of `Sql` within `write`. Returns the number of rows that it changed. */
  run({ text, values }: Write): number | bigint {
    this.#runCounted();
    return this.#prepareShared(text).run(values).changes;
  }

  commit(...writes: Write[]): Promise<boolean> {
    return this.#commit(writes);
  }

  #commit(writes: Write[], options?: Reserving): Promise<boolean> {
    return this.write(() => {
      this.#savepoint.begin();
      const haveChanged = writes.every((write) => this.run(write) > 0 || !write.mustChange);
      if (haveChanged) this.#savepoint.keep();
      else this.#savepoint.undo();
      return haveChanged;
    }, options);
  }

  transaction<T>(run: () => Transaction<T>): Promise<T> {
    return this.#transact(run);
  }

  async #transact<T>(run: () => Transaction<T>, options?: Reserving): Promise<T> {
    const outcome = await this.write(() => {
      this.ids.raise();
      return runTransaction(run(), (statement) => this.rows(statement), this.#savepoint);
    }, options);
    return resultOf(outcome);
  }

  /** @throws service_unavailable when the file cannot be read or written to the disk, or is not the one that was opened */
  check(): void {
    this.#requireSynced();
    if (this.#writes.isHanging) throw unavailable(new Error(HANGING));
    this.#inPlaceAt = NEVER;
    this.refresh();
  }

  /**
   * Updates `revision` if any process has changed the file. The requests of one turn of the event loop read one snapshot: they had
   * arrived before the turn began. It is at most a millisecond old, because the last part of a request may arrive during a long
   * turn; while a commit is brought to a slow disk, as old as that takes.
   * @throws service_unavailable when the file cannot be read, or is not the one that was opened
   */
  refresh(): void {
    const now = performance.now();
    this.#requireInPlace(now);
    if (this.#hidden.length > 0) {
      this.#showSynced(read(() => this.#countByOthers()));
      return;
    }
    if (now - this.#snapshotAt < MAX_SNAPSHOT_AGE) return;
    this.#endSnapshot();
    this.#changesByOthers = read(() => {
      this.#begin.run();
      this.#snapshotAt = now;
      return this.#countByOthers();
    });
    setImmediate(this.#endSnapshot);
  }

  #countByOthers(): number {
    return Number(this.#dataVersion.get()?.data_version);
  }

  /** What reads, while there is a commit that is not on the disk. */
  get #reader(): HeldReader | undefined {
    return this.#hidden.find(({ isShown }) => !isShown)?.held?.reader;
  }

  /** Keeps a snapshot of what is committed now. @throws service_unavailable */
  #hold(): Held {
    if (this.#idleReaders.length === 0) this.#opened?.requireInPlace();
    try {
      const reader = this.#idleReaders.pop() ?? new HeldReader(connect(this.file, READ_BUSY_TIMEOUT));
      const held = { reader, changesByOthers: this.#countByOthers() };
      this.#showSynced(held.changesByOthers);
      reader.begin();
      if (this.#reader === undefined) this.#changesByOthers = held.changesByOthers;
      return held;
    } catch (error) {
      throw unavailable(error);
    }
  }

  #release(held: Held | undefined): void {
    if (held === undefined) return;
    held.reader.end();
    this.#idleReaders.push(held.reader);
  }

  /** Lets reads see the first of the hidden commits, and nothing later. */
  #show(): Commit | undefined {
    const commit = this.#hidden.shift();
    this.#release(commit?.held);
    if (commit?.isShown === false) this.#ownChanges += commit.changes;
    return commit;
  }

  /**
   * Lets reads see the hidden commits if another process, such as a command, has committed since: before that became visible, it
   * synced the log with all that was there. So what a command has done is seen at once. `changesByOthers`: as of now.
   */
  #showSynced(changesByOthers: number): void {
    const last = this.#hidden.at(-1)?.held;
    if (last === undefined || changesByOthers === last.changesByOthers || this.#syncFailure !== undefined) return;
    for (const commit of this.#hidden) {
      if (!commit.isShown) this.#ownChanges += commit.changes;
      commit.isShown = true;
    }
    this.#changesByOthers = changesByOthers;
  }

  /** Brings the last commit to the disk, in another thread. If that fails, nobody ever sees it. */
  #sync(): Promise<number | undefined> | undefined {
    if (this.#checkpoints?.hasChanged() !== true) return undefined;
    const synced = this.#opened?.syncCommits().catch((error: unknown) => this.#fail(error));
    this.#checkpoints.copySome();
    return synced;
  }

  #syncNow(): void {
    try {
      this.#opened?.syncLogNow();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Copies a long log to the file, so that the next commit begins it again. */
  async #restartLog(): Promise<void> {
    try {
      // Until the file is on the disk, what is held keeps every process from beginning the log again.
      const held = this.#hold();
      this.#hidden.push({ changes: 0, lastId: 0, held, isShown: false });
      if (this.#checkpoints?.copyAll() === true) await this.#opened?.syncDatabase().catch(this.#fail);
    } catch {
      // The next write reports why.
    } finally {
      this.#show();
    }
  }

  /** The system may have dropped what it could not write, so that another sync would succeed without it: no later one counts. */
  readonly #fail = (error: unknown): undefined => {
    this.#syncFailure ??= new Error(
      `The disk has failed to take what was written to ${this.file.path}: ${messageOf(error)}. Check the disk, and start the service again.`,
    );
  };

  #requireSynced(): void {
    if (this.#syncFailure !== undefined) throw unavailable(this.#syncFailure);
  }

  /** Grows with every change of the file, as of the last refresh, except by `writeUncached`. */
  get revision(): number {
    return this.#changesByOthers + this.#ownChanges;
  }

  /** Grows with every change by another process, as of the last refresh: data_version counts other connections' commits. */
  get changesByOthers(): number {
    return this.#changesByOthers;
  }

  /** The bytes of the database: of the file and its write-ahead log, or of the memory that it takes. */
  size(): number {
    const { path } = this.file;
    if (path !== IN_MEMORY) return sizeWithLog(path);
    const text = "SELECT page_count * page_size AS size FROM pragma_page_count, pragma_page_size";
    return Number(this.first(text)?.size);
  }

  /** Commits the waiting writes, and closes the file. */
  close(): void {
    this.#writes.close();
    try {
      this.#requireSynced();
      this.#opened?.syncDatabaseNow();
    } catch {
      // The end of the process leaves the log, which to close the connections would remove.
      return;
    }
    // A stop while the log is copied.
    while (this.#hidden.length > 0) this.#show();
    const isInPlace = this.#opened?.isInPlace ?? false;
    this.ids.close(isInPlace);
    for (const reader of this.#idleReaders) reader.close();
    this.#connection.close();
    this.#opened?.close();
    if (isInPlace) this.#reserve?.refill();
  }

  /** Copies the log to the file and cuts it off, which gives space to a full disk. */
  #emptyLog(): void {
    try {
      this.#connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // The next write reports why.
    }
  }

  /** Called before each commit: an open snapshot would prevent a checkpoint of the write-ahead log. */
  readonly #endSnapshot = (): void => {
    if (this.#snapshotAt === NEVER) return;
    this.#snapshotAt = NEVER;
    try {
      this.#end.run();
    } catch {
      // The file was overwritten: the next read or write reports it.
      rollBack(this.#connection);
    }
  };

  #requireInPlace(now: number): void {
    if (now - this.#inPlaceAt < CHECK_EVERY) return;
    this.#opened?.requireInPlace();
    this.#inPlaceAt = now;
  }

  /** Also without a `refresh`, as for operators and background tasks, it sees what other processes have done. */
  #prepareToRead(text: string): StatementSync {
    if (this.#hidden.length > 0) this.#showSynced(this.#countByOthers());
    return this.#reader?.statement(sqlite(text), true) ?? this.#prepareShared(text);
  }

  #prepareShared(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = this.prepare(sqlite(text));
    statement.setReadBigInts(true);
    this.#statements.set(text, statement);
    return statement;
  }
}

/** A snapshot, and how many changes by other processes are in it. */
type Held = { reader: HeldReader; changesByOthers: number };
/** `held`: what is read until it is shown. */
type Commit = { changes: number; lastId: number; held: Held | undefined; isShown: boolean };

/** Returns the statement on the connection that reads now. */
export type Query = () => StatementSync;

/** A connection of its own, which keeps a snapshot of the file. Its page cache is empty after each commit of another one. */
class HeldReader {
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #begin: StatementSync;
  readonly #take: StatementSync;

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
    this.#begin = connection.prepare("BEGIN");
    this.#take = connection.prepare("PRAGMA data_version");
  }

  begin(): void {
    this.#begin.run();
    // A read takes the snapshot.
    this.#take.get();
  }

  end(): void {
    rollBack(this.#connection);
  }

  statement(sql: string, readsBigInts: boolean): StatementSync {
    const key = `${readsBigInts} ${sql}`;
    const known = this.#statements.get(key);
    if (known !== undefined) return known;
    const statement = this.#connection.prepare(compiledOnce(sql));
    statement.setReadBigInts(readsBigInts);
    this.#statements.set(key, statement);
    return statement;
  }

  close(): void {
    this.#connection.close();
  }
}

/**
 * The statement in a form that SQLite compiles once. It compiles a statement again in each run with other values if its plan
 * may depend on them (sqlite.org/c3ref/prepare.html), as it may on the limit of a page: that took a third of the time of
 * a page. A unary plus leaves a value as it is, and hides the parameter from the planner.
 */
function compiledOnce(sql: string): string {
  return sql.replace(/'[^']*'|[:?]\w*/g, (token) => (token.startsWith("'") ? token : `+${token}`));
}
