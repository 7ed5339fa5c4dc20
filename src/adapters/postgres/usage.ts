import {
  countedPlans,
  type LatencyRow,
  lengthOf,
  type Moments,
  type Resolution,
  resolutions,
  retention,
  totalOf,
  type UsageRow,
} from "../../domain/usage/counting.ts";
import type { KeySum, Ranked, Ranking, UsageStore, UsageWrite } from "../../domain/usage/reading.ts";
import { keySumOf, latencyRowOf, ranked, rankedOf, SUMS, usageRowOf } from "../sql/usage.ts";
import type { Database, Statement, TextRow } from "./database.ts";

/** How long the number of a process's last write is kept, in ms: much longer than a write is retried. */
const WRITER_RETENTION = retention.minute;

/** Adds everything or nothing, and nothing when it added this write before. */
const ADD: Statement = {
  name: "petstore_add_usage",
  text: `WITH begun AS (
           INSERT INTO petstore.usage_writers AS existing (writer, number, at) VALUES ($1, $2, $3)
           ON CONFLICT (writer) DO UPDATE SET number = excluded.number, at = excluded.at
           WHERE existing.number < excluded.number RETURNING writer
         ), timed AS (
           INSERT INTO petstore.usage_latency AS existing (resolution, at, bucket, count)
           SELECT more.* FROM begun, unnest($4::int[], $5::bigint[], $6::int[], $7::bigint[]) AS more
           ON CONFLICT (resolution, at, bucket) DO UPDATE SET count = existing.count + excluded.count
         )
         INSERT INTO petstore.usage AS existing (resolution, at, who, operation, succeeded, refused, limited, failed, bans)
         SELECT more.* FROM begun, unnest($8::int[], $9::bigint[], $10::text[], $11::text[],
           $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[]) AS more
         ON CONFLICT (resolution, at, who, operation) DO UPDATE SET succeeded = existing.succeeded + excluded.succeeded,
         refused = existing.refused + excluded.refused, limited = existing.limited + excluded.limited,
         failed = existing.failed + excluded.failed, bans = existing.bans + excluded.bans`,
};
const USAGE: Statement = {
  name: "petstore_usage",
  text: `SELECT usage.*
         FROM unnest($1::int[], $2::bigint[]) AS start (resolution, at) JOIN petstore.usage USING (resolution, at)
         WHERE who = $3`,
};
const USAGE_OF_PLANS: Statement = {
  name: "petstore_usage_of_plans",
  text: `SELECT at, who, operation, succeeded, refused, limited, failed, bans FROM petstore.usage
         WHERE resolution = $1 AND at = ANY($2::bigint[]) AND who = ANY($3::text[])`,
};
const BUSIEST: Record<Ranking, Statement> = { requests: busiest("requests"), refusals: busiest("refusals") };
const SUM: Statement = {
  name: "petstore_usage_sums",
  text: `SELECT who, ${SUMS} FROM petstore.usage
         WHERE resolution = $1 AND at = ANY($2::bigint[]) AND who = ANY($3::text[]) AND operation <> 'simulated' GROUP BY who`,
};
const LATENCY: Statement = {
  name: "petstore_usage_latency",
  text: `SELECT usage_latency.*
         FROM unnest($1::int[], $2::bigint[]) AS start (resolution, at)
         JOIN petstore.usage_latency USING (resolution, at)`,
};
const PRUNE = pruning("usage", "resolution = $3 AND");
const PRUNE_LATENCY = pruning("usage_latency", "resolution = $3 AND");
const PRUNE_WRITERS = pruning("usage_writers", "");

function busiest(ranking: Ranking): Statement {
  const { count, condition } = ranked[ranking];
  return {
    name: `petstore_usage_by_${ranking}`,
    text: `SELECT busiest.who, busiest.count FROM unnest($2::bigint[]) AS start (at) CROSS JOIN LATERAL (
             SELECT who, ${count} AS count FROM petstore.usage
             WHERE resolution = $1 AND at = start.at AND ${condition} ORDER BY ${count} DESC LIMIT $3
           ) AS busiest`,
  };
}

/** The oldest rows, in the order of the index, by their place: a join could read the whole table for them. */
function pruning(table: string, condition: string): Statement {
  return {
    name: `petstore_prune_${table}`,
    text: `WITH deleted AS (
             DELETE FROM petstore.${table} WHERE ctid = ANY (ARRAY(
               SELECT ctid FROM petstore.${table} WHERE ${condition} at < $1 ORDER BY at LIMIT $2
             )) RETURNING 1
           )
           SELECT count(*) AS count FROM deleted`,
  };
}

/** Usage in PostgreSQL. All nodes update the same rows in the same order, which avoids deadlocks. */
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

  async usageOf(who: string, moments: Moments): Promise<UsageRow[]> {
    const rows = await this.#database.query(USAGE, [...columnsOf(moments), who]);
    return rows.map((row) => usageRowOf(row, who, resolutionIn(row)));
  }

  async usageOfPlans(resolution: Resolution, starts: readonly number[]): Promise<UsageRow[]> {
    const rows = await this.#database.query(USAGE_OF_PLANS, [lengthOf[resolution], starts, countedPlans.map(totalOf)]);
    return rows.map((row) => usageRowOf(row, String(row.who), resolution));
  }

  async busiest(
    ranking: Ranking,
    resolution: "hour" | "day",
    starts: readonly number[],
    limit: number,
  ): Promise<Ranked[]> {
    return (await this.#database.query(BUSIEST[ranking], [lengthOf[resolution], starts, limit])).map(rankedOf);
  }

  async sumsOf(keyIds: readonly string[], resolution: Resolution, starts: readonly number[]): Promise<KeySum[]> {
    return (await this.#database.query(SUM, [lengthOf[resolution], starts, keyIds])).map(keySumOf);
  }

  async latency(moments: Moments): Promise<LatencyRow[]> {
    const rows = await this.#database.query(LATENCY, columnsOf(moments));
    return rows.map((row) => latencyRowOf(row, resolutionIn(row)));
  }

  async prune(now: number, limit: number): Promise<number> {
    let deleted = await this.#prune(PRUNE_WRITERS, now - WRITER_RETENTION, limit);
    for (const resolution of resolutions) {
      const before = now - retention[resolution];
      deleted += await this.#prune(PRUNE, before, limit, lengthOf[resolution]);
      deleted += await this.#prune(PRUNE_LATENCY, before, limit, lengthOf[resolution]);
    }
    return deleted;
  }

  async #prune(statement: Statement, before: number, limit: number, ...resolution: number[]): Promise<number> {
    const [row] = await this.#database.query(statement, [before, limit, ...resolution]);
    return Number(row?.count);
  }
}

/** The resolutions and the starts, as two arrays in PostgreSQL's text form: `pg` takes a millisecond to write some hundreds. */
function columnsOf(moments: Moments): [string, string] {
  const starts = resolutions.flatMap((resolution) => moments[resolution] ?? []);
  const lengths = resolutions.flatMap((resolution) => (moments[resolution] ?? []).map(() => lengthOf[resolution]));
  return [`{${lengths}}`, `{${starts}}`];
}

function resolutionIn(row: TextRow): Resolution {
  return resolutions.find((resolution) => lengthOf[resolution] === Number(row.resolution)) as Resolution;
}
