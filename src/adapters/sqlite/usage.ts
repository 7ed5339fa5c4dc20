import type { StatementSync } from "node:sqlite";
import { keptFor, lengthOf, type Resolution, resolutions } from "../../domain/usage/resolution.ts";
import type { LatencyRow, UsageRow } from "../../domain/usage/roll-up.ts";
import type { UsageStore, UsageWrite } from "../../domain/usage/store.ts";
import { type Database, read } from "./database.ts";

/** How long a process that wrote nothing more is remembered, in ms: much longer than any write is tried again. */
const WRITERS_KEPT = keptFor.minute;

/** Use in a SQLite file. */
export class SqliteUsage implements UsageStore {
  readonly #database: Database;
  readonly #began: StatementSync;
  readonly #add: StatementSync;
  readonly #addLatency: StatementSync;
  readonly #usage: StatementSync;
  readonly #latency: StatementSync;
  readonly #prunes: ((now: number, most: number) => number)[];

  constructor(database: Database) {
    this.#database = database;
    this.#began = database.prepare(
      `INSERT INTO usage_writers (writer, number, at) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET number = excluded.number, at = excluded.at WHERE number < excluded.number`,
    );
    this.#add = database.prepare(
      `INSERT INTO usage (resolution, at, who, operation, succeeded, refused, limited, failed, bans)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET succeeded = succeeded + excluded.succeeded, refused = refused + excluded.refused,
       limited = limited + excluded.limited, failed = failed + excluded.failed, bans = bans + excluded.bans`,
    );
    this.#addLatency = database.prepare(
      `INSERT INTO usage_latency (resolution, at, bucket, count) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET count = count + excluded.count`,
    );
    // CROSS JOIN has SQLite look up each moment, in this order, instead of walking through everybody's rows.
    this.#usage = database.prepare(
      `SELECT at, operation, succeeded, refused, limited, failed, bans FROM json_each(?) AS moment CROSS JOIN usage
       WHERE resolution = ? AND at = moment.value AND who = ?`,
    );
    this.#latency = database.prepare(
      `SELECT at, bucket, count FROM json_each(?) AS moment CROSS JOIN usage_latency
       WHERE resolution = ? AND at = moment.value`,
    );
    this.#prunes = [
      ...resolutions.flatMap((resolution) => [
        this.#prune("usage", "resolution, at, who, operation", resolution),
        this.#prune("usage_latency", "resolution, at, bucket", resolution),
      ]),
      this.#pruneWriters(),
    ];
  }

  add({ writer, number, at, usage, latency }: UsageWrite): Promise<void> {
    return this.#database.write(() => {
      if (this.#began.run(writer, number, at).changes === 0) return;
      for (const { resolution, at, who, operation, counts } of usage) {
        const [succeeded = 0, refused = 0, limited = 0, failed = 0, bans = 0] = counts;
        this.#add.run(lengthOf[resolution], at, who, operation, succeeded, refused, limited, failed, bans);
      }
      for (const { resolution, at, bucket, count } of latency) {
        this.#addLatency.run(lengthOf[resolution], at, bucket, count);
      }
    });
  }

  usageOf(who: string, resolution: Resolution, moments: readonly number[]): UsageRow[] {
    const rows = read(() => this.#usage.all(JSON.stringify(moments), lengthOf[resolution], who));
    return rows.map(({ at, operation, ...row }) => ({
      resolution,
      at: Number(at),
      who,
      operation: String(operation),
      counts: [row.succeeded, row.refused, row.limited, row.failed, row.bans].map(Number),
    }));
  }

  latency(resolution: Resolution, moments: readonly number[]): LatencyRow[] {
    const rows = read(() => this.#latency.all(JSON.stringify(moments), lengthOf[resolution]));
    return rows.map(({ at, bucket, count }) => ({
      resolution,
      at: Number(at),
      bucket: Number(bucket),
      count: Number(count),
    }));
  }

  prune(now: number, most: number): Promise<number> {
    return this.#database.write(() => this.#prunes.reduce((sum, prune) => sum + prune(now, most), 0));
  }

  #prune(table: string, key: string, resolution: Resolution) {
    const old = this.#database.prepare(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE resolution = ? AND at < ? LIMIT ?)`,
    );
    return (now: number, most: number) =>
      Number(old.run(lengthOf[resolution], now - keptFor[resolution], most).changes);
  }

  #pruneWriters() {
    const old = this.#database.prepare(
      "DELETE FROM usage_writers WHERE writer IN (SELECT writer FROM usage_writers WHERE at < ? LIMIT ?)",
    );
    return (now: number, most: number) => Number(old.run(now - WRITERS_KEPT, most).changes);
  }
}
