/**
 * Adds pets to the database file that is its first argument, several clients at once, and writes their ids to standard output once
 * they are acknowledged. In between it counts requests, whose commits are synced in the background, and writes the negative count.
 * The second argument says how commits reach the disk: `ALONE`, in the background, as in the only process of a service; `FULL`,
 * each before the next statement; `NORMAL`, not at all, and nothing is counted.
 */
import { writeSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { sqliteUsage } from "../../../src/adapters/sqlite/usage.ts";
import type { UsageRow } from "../../../src/domain/usage/counting.ts";

/** Pages of the log at which SQLite checkpoints it: so few that the log begins anew several times. */
const CHECKPOINT_AT = 24;
const COMMITS = 10;
const CLIENTS = 3;
/** So long that a commit with several pets changes several pages. */
const NAME = "x".repeat(700);

const [, , path = "", synchronous = "FULL"] = process.argv;
const isAlone = synchronous === "ALONE";
const database = new Database(
  { path, deployment: "production", isAlone },
  // On a busy machine too, where a sync beside others may take several times as long.
  { slow: 0, beside: 1, part: 6, long: CHECKPOINT_AT, oneAtATime: Infinity },
);
if (synchronous === "NORMAL") database.prepare("PRAGMA synchronous = NORMAL").run();
if (!isAlone) database.prepare(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_AT}`).get();
const pets = new SqlitePets(database);
const usage = sqliteUsage(database);
const request: UsageRow = { resolution: "hour", at: 0, who: "key_1", operation: "listPets", counts: [1] };
const create = async (commit: number, client: number) => {
  // In turns of their own, so that a commit begins while others are synced.
  for (let turn = 0; turn < client; turn++) await nextTurn();
  const added = Array.from({ length: 1 + (commit % 5) }, () =>
    pets.create({ name: NAME, categoryId: 1n }, { now: Date.now() }),
  );
  for (const { id } of await Promise.all(added)) writeSync(process.stdout.fd, `${id}\n`);
};
for (let commit = 0; commit < COMMITS; commit++) {
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => create(commit, client)));
  if (synchronous === "NORMAL") continue;
  await usage.add({ writer: "writer", number: commit + 1, at: 0, usage: [request], latency: [] });
  writeSync(process.stdout.fd, `${-(commit + 1)}\n`);
}
database.close();
