import { keptFor, lengthOf, type Resolution, resolutions } from "../../domain/usage/resolution.ts";
import type { LatencyRow, UsageRow } from "../../domain/usage/roll-up.ts";
import type { UsageStore, UsageWrite } from "../../domain/usage/store.ts";
import type { Database, Statement } from "./database.ts";

/** How long a process that wrote nothing more is remembered, in ms: much longer than any write is tried again. */
const WRITERS_KEPT = keptFor.minute;

/** One statement: all of it is added or nothing, and nothing where this write was added before. */
const ADD: Statement = {
  name: "petstore_add_usage",
  text: `WITH begun AS (
           INSERT INTO petstore.usage_writers AS known (writer, number, at) VALUES ($1, $2, $3)
           ON CONFLICT (writer) DO UPDATE SET number = excluded.number, at = excluded.at
           WHERE known.number < excluded.number RETURNING writer
         ), timed AS (
           INSERT INTO petstore.usage_latency AS known (resolution, at, bucket, count)
           SELECT more.* FROM begun, unnest($4::int[], $5::bigint[], $6::int[], $7::bigint[]) AS more
           ON CONFLICT (resolution, at, bucket) DO UPDATE SET count = known.count + excluded.count
         )
         INSERT INTO petstore.usage AS known (resolution, at, who, operation, succeeded, refused, limited, failed, bans)
         SELECT more.* FROM begun, unnest($8::int[], $9::bigint[], $10::text[], $11::text[],
           $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[]) AS more
         ON CONFLICT (resolution, at, who, operation) DO UPDATE SET succeeded = known.succeeded + excluded.succeeded,
         refused = known.refused + excluded.refused, limited = known.limited + excluded.limited,
         failed = known.failed + excluded.failed, bans = known.bans + excluded.bans`,
};
const USAGE: Statement = {
  name: "petstore_usage",
  text: `SELECT at, operation, succeeded, refused, limited, failed, bans FROM petstore.usage
         WHERE resolution = $1 AND at = ANY($2::bigint[]) AND who = $3`,
};
const LATENCY: Statement = {
  name: "petstore_usage_latency",
  text: "SELECT at, bucket, count FROM petstore.usage_latency WHERE resolution = $1 AND at = ANY($2::bigint[])",
};
const PRUNE = pruning("usage", "resolution, at, who, operation", "resolution = $3 AND");
const PRUNE_LATENCY = pruning("usage_latency", "resolution, at, bucket", "resolution = $3 AND");
const PRUNE_WRITERS = pruning("usage_writers", "writer", "");

function pruning(table: string, key: string, condition: string): Statement {
  return {
    name: `petstore_prune_${table}`,
    text: `WITH gone AS (
             DELETE FROM petstore.${table}
             WHERE (${key}) IN (SELECT ${key} FROM petstore.${table} WHERE ${condition} at < $1 LIMIT $2) RETURNING 1
           )
           SELECT count(*) AS count FROM gone`,
  };
}

/** Use in PostgreSQL. All nodes add to the same rows, and in the same order, so that they only wait for each other. */
export class PostgresUsage implements UsageStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add({ writer, number, at, usage, latency }: UsageWrite): Promise<void> {
    const counts = (column: number) => usage.map(({ counts }) => counts[column] ?? 0);
    await this.#database.query(ADD, [
      writer,
      number,
      at,
      latency.map(({ resolution }) => lengthOf[resolution]),
      latency.map(({ at }) => at),
      latency.map(({ bucket }) => bucket),
      latency.map(({ count }) => count),
      usage.map(({ resolution }) => lengthOf[resolution]),
      usage.map(({ at }) => at),
      usage.map(({ who }) => who),
      usage.map(({ operation }) => operation),
      ...[0, 1, 2, 3, 4].map(counts),
    ]);
  }

  async usageOf(who: string, resolution: Resolution, moments: readonly number[]): Promise<UsageRow[]> {
    const rows = await this.#database.query(USAGE, [lengthOf[resolution], moments, who]);
    return rows.map(({ at, operation, ...row }) => ({
      resolution,
      at: Number(at),
      who,
      operation: String(operation),
      counts: [row.succeeded, row.refused, row.limited, row.failed, row.bans].map(Number),
    }));
  }

  async latency(resolution: Resolution, moments: readonly number[]): Promise<LatencyRow[]> {
    const rows = await this.#database.query(LATENCY, [lengthOf[resolution], moments]);
    return rows.map(({ at, bucket, count }) => ({
      resolution,
      at: Number(at),
      bucket: Number(bucket),
      count: Number(count),
    }));
  }

  async prune(now: number, most: number): Promise<number> {
    let gone = await this.#prune(PRUNE_WRITERS, now - WRITERS_KEPT, most);
    for (const resolution of resolutions) {
      const before = now - keptFor[resolution];
      gone += await this.#prune(PRUNE, before, most, lengthOf[resolution]);
      gone += await this.#prune(PRUNE_LATENCY, before, most, lengthOf[resolution]);
    }
    return gone;
  }

  async #prune(statement: Statement, before: number, most: number, ...resolution: number[]): Promise<number> {
    const [row] = await this.#database.query(statement, [before, most, ...resolution]);
    return Number(row?.count);
  }
}
