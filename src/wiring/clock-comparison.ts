import { unavailable } from "../domain/errors.ts";
import { type Clock, differenceOf } from "../domain/time.ts";
import type { Limiting } from "./limiting.ts";
import type { Log } from "./log.ts";
import type { Stores } from "./stores.ts";

/** The clocks of servers (Unix ms), by the server's name. */
export type ServerClocks = Record<string, () => Promise<number>>;

/** Differences between clocks from which a node warns, and from which it is not ready, in ms. */
const MAX_UNNOTICED = 2_000;
const MAX_READY = 30_000;

/** The clocks of PostgreSQL and Redis, as far as they are used. */
export function clocksOf(stores: Pick<Stores, "now">, limiting: Pick<Limiting, "now">): ServerClocks {
  return { ...(stores.now && { PostgreSQL: stores.now }), ...(limiting.now && { Redis: limiting.now }) };
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
