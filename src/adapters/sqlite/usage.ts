import type { StatementSync } from "node:sqlite";
import { lengthOf, type Resolution, resolutions, retention } from "../../domain/usage/resolution.ts";
import type { LatencyRow, UsageRow } from "../../domain/usage/roll-up.ts";
import type { UsageStore, UsageWrite } from "../../domain/usage/store.ts";
import { latencyRowOf, usageRowOf } from "../sql/usage-rows.ts";
import type { Database } from "./database.ts";
import { read } from "./errors.ts";

/** How long the number of a process's last write is kept, in ms: much longer than a write is retried. */
const WRITER_RETENTION = retention.minute;

/** Usage in a SQLite file. */
export class SqliteUsage implements UsageStore {
  readonly #database: Database;
  readonly #registerWrite: StatementSync;
  readonly #add: StatementSync;
  readonly #addLatency: StatementSync;
  readonly #usage: StatementSync;
  readonly #latency: StatementSync;
  readonly #prunes: ((now: number, limit: number) => number)[];

  constructor(database: Database) {
    this.#database = database;
    this.#registerWrite = database.prepare(
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
    this.#usage = database.prepare(
      `SELECT at, operation, succeeded, refused, limited, failed, bans FROM usage
       WHERE resolution = ? AND at = ? AND who = ?`,
    );
    // CROSS JOIN fixes the join order: SQLite looks up each start instead of scanning all rows.
    this.#latency = database.prepare(
      `SELECT at, bucket, count FROM json_each(?) AS start CROSS JOIN usage_latency
       WHERE resolution = ? AND at = start.value`,
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
    return this.#database.writeUncached(() => {
      if (this.#registerWrite.run(writer, number, at).changes === 0) return;
      for (const { resolution, at, who, operation, counts } of usage) {
        const [succeeded = 0, refused = 0, limited = 0, failed = 0, bans = 0] = counts;
        this.#add.run(lengthOf[resolution], at, who, operation, succeeded, refused, limited, failed, bans);
      }
      for (const { resolution, at, bucket, count } of latency) {
        this.#addLatency.run(lengthOf[resolution], at, bucket, count);
      }
    });
  }

  usageOf(who: string, resolution: Resolution, starts: readonly number[]): UsageRow[] {
    // One look-up for each start: joined with the list of starts, a single one would take six times as long.
    const rows = read(() => starts.flatMap((start) => this.#usage.all(lengthOf[resolution], start, who)));
    return rows.map((row) => usageRowOf(row, who, resolution));
  }

  latency(resolution: Resolution, starts: readonly number[]): LatencyRow[] {
    const rows = read(() => this.#latency.all(JSON.stringify(starts), lengthOf[resolution]));
    return rows.map((row) => latencyRowOf(row, resolution));
  }

  prune(now: number, limit: number): Promise<number> {
    return this.#database.writeUncached(() => this.#prunes.reduce((sum, prune) => sum + prune(now, limit), 0));
  }

  #prune(table: string, key: string, resolution: Resolution) {
    const old = this.#database.prepare(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE resolution = ? AND at < ? LIMIT ?)`,
    );
    return (now: number, limit: number) =>
      Number(old.run(lengthOf[resolution], now - retention[resolution], limit).changes);
  }

  #pruneWriters() {
    const old = this.#database.prepare(
      "DELETE FROM usage_writers WHERE writer IN (SELECT writer FROM usage_writers WHERE at < ? LIMIT ?)",
    );
    return (now: number, limit: number) => Number(old.run(now - WRITER_RETENTION, limit).changes);
  }
}
