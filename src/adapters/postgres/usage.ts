import { setTimeout as pause } from "node:timers/promises";
import { unavailable } from "../../domain/errors.ts";
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
import {
  type KeySum,
  RANKED,
  type Ranked,
  type Ranking,
  type UsageStore,
  type UsageWrite,
} from "../../domain/usage/reading.ts";
import { keySumOf, latencyRowOf, ranked, rankedOf, SUMS, usageRowOf } from "../sql/usage.ts";
import type { Database, TextRow } from "./database.ts";

/** How long the number of a process's last write is kept, in ms: much longer than a write is retried. */
const WRITER_RETENTION = retention.minute;
/** For so long rankings may change, in ms: as a rule until a day is over. */
const RANKINGS_CHANGE = 2 * lengthOf.day;

const RESOLUTIONS = `unnest(ARRAY[${resolutions.map((resolution) => lengthOf[resolution])}]) AS resolution`;

/** The lock of the process that merges. */
const LOCK_ID = 0x75736167;
/** So many writes of 200 keys are merged in a tenth of a second, much less than a statement may take. */
const MERGED_AT_ONCE = 10;
/** How long a process waits until it looks again whether another one has merged its write, in ms. */
const FIRST_PAUSE = 10;
const LONGEST_PAUSE = 160;
/** For so long it waits in all, in ms. */
const LONGEST_WAIT = 20_000;

/** Hands over a write, which is then durable, unless this one was handed over before. */
const HAND_OVER = `INSERT INTO petstore.usage_writers AS existing (writer, number, at, pending)
  VALUES ($1, $2, $3, $4)
  ON CONFLICT (writer) DO UPDATE SET number = excluded.number, at = excluded.at, pending = excluded.pending
  WHERE existing.number < excluded.number`;
/**
 * Adds what was handed over, the oldest first, unless somebody else is doing so: so no process waits for rows that
 * another one has locked, and counts of one key by several processes are one change of its row. Returns how many writes
 * of this writer are left: 0 or 1. Sums of integers are exact, and cheaper than those of bigints, which are numeric. The lock may be a moment younger than what the statement sees: `FOR UPDATE` reads the latest.
 */
const MERGE = `WITH taken AS MATERIALIZED (
    SELECT writer, at, pending FROM petstore.usage_writers
    WHERE pending IS NOT NULL AND (SELECT pg_try_advisory_xact_lock(${LOCK_ID}))
    ORDER BY age(xmin) DESC LIMIT ${MERGED_AT_ONCE} FOR UPDATE
  ), cleared AS (
    UPDATE petstore.usage_writers SET pending = NULL WHERE writer IN (SELECT writer FROM taken)
  ), timed AS (
    INSERT INTO petstore.usage_latency AS existing (resolution, at, bucket, count)
    SELECT resolution, at - at % resolution, bucket, sum(count) FROM taken,
      jsonb_to_recordset(pending -> 'latency') AS more (bucket int, count int), ${RESOLUTIONS}
    GROUP BY 1, 2, 3
    ON CONFLICT (resolution, at, bucket) DO UPDATE SET count = existing.count + excluded.count
  ), added AS (
    INSERT INTO petstore.usage AS existing (resolution, at, who, operation, succeeded, refused, limited, failed, bans)
    SELECT resolution, at - at % resolution, who, operation,
      sum(counts[1]), sum(counts[2]), sum(counts[3]), sum(counts[4]), sum(counts[5]) FROM taken,
      jsonb_to_recordset(pending -> 'usage') AS more (who text, operation text, counts int[]), ${RESOLUTIONS}
    GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (resolution, at, who, operation) DO UPDATE SET succeeded = existing.succeeded + excluded.succeeded,
    refused = existing.refused + excluded.refused, limited = existing.limited + excluded.limited,
    failed = existing.failed + excluded.failed, bans = existing.bans + excluded.bans
    RETURNING *
  ), placed AS (
    SELECT *, row_number() OVER (PARTITION BY resolution, at, ranking ORDER BY count DESC) AS place
    FROM added, LATERAL (VALUES
      ('requests', ${ranked.requests.count}), ('refusals', ${ranked.refusals.count})
    ) AS counted (ranking, count)
    WHERE ${ranked.requests.condition} AND count > 0
  ), ranked AS (
    INSERT INTO petstore.usage_rankings (resolution, at, ranking, who, operation, count)
    SELECT resolution, at, ranking, who, operation, count FROM placed WHERE place <= ${RANKED}
    ON CONFLICT (resolution, at, ranking, who, operation) DO UPDATE SET count = excluded.count
  )
  SELECT count(*) AS count FROM petstore.usage_writers
  WHERE writer = $1 AND pending IS NOT NULL AND writer NOT IN (SELECT writer FROM taken)`;
const USAGE = `SELECT usage.*
  FROM unnest($1::int[], $2::bigint[]) AS start (resolution, at) JOIN petstore.usage USING (resolution, at)
  WHERE who = $3`;
const USAGE_OF_PLANS = `SELECT at, who, operation, succeeded, refused, limited, failed, bans FROM petstore.usage
  WHERE resolution = $1 AND at = ANY($2::bigint[]) AND who = ANY($3::text[])`;
const BUSIEST = `SELECT busiest.who, busiest.count FROM unnest($3::bigint[]) AS start (at) CROSS JOIN LATERAL (
    SELECT who, count FROM petstore.usage_rankings
    WHERE ranking = $1 AND resolution = $2 AND at = start.at ORDER BY count DESC LIMIT $4
  ) AS busiest`;
const SUM = `SELECT who, ${SUMS} FROM petstore.usage
  WHERE resolution = $1 AND at = ANY($2::bigint[]) AND who = ANY($3::text[]) AND operation <> 'simulated' GROUP BY who`;
const LATENCY = `SELECT usage_latency.*
  FROM unnest($1::int[], $2::bigint[]) AS start (resolution, at)
  JOIN petstore.usage_latency USING (resolution, at)`;
const PRUNE = pruning("usage", "resolution = $3 AND");
const PRUNE_LATENCY = pruning("usage_latency", "resolution = $3 AND");
const PRUNE_RANKINGS = pruning("usage_rankings", "resolution = $3 AND");
const PRUNE_WRITERS = pruning("usage_writers", "pending IS NULL AND");
/** Deletes keys that others have overtaken. */
const SHORTEN_RANKINGS = `DELETE FROM petstore.usage_rankings WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM (
      SELECT ctid, row_number() OVER (PARTITION BY resolution, at, ranking ORDER BY count DESC) AS place
      FROM petstore.usage_rankings WHERE resolution = ANY ($1::int[]) AND at >= $2
    ) AS placed WHERE place > ${RANKED}
  ))`;

/** The oldest rows, in the order of the index, by their place: a join could read the whole table for them. */
function pruning(table: string, condition: string): string {
  return `WITH deleted AS (
      DELETE FROM petstore.${table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM petstore.${table} WHERE ${condition} at < $1 ORDER BY at LIMIT $2
      )) RETURNING 1
    )
    SELECT count(*) AS count FROM deleted`;
}

/**
 * Usage in PostgreSQL. Each process hands over its write in its own row, and one after the other adds what all have handed
 * over: so a write is one insertion that waits for nobody, and is added once, even if its process ends in between.
 */
export class PostgresUsage implements UsageStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add({ writer, number, at, usage, latency }: UsageWrite): Promise<void> {
    // Hours and days have the same counts.
    const ofMinute = <T extends { resolution: Resolution }>(rows: T[]) =>
      rows.filter(({ resolution }) => resolution === "minute");
    const pending = JSON.stringify({ usage: ofMinute(usage), latency: ofMinute(latency) });
    await this.#database.query(HAND_OVER, [writer, number, at, pending]);
    const end = performance.now() + LONGEST_WAIT;
    for (let time = FIRST_PAUSE; !(await this.#merge(writer)); time = Math.min(time * 2, LONGEST_PAUSE)) {
      if (performance.now() > end) throw unavailable(new Error("another session holds the lock of usage"));
      await pause(time);
    }
  }

  /** Returns whether everything of this writer is added. */
  async #merge(writer: string): Promise<boolean> {
    const [row] = await this.#database.query(MERGE, [writer]);
    return Number(row?.count) === 0;
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
    return (await this.#database.query(BUSIEST, [ranking, lengthOf[resolution], starts, limit])).map(rankedOf);
  }

  async sumsOf(keyIds: readonly string[], resolution: Resolution, starts: readonly number[]): Promise<KeySum[]> {
    return (await this.#database.query(SUM, [lengthOf[resolution], starts, keyIds])).map(keySumOf);
  }

  async latency(moments: Moments): Promise<LatencyRow[]> {
    const rows = await this.#database.query(LATENCY, columnsOf(moments));
    return rows.map((row) => latencyRowOf(row, resolutionIn(row)));
  }

  async prune(now: number, limit: number): Promise<number> {
    // What a process left that ended before anybody merged it.
    await this.#merge("");
    await this.#database.query(SHORTEN_RANKINGS, [[lengthOf.hour, lengthOf.day], now - RANKINGS_CHANGE]);
    let deleted = await this.#prune(PRUNE_WRITERS, now - WRITER_RETENTION, limit);
    for (const resolution of resolutions) {
      const before = now - retention[resolution];
      deleted += await this.#prune(PRUNE, before, limit, lengthOf[resolution]);
      deleted += await this.#prune(PRUNE_LATENCY, before, limit, lengthOf[resolution]);
      await this.#prune(PRUNE_RANKINGS, before, limit, lengthOf[resolution]);
    }
    return deleted;
  }

  async #prune(statement: string, before: number, limit: number, ...resolution: number[]): Promise<number> {
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
