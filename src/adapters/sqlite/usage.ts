import { setImmediate as nextTurn } from "node:timers/promises";
import { lengthOf, type Moments, type Resolution, resolutions, retention } from "../../domain/usage/counting.ts";
import type { Ranking, UsageStore } from "../../domain/usage/reading.ts";
import type { Row } from "../sql/sql.ts";
import { keySumOf, latencyRowOf, ranked, rankedOf, SUMS, usageRowOf } from "../sql/usage.ts";
import type { Database } from "./database.ts";
import { read } from "./errors.ts";

/** How long the number of a process's last write is kept, in ms: much longer than a write is retried. */
const WRITER_RETENTION = retention.minute;

/** So many look-ups take less than a millisecond, after which requests have a turn. */
const LOOKUPS_IN_A_TURN = 60;
/** The rankings of so many hours or days, of a hundred keys each. */
const RANKINGS_IN_A_TURN = 3;

export function sqliteUsage(database: Database): UsageStore {
  const registerWrite = database.prepare(
    `INSERT INTO usage_writers (writer, number, at) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET number = excluded.number, at = excluded.at WHERE number < excluded.number`,
  );
  const add = database.prepare(
    `INSERT INTO usage (resolution, at, who, operation, succeeded, refused, limited, failed, bans)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET succeeded = succeeded + excluded.succeeded, refused = refused + excluded.refused,
     limited = limited + excluded.limited, failed = failed + excluded.failed, bans = bans + excluded.bans`,
  );
  const addLatency = database.prepare(
    `INSERT INTO usage_latency (resolution, at, bucket, count) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET count = count + excluded.count`,
  );
  const usage = database.prepareRead(
    `SELECT at, operation, succeeded, refused, limited, failed, bans FROM usage
     WHERE resolution = ? AND at = ? AND who = ?`,
  );
  // Totals of plans begin with an asterisk, and so are between these texts. The total of all is the first one itself.
  const usageOfPlans = database.prepareRead(
    `SELECT at, who, operation, succeeded, refused, limited, failed, bans FROM usage
     WHERE resolution = ? AND at = ? AND who > '*' AND who < '+'`,
  );
  const busiestBy = (ranking: Ranking) => {
    const { count, condition } = ranked[ranking];
    return database.prepareRead(
      `SELECT who, ${count} AS count FROM usage
       WHERE resolution = ? AND at = ? AND ${condition} ORDER BY ${count} DESC LIMIT ?`,
    );
  };
  const busiest = { requests: busiestBy("requests"), refusals: busiestBy("refusals") };
  const sum = database.prepareRead(
    `SELECT who, ${SUMS} FROM usage
     WHERE resolution = ? AND at = ? AND who = ? AND operation <> 'simulated' GROUP BY who`,
  );
  // CROSS JOIN fixes the join order: SQLite looks up each start instead of scanning all rows.
  const latency = database.prepareRead(
    `SELECT at, bucket, count FROM json_each(?) AS start CROSS JOIN usage_latency
     WHERE resolution = ? AND at = start.value`,
  );
  const pruneOld = (table: string, key: string) =>
    database.prepare(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE resolution = ? AND at < ? LIMIT ?)`,
    );
  const prunes = [
    pruneOld("usage", "resolution, at, who, operation"),
    pruneOld("usage_latency", "resolution, at, bucket"),
  ];
  const pruneWriters = database.prepare(
    "DELETE FROM usage_writers WHERE writer IN (SELECT writer FROM usage_writers WHERE at < ? LIMIT ?)",
  );
  return {
    add: ({ writer, number, at, usage, latency }, onVisible) =>
      database.writeUncached(
        () => {
          if (registerWrite.run(writer, number, at).changes === 0) return;
          for (const { resolution, at, who, operation, counts } of usage) {
            const [succeeded = 0, refused = 0, limited = 0, failed = 0, bans = 0] = counts;
            add.run(lengthOf[resolution], at, who, operation, succeeded, refused, limited, failed, bans);
          }
          for (const { resolution, at, bucket, count } of latency) {
            addLatency.run(lengthOf[resolution], at, bucket, count);
          }
        },
        { onVisible },
      ),

    // One look-up for each start: joined with the list of starts, a single one would take six times as long.
    usageOf: (who, moments) =>
      ofEach(moments, (resolution, starts) => {
        const rows = read(() => starts.flatMap((start) => usage().all(lengthOf[resolution], start, who)));
        return rows.map((row) => usageRowOf(row, who, resolution));
      }),

    async usageOfPlans(resolution, starts) {
      const rows = await inTurns(starts, LOOKUPS_IN_A_TURN, (start) => usageOfPlans().all(lengthOf[resolution], start));
      return rows.map((row) => usageRowOf(row, String(row.who), resolution));
    },

    async busiest(ranking, resolution, starts, limit) {
      const rows = await inTurns(starts, RANKINGS_IN_A_TURN, (start) =>
        busiest[ranking]().all(lengthOf[resolution], start, limit),
      );
      return rows.map(rankedOf);
    },

    async sumsOf(keyIds, resolution, starts) {
      const lookups = keyIds.flatMap((keyId) => starts.map((start) => ({ keyId, start })));
      const rows = await inTurns(lookups, LOOKUPS_IN_A_TURN, ({ keyId, start }) =>
        sum().all(lengthOf[resolution], start, keyId),
      );
      return rows.map(keySumOf);
    },

    latency: (moments) =>
      ofEach(moments, (resolution, starts) => {
        const rows = read(() => latency().all(JSON.stringify(starts), lengthOf[resolution]));
        return rows.map((row) => latencyRowOf(row, resolution));
      }),

    prune: (now, limit) =>
      database.writeUncached(() => {
        let deleted = Number(pruneWriters.run(now - WRITER_RETENTION, limit).changes);
        for (const resolution of resolutions) {
          const before = now - retention[resolution];
          for (const prune of prunes) deleted += Number(prune.run(lengthOf[resolution], before, limit).changes);
        }
        return deleted;
      }),
  };
}

function ofEach<T>(moments: Moments, rowsOf: (resolution: Resolution, starts: readonly number[]) => T[]): T[] {
  return resolutions.flatMap((resolution) => rowsOf(resolution, moments[resolution] ?? []));
}

/** Reads for each item, so many in a turn of the event loop, so that requests of clients do not wait. */
async function inTurns<Item>(items: readonly Item[], size: number, rowsOf: (item: Item) => Row[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (let i = 0; i < items.length; i += size) {
    if (i > 0) await nextTurn();
    rows.push(...read(() => items.slice(i, i + size).flatMap(rowsOf)));
  }
  return rows;
}
