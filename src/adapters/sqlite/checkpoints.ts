import type { DatabaseSync, StatementSync } from "node:sqlite";

/**
 * How many ms a sync takes on a slow disk. There, for how many writes there may be another commit that is not on the disk: a reader
 * waits for each commit, and finds the pages of its connection gone. And how many pages of the log are copied to the file at a time,
 * which takes a millisecond at most; and the pages of a log that is long, 64 MB: the first commit of a new log waits for the disk once.
 * And how many times as long as alone a sync beside others takes where the disk carries out one after the other.
 */
export type SlowDisk = { slow: number; beside: number; part: number; long: number; oneAtATime: number };

export const SLOW_DISK: SlowDisk = { slow: 2, beside: 8, part: 250, long: 16_000, oneAtATime: 1.5 };

/**
 * Copies the write-ahead log to the file of the database in parts, without waiting for the disk: what lets the log begin
 * again has to sync the file before. Until then the log, which is on the disk, has all of it.
 */
export class Checkpoints {
  readonly #connection: DatabaseSync;
  readonly #sizes: SlowDisk;
  readonly #state: StatementSync;
  readonly #copy: StatementSync;
  readonly #changes: StatementSync;
  #seenChanges = 0;
  /** The pages of the log when all of it was last copied. */
  #copied = 0;

  constructor(connection: DatabaseSync, sizes: SlowDisk) {
    this.#connection = connection;
    this.#sizes = sizes;
    this.#state = connection.prepare("PRAGMA wal_checkpoint(NOOP)");
    this.#copy = connection.prepare("PRAGMA wal_checkpoint(PASSIVE)");
    this.#changes = connection.prepare("SELECT total_changes() AS changes");
  }

  /** Whether the connection has changed rows since the last call. */
  hasChanged(): boolean {
    const changes = Number(this.#changes.get()?.changes);
    if (changes === this.#seenChanges) return false;
    this.#seenChanges = changes;
    return true;
  }

  /**
   * Copies what readers do not need in the log, if it is much. Call it while the last commit is hidden: what is not on the disk stays
   * in the log, because the snapshot before it is held. Never throws.
   */
  copySome(): void {
    try {
      const { log, checkpointed } = stateOf(this.#state);
      if (log - checkpointed > this.#sizes.part) this.#copyUnsynced();
    } catch {
      // The log has all of it. The next write reports why.
    }
  }

  /** Whether the log has become long since all of it was copied. */
  isLong(): boolean {
    const { log } = stateOf(this.#state);
    if (log < this.#copied) this.#copied = 0;
    return log - this.#copied > this.#sizes.long;
  }

  /** Copies the log. Returns whether all of it is copied now: other processes may still read older pages. */
  copyAll(): boolean {
    const { log, checkpointed } = this.#copyUnsynced();
    if (log === checkpointed) this.#copied = log;
    return log === checkpointed;
  }

  #copyUnsynced(): State {
    this.#connection.exec("PRAGMA synchronous = OFF");
    try {
      return stateOf(this.#copy);
    } finally {
      this.#connection.exec("PRAGMA synchronous = NORMAL");
    }
  }
}

/** The pages of the log, and how many of them are in the file. */
type State = { log: number; checkpointed: number };

function stateOf(statement: StatementSync): State {
  const row = statement.get();
  return { log: Number(row?.log), checkpointed: Number(row?.checkpointed) };
}
