import type { DatabaseCheck } from "../adapters/sqlite/check.ts";
import { isCorrupt, isNotDatabase } from "../adapters/sqlite/errors.ts";
import type { IdRange } from "../adapters/sqlite/ids.ts";
import type { Log } from "./log.ts";

/** Checks the database until it ends or the signal is aborted. */
export type CheckDatabase = (signal: AbortSignal) => Promise<DatabaseCheck>;

/** How long the check after an unclean stop may take, in ms: about 50 million pets in the memory of the system. */
const CHECK_TIMEOUT = 30_000;

const REMEDY = "Stop the service and restore a backup with `petstore database restore`";

/** Reports damage of the database, in the log and to the metrics. The service serves what is intact. */
export class DamageReport implements Disposable {
  /** Whether damage was found. */
  isDamaged = false;
  readonly #log: Log;
  readonly #stopping = new AbortController();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Reports the ids of acknowledged pets that are lost. */
  reportLost(lost: IdRange): void {
    this.isDamaged = true;
    this.#log.error(
      { lost },
      `acknowledged pets are lost; new pets get higher ids. ${REMEDY}, or accept the loss with \`petstore database check --accept-loss\``,
    );
  }

  /** Reports, once, that a read or a write failed because the file is damaged. Ignores other errors. */
  notice(error: unknown): void {
    if (this.isDamaged || !(isCorrupt(error) || isNotDatabase(error))) return;
    this.#reportDamage({ err: error });
  }

  /** Runs the check beside the service, which does not wait for it. */
  async check(checkDatabase: CheckDatabase, timeout = CHECK_TIMEOUT): Promise<void> {
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(timeout)]);
    try {
      const { problems } = await checkDatabase(signal);
      if (problems.length > 0) this.#reportDamage({ problems });
      else if (this.isDamaged) this.#log.info("the last stop was unclean; the check found no other damage");
      else this.#log.info("the last stop was unclean; the database is intact");
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      const reason = signal.aborted ? { seconds: timeout / 1000 } : { err: error };
      this.#log.warn(
        reason,
        "the last stop was unclean, and the check of the database did not end: run `petstore database check`",
      );
    }
  }

  /** Ends the check. */
  [Symbol.dispose](): void {
    this.#stopping.abort();
  }

  #reportDamage(found: object): void {
    this.isDamaged = true;
    this.#log.error(found, `the database is damaged. ${REMEDY}`);
  }
}
