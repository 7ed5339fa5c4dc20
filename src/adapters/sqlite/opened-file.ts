import { closeSync, fdatasync, openSync, realpathSync, statSync } from "node:fs";
import { promisify } from "node:util";
import { unavailable } from "../../domain/errors.ts";

const sync = promisify(fdatasync);

/**
 * The files of an open database. SQLite goes on with files that were deleted or replaced, and what it commits to them is
 * lost.
 */
export class OpenedFile {
  readonly #path: string;
  readonly #opened: string[];
  readonly #log: number;

  /** Call it once the database was read: its log exists then, until the database is closed. */
  constructor(path: string) {
    this.#path = path;
    this.#opened = this.#found();
    // By a link SQLite finds the file that it leads to.
    this.#log = openSync(logOf(realpathSync(path)), "r+");
  }

  /** Whether the path leads to the files that are open. Takes about 2 µs. */
  get isInPlace(): boolean {
    const found = this.#found();
    return this.#opened.every((identity, i) => identity === found[i]);
  }

  /** @throws service_unavailable when the path leads to other files than those that are open, or to none */
  requireInPlace(): void {
    if (this.isInPlace) return;
    throw unavailable(
      new Error(
        `${this.#path} or its log was deleted or replaced while it is open: what is written now would be lost. Stop the service, put the files back or restore a backup, and start it again.`,
      ),
    );
  }

  /** Brings to the disk what is in the log. An error of the disk is that of the next commit, which syncs the log itself. */
  async syncLog(): Promise<void> {
    await sync(this.#log).catch(() => {});
  }

  close(): void {
    closeSync(this.#log);
  }

  /** The identity of each file at its path now. */
  #found(): string[] {
    return [this.#path, logOf(this.#path)].map(identityAt);
  }
}

function logOf(path: string): string {
  return `${path}-wal`;
}

function identityAt(path: string): string {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return "none that can be reached";
  }
}
