import type { DatabaseCheck } from "../adapters/sqlite/check.ts";
import { isCorrupt, isNotDatabase } from "../adapters/sqlite/errors.ts";
import type { IdRange } from "../adapters/sqlite/ids.ts";
import { unavailable } from "../domain/errors.ts";
import type { LimitBackend, LimitServer } from "../domain/limits/limiter.ts";
import { type Clock, differenceOf } from "../domain/time.ts";
import type { Log } from "./log.ts";
import type { Stores } from "./stores.ts";

/** The clocks of servers (Unix ms), by the server's name. */
export type ServerClocks = Record<string, () => Promise<number>>;

/** Differences between clocks from which a node warns, and from which it is not ready, in ms. */
const MAX_UNNOTICED = 2_000;
const MAX_READY = 30_000;

/** The clocks of PostgreSQL and Redis, as far as they are used. */
export function clocksOf(stores: Pick<Stores, "now">, { server }: Pick<LimitBackend, "server">): ServerClocks {
  return { ...(stores.now && { PostgreSQL: stores.now }), ...(server && { Redis: () => server.now() }) };
}

type Assessment = "agreeing" | "differing" | "wrong";

/**
 * Compares the clock of this process with those of the servers that nodes share. Keys, usage and bans refer to the clocks of
 * different nodes: they must agree.
 */
export class ClockComparison {
  readonly #servers: ServerClocks;
  readonly #clock: Clock;
  readonly #log: Log;
  #assessment: Assessment = "agreeing";
  /** How far this clock is ahead of the server's from which it differs most, in ms. */
  #difference = 0;

  constructor(servers: ServerClocks, clock: Clock, log: Log) {
    this.#servers = servers;
    this.#clock = clock;
    this.#log = log;
  }

  /** The same in seconds. */
  get seconds(): number {
    return this.#difference / 1_000;
  }

  /** Compares all clocks, and logs when the assessment changes. @throws the error of a server that does not answer */
  async compare(): Promise<void> {
    const differences = await Promise.all(Object.values(this.#servers).map((read) => this.#differenceTo(read)));
    this.#difference = differences.toSorted((a, b) => Math.abs(b) - Math.abs(a))[0] ?? 0;
    const assessment = assessmentOf(this.#difference);
    if (assessment === this.#assessment) return;
    this.#assessment = assessment;
    const details = { seconds: this.seconds, servers: Object.keys(this.#servers) };
    if (assessment === "wrong") this.#log.error(details, "this node's clock is wrong: it is not ready");
    else if (assessment === "differing") this.#log.warn(details, "this node's clock differs from the servers'");
    else this.#log.info(details, "this node's clock agrees with the servers' again");
  }

  /** @throws service_unavailable when the clock differs by more than 30 s */
  requireAgreement(): void {
    if (this.#assessment === "wrong")
      throw unavailable(new Error(`this node's clock is ${this.seconds} s ahead of the servers'`));
  }

  async #differenceTo(read: () => Promise<number>): Promise<number> {
    const before = this.#clock();
    const reading = await read();
    return differenceOf(reading, before, this.#clock());
  }
}

function assessmentOf(difference: number): Assessment {
  if (Math.abs(difference) > MAX_READY) return "wrong";
  return Math.abs(difference) > MAX_UNNOTICED ? "differing" : "agreeing";
}

/** Logs whenever the server of the limits may, or may no longer, evict counts. Returns what checks it anew. */
export function evictionCheck(server: LimitServer, log: Log): () => Promise<void> {
  let logged: string | undefined;
  return async () => {
    await server.checkEviction();
    const { eviction } = server;
    if (eviction === logged) return;
    logged = eviction;
    if (eviction === undefined) log.info("Redis evicts no counts of limits any more");
    else log.warn({ eviction }, "Redis may evict counts of limits: set its maxmemory-policy to noeviction");
  };
}

/** Checks the database until it ends or the signal is aborted. */
export type CheckDatabase = (signal: AbortSignal) => Promise<DatabaseCheck>;

/** How long the check after an unclean stop may take, in ms: about 50 million pets in the memory of the system. */
const CHECK_TIMEOUT = 30_000;

const REMEDY = "Stop the service and restore a backup with `petstore database restore`";

/** Reports damage of the database, in the log and to the metrics. The service serves what is intact. */
export class DamageReport implements Disposable {
  isDamaged = false;
  readonly #log: Log;
  readonly #stopping = new AbortController();

  constructor(log: Log) {
    this.#log = log;
  }

  reportLost(lost: IdRange): void {
    this.isDamaged = true;
    this.#log.error(
      { lost },
      `acknowledged pets are lost; new pets get higher ids. ${REMEDY}, or accept the loss with \`petstore database check --accept-loss\``,
    );
  }

  /** Reports that the file at this path, which shows whether pets are lost, cannot be read. */
  reportDamagedMark(path: string): void {
    this.isDamaged = true;
    this.#log.error(
      `${path} is damaged: whether acknowledged pets are lost is not known. ${REMEDY}, or accept that with \`petstore database check --accept-loss\``,
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

  [Symbol.dispose](): void {
    this.#stopping.abort();
  }

  #reportDamage(found: object): void {
    this.isDamaged = true;
    this.#log.error(found, `the database is damaged. ${REMEDY}`);
  }
}
