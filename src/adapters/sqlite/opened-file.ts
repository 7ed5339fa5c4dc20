import { closeSync, fdatasync, openSync, statSync } from "node:fs";
import { promisify } from "node:util";
import { unavailable } from "../../domain/errors.ts";
import { indexOf, logOf } from "./log-files.ts";
import { openError } from "./open-error.ts";

const sync = promisify(fdatasync);

/**
 * The files of an open database: itself, its log, and the index of the log, by which processes see each other's commits.
 * SQLite goes on with files that were deleted or replaced, and what it commits to them is lost.
 */
export class OpenedFile {
  readonly #files: { path: string; identity: string }[];
  readonly #index: string;
  readonly #log: number;

  /**
   * Call it once the database was read: its log and its index exist then, until the database is closed.
   * @throws StartupError when this user may not write the log
   */
  constructor(path: string) {
    try {
      const log = logOf(path);
      this.#index = indexOf(path);
      this.#files = [path, log, this.#index].map((file) => ({ path: file, identity: identityAt(file) }));
      this.#log = openSync(log, "r+");
    } catch (error) {
      throw openError(path, error);
    }
  }

  /** Whether the paths lead to the files that are open. Takes about 3 µs. */
  get isInPlace(): boolean {
    return this.#missing === undefined;
  }

  /** @throws service_unavailable when a path leads to another file than the one that is open, or to none */
  requireInPlace(): void {
    const missing = this.#missing;
    if (missing === undefined) return;
    const remedy =
      missing === this.#index ? "Stop the service" : "Stop the service, put the file back or restore a backup";
    throw unavailable(
      new Error(
        `${missing} was deleted or replaced while it is open: what is written now would be lost. ${remedy}, and start it again.`,
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

  /** The path of the first file that is not in its place. */
  get #missing(): string | undefined {
    return this.#files.find(({ path, identity }) => identityAt(path) !== identity)?.path;
  }
}

function identityAt(path: string): string {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return "none that can be reached";
  }
}
