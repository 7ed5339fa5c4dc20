import { setTimeout as pause } from "node:timers/promises";
import type { UsageLog } from "../adapters/memory/usage-log.ts";
import type { Clock } from "../domain/clock.ts";
import type { UsageStore } from "../domain/usage/store.ts";
import type { Log } from "./log.ts";

/** How often use is written down, and how often what is older than is kept is dropped, in ms. A crash may lose 2 s of use. */
const WRITE_EVERY = 2_000;
const PRUNE_EVERY = 60_000;
/** How many rows of a kind are dropped at a time, and how long the store is left to others in between, in ms. */
const PORTION = 500;
const ROOM = 50;

/** Keeps writing down what the log counts, and dropping what is older than is kept, until it is stopped. */
export class UsageWriter {
  readonly #log: UsageLog;
  readonly #store: UsageStore;
  readonly #clock: Clock;
  readonly #operatorsLog: Log;
  readonly #timers = [setInterval(() => this.#flush(), WRITE_EVERY), setInterval(() => this.#prune(), PRUNE_EVERY)];
  #writing: Promise<void> | undefined;
  #pruning: Promise<void> | undefined;
  #isBehind = false;
  #isStopping = false;

  constructor(log: UsageLog, store: UsageStore, clock: Clock, operatorsLog: Log) {
    this.#log = log;
    this.#store = store;
    this.#clock = clock;
    this.#operatorsLog = operatorsLog;
    this.#prune();
  }

  /** Writes what is still to be written, and ends. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all([this.#writing, this.#pruning]);
    await this.#flush();
  }

  #flush(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  /** Writes what was counted until now; what cannot be written now is written next time. */
  async #write(): Promise<void> {
    try {
      await this.#writeTakenOut();
      this.#log.rotate();
      await this.#writeTakenOut();
      this.#isBehind = false;
    } catch (error) {
      if (!this.#isBehind) this.#operatorsLog.warn({ err: error }, "use cannot be written; trying again until it can");
      this.#isBehind = true;
    }
  }

  async #writeTakenOut(): Promise<void> {
    for (let write = this.#log.next(); write !== undefined; write = this.#log.next()) {
      await this.#store.add(write);
      this.#log.written();
    }
  }

  #prune(): void {
    this.#pruning ??= this.#dropOld().finally(() => {
      this.#pruning = undefined;
    });
  }

  /** In small portions: whoever else wants the store waits for one of them at most. */
  async #dropOld(): Promise<void> {
    try {
      while (!this.#isStopping && (await this.#store.prune(this.#clock(), PORTION)) > 0) await pause(ROOM);
    } catch (error) {
      this.#operatorsLog.warn({ err: error }, "old use cannot be dropped; trying again in a minute");
    }
  }
}
