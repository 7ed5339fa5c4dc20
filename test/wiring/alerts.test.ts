import { describe, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { diskOf } from "../../src/adapters/backups/directory.ts";
import {
  type AlertState,
  type AlertType,
  alertJson,
  alertTypes,
  failsOften,
  isNearlyFull,
  MAX_OPEN,
} from "../../src/domain/alerts.ts";
import { KeyAdministration } from "../../src/domain/keys/administration.ts";
import { noActivity } from "../../src/domain/keys/store.ts";
import { TOTAL } from "../../src/domain/usage/counting.ts";
import type { Endpoint } from "../../src/domain/webhooks.ts";
import { alertTask } from "../../src/wiring/alerts.ts";
import { readConfig } from "../../src/wiring/config.ts";
import { openStores } from "../../src/wiring/stores.ts";
import { smallDisk } from "../durability/small-disk.ts";
import { TESTER } from "../support/author.ts";
import { states } from "../support/markdown.ts";
import { newStore } from "../support/store.ts";
import { temporaryDirectory } from "../support/temporary.ts";

const NOW = Date.UTC(2026, 11, 2, 10);
const MINUTE = 60_000;

/** The stores of a node, twice, and what the task of each finds. */
async function twoNodes() {
  const store = await newStore();
  const config = readConfig({ DATABASE_URL: store.url, PETSTORE_DATABASE_POOL: "3" });
  const one = await openStores(config, () => {});
  const another = await openStores(config, () => {});
  const found = { isDamaged: false };
  const backups = {
    config: { directory: store.directory, every: undefined, keep: 7, s3: undefined },
    isFailing: undefined as boolean | undefined,
    damaged: new Set<string>(),
  };
  const clock = { now: NOW };
  const tasks = [one, another].map((stores) =>
    alertTask({ stores, damage: found, backups, database: config.database, clock: () => clock.now }),
  );
  const { signal } = new AbortController();
  const alerts = one.alerts();
  return {
    ...{ stores: one, alerts, damage: found, backups, clock },
    /** Runs both tasks at once, and returns what is known then, without what this machine's disk has. */
    async run(): Promise<[string, string, AlertState][]> {
      await Promise.all(tasks.map(async (task) => task.run(signal)));
      one.refresh();
      const known = (await alerts.list({ limit: 200 })).map(alertJson);
      return known
        .filter(({ type }) => type !== "alert.disk_full")
        .map(({ type, subject, state }) => [type, subject, state]);
    },
    acknowledge: (id: number) =>
      alerts.acknowledge(id, { ...TESTER, at: NOW, action: "alert.acknowledge", target: String(id) }),
    async [Symbol.asyncDispose]() {
      await one.close();
      await another.close();
      await store.remove();
    },
  };
}

describe("an alert", () => {
  test("of a failed backup is raised once by two nodes, and ends with the next backup", async () => {
    states(
      "docs/monitoring.md",
      "`alert.backup_failed` | `backups` | A backup failed.",
      "`alert.backup_failed` | `backups` | A backup failed. | with the next good one",
      "Of each type and subject one alert is open at a time",
      "so that all nodes show the same",
    );
    await using node = await twoNodes();
    expect(await node.run()).toEqual([]);
    node.backups.isFailing = true;
    const type = "alert.backup_failed";
    for (let i = 0; i < 3; i++) expect(await node.run()).toEqual([[type, "backups", "open"]]);
    // As after a start, which knows nothing of the last backup.
    node.backups.isFailing = undefined;
    expect(await node.run()).toEqual([[type, "backups", "open"]]);
    node.backups.isFailing = false;
    expect(await node.run()).toEqual([[type, "backups", "ended"]]);
  });

  test("of a damaged file stays, also after a start, until it is acknowledged and not found again", async () => {
    states(
      "docs/monitoring.md",
      "A start, a check or a request found the SQLite file damaged, or a verification found a backup damaged.",
    );
    states(
      "docs/monitoring.md",
      "`alert.file_damaged` | `database`, or `backups/` with a name",
      "once you have acknowledged it, and it is not found again",
    );
    await using node = await twoNodes();
    node.damage.isDamaged = true;
    node.backups.damaged.add("petstore-production-2026-12-02T10-00-00.250Z.db");
    expect((await node.run()).map(([, subject, state]) => [subject, state]).toSorted()).toEqual([
      ["backups/petstore-production-2026-12-02T10-00-00.250Z.db", "open"],
      ["database", "open"],
    ]);
    node.damage.isDamaged = false;
    node.backups.damaged.clear();
    expect((await node.run()).map(([, , state]) => state)).toEqual(["open", "open"]);
    for (const { id } of await node.alerts.open()) await node.acknowledge(id);
    expect((await node.run()).map(([, , state]) => state)).toEqual(["ended", "ended"]);
  });

  test("of failed requests is raised at 1 % of them, and ends when they are half as many", async () => {
    states(
      "docs/monitoring.md",
      "`alert.error_rate` | `requests` | Of the requests of 5 minutes, on all nodes together, at least 1 %",
    );
    await using node = await twoNodes();
    let number = 0;
    const count = (succeeded: number, failed: number) =>
      node.stores.usage.add(
        {
          writer: "test",
          number: ++number,
          at: node.clock.now,
          usage: [
            {
              resolution: "minute",
              at: node.clock.now,
              who: TOTAL,
              operation: "listPets",
              counts: [succeeded, 0, 0, failed, 0],
            },
          ],
          latency: [],
        },
        () => {},
      );
    await count(891, 9);
    expect(await node.run()).toEqual([]);
    await count(99, 1);
    const type = "alert.error_rate";
    expect(await node.run()).toEqual([[type, "requests", "open"]]);
    await count(400, 0);
    expect(await node.run()).toEqual([[type, "requests", "open"]]);
    node.clock.now += 6 * MINUTE;
    expect(await node.run()).toEqual([[type, "requests", "ended"]]);
  });

  test("of banned keys: bans that follow each other are one, that of a lifted one ends, and few of many are open", async () => {
    states(
      "docs/monitoring.md",
      "`alert.key_banned` | `keys/key_…` | A key is banned. Bans that follow each other within 15 minutes are one alert.",
      "`alert.key_banned` | `keys/key_…` | A key is banned. Bans that follow each other within 15 minutes are one alert. | 15 minutes after the ban, or when you lift it",
      "and of each type at most 50: further ones are raised as others end.",
    );
    await using node = await twoNodes();
    const { stores, clock } = node;
    const administration = new KeyAdministration(stores.keys, "production", TESTER);
    const ban = async (banned: string[]) => {
      const activity = noActivity();
      for (const id of banned) activity.bans.set(id, { since: clock.now, until: clock.now + 5 * MINUTE });
      await stores.counters.save({ states: await stores.counters.load(), places: [] }, activity);
    };
    const create = () => administration.create({ name: "test", plan: "free", scopes: ["pets:read"] }, NOW);
    const created = await Promise.all(Array.from({ length: MAX_OPEN + 5 }, create));
    const ids = created.map(({ key }) => key.id);
    const [first = ""] = ids;
    await ban([first]);
    const type = "alert.key_banned";
    expect(await node.run()).toEqual([[type, `keys/${first}`, "open"]]);
    clock.now += 15 * MINUTE;
    expect(await node.run()).toEqual([[type, `keys/${first}`, "open"]]);
    await ban([first]);
    clock.now += 6 * MINUTE;
    expect(await node.run()).toEqual([[type, `keys/${first}`, "open"]]);
    await administration.unban(first, clock.now);
    expect(await node.run()).toEqual([[type, `keys/${first}`, "ended"]]);
    // Those of another type take no room.
    node.damage.isDamaged = true;
    const opened = async () => (await node.run()).flatMap(([one, , state]) => (state === "open" ? [one] : []));
    expect(await opened()).toEqual(["alert.file_damaged"]);
    // That of a key is not over because as many newer ones are banned.
    const older = await administration.create({ name: "test", plan: "free", scopes: ["pets:read"] }, NOW - MINUTE);
    const isOpen = (all: [string, string, AlertState][]) =>
      all.some(([, subject, state]) => subject === `keys/${older.key.id}` && state === "open");
    await ban([older.key.id]);
    expect(isOpen(await node.run())).toBe(true);
    await ban(ids.slice(1));
    expect(isOpen(await node.run())).toBe(true);
    expect((await opened()).filter((one) => one === type)).toHaveLength(MAX_OPEN);
    clock.now += 25 * MINUTE;
    expect(await opened()).toEqual(["alert.file_damaged"]);
  });
});

test("each alert says what was found, with its figures, and what to do", async () => {
  states(
    "docs/monitoring.md",
    "An alert names what it is about, and says what to do. It has no secret, no URL and no text of a client.",
  );
  await using node = await twoNodes();
  const { stores, clock, damage, backups } = node;
  backups.isFailing = true;
  damage.isDamaged = true;
  backups.damaged.add("old.db");
  const { key } = await new KeyAdministration(stores.keys, "production", TESTER).create(
    { name: "test", plan: "free", scopes: ["pets:read"] },
    NOW,
  );
  const activity = noActivity();
  activity.bans.set(key.id, { since: NOW, until: NOW + 5 * MINUTE });
  await stores.counters.save({ states: await stores.counters.load(), places: [] }, activity);
  const counts = [970, 15, 3, 12, 0];
  const usage = { resolution: "minute", at: clock.now, who: TOTAL, operation: "listPets", counts } as const;
  await stores.usage.add({ writer: "test", number: 1, at: NOW, usage: [usage], latency: [] }, () => {});
  const endpoint: Endpoint = {
    ...{ id: "whe_1", url: "https://shop.example/hook?key=secret", types: [], description: "", secrets: [] },
    ...{ createdAt: NOW, revision: 0, position: 1, failures: 1 },
    disabled: { at: NOW, by: "service", reason: "The receiver answered 410 (Gone)." },
  };
  await stores.webhooks().add(endpoint, { ...TESTER, at: NOW, action: "webhook.create", target: endpoint.id });
  await node.run();
  const alerts = (await node.alerts.list({ limit: 20 }))
    .map(alertJson)
    .filter(({ type }) => type !== "alert.disk_full");
  const said = alerts.map(({ type, subject, message }) => [type, subject, message]);
  expect(said.toSorted()).toEqual([
    ["alert.backup_failed", "backups", "The last backup failed."],
    ["alert.error_rate", "requests", "12 of 1000 requests in 5 minutes were answered with a status of 500 or more."],
    ["alert.file_damaged", "backups/old.db", "The backup old.db is damaged."],
    ["alert.file_damaged", "database", "The file of the database is damaged."],
    [
      "alert.key_banned",
      `keys/${key.id}`,
      `The key ${key.id} was banned: its client kept sending requests after refusals.`,
    ],
    [
      "alert.webhook_disabled",
      "webhooks/whe_1",
      // A URL may have a secret in its path or query.
      "The service has disabled the webhook endpoint whe_1 (shop.example).",
    ],
  ]);
  const remedyOf = (type: AlertType) =>
    alertJson({ id: 1, type, subject: "", message: "", raisedAt: NOW }).remedy.replaceAll("`", "");
  expect(Object.fromEntries(alertTypes.map((type) => [type, remedyOf(type)]))).toEqual({
    "alert.key_banned":
      "Its client goes on after refusals. Ask its owner to wait as Retry-After says, or give the key a larger plan. The ban ends by itself; you can lift it on the key's page.",
    "alert.backup_failed":
      "The page Backups and the log have the reason. The service tries again every 5 minutes, or at the interval of the schedule if that is shorter.",
    "alert.file_damaged":
      "Run petstore database check, or verify the backup. Stop the service and restore an intact backup with petstore database restore. Acknowledge this alert once that is done.",
    "alert.disk_full": "Delete what is not needed, or enlarge the disk. Writes are refused once it is full.",
    "alert.error_rate":
      "The page Requests lists the failed requests, and the log has their causes by request id. Look at the database, Redis and the disk first.",
    "alert.webhook_disabled":
      "Repair the receiver, then enable the endpoint on its page: it goes on after the last event that was delivered.",
  });
});

test("a disk is nearly full below 5 % or 1 GB, and has room again from twice that on", () => {
  states("docs/monitoring.md", "has less than 5 % and less than 1 GB free.", "when twice as much is free");
  const [MB, GB] = [1e6, 1e9];
  const judged = (free: number, size: number) => isNearlyFull({ free, size });
  expect([judged(0.9 * GB, 900 * GB), judged(1.5 * GB, 900 * GB), judged(2 * GB, 900 * GB)]).toEqual([
    true,
    undefined,
    false,
  ]);
  expect([4, 5, 9, 10].map((free) => judged(free * MB, 100 * MB))).toEqual([true, undefined, undefined, false]);
  expect([GB - 1, GB].map((free) => judged(free, 900 * GB))).toEqual([true, undefined]);
});

test("requests fail often from 1 % on, if there are ten, and no longer below 0.5 %", () => {
  states("docs/monitoring.md", "at least 1 % and at least 10 got a status of 500 or more.");
  const judged = (failed: number, requests: number) => failsOften({ failed, requests });
  expect([judged(0, 0), judged(9, 9), judged(10, 1_000), judged(10, 1_001), judged(9, 1_000)]).toEqual([
    false,
    undefined,
    true,
    undefined,
    undefined,
  ]);
  expect([judged(5, 1_000), judged(5, 1_001), judged(50, 10_000), judged(49, 10_000)]).toEqual([
    undefined,
    false,
    undefined,
    false,
  ]);
});

const disk = smallDisk();
test.skipIf("reason" in disk || !disk.isFileSystem)(
  "a disk that is really nearly full raises one alert, which ends, be it of the database, of the backups, or of both",
  async () => {
    states(
      "docs/monitoring.md",
      "`alert.disk_full` | `disks/database`, `disks/backups` | A disk with the SQLite file or its backups",
    );
    if ("reason" in disk) throw new Error(disk.reason);
    using _ = disk;
    const elsewhere = temporaryDirectory();
    const filler = join(disk.directory, "filler");
    for (const [database, directory, subject] of [
      [disk.directory, undefined, "database"],
      [disk.directory, disk.directory, "database"],
      [elsewhere, disk.directory, "backups"],
    ] as const) {
      const config = readConfig({ DATABASE_URL: `sqlite:${join(database, "petstore.db")}` });
      const stores = await openStores(config, () => {});
      const task = alertTask({
        ...{ stores, damage: { isDamaged: false }, database: config.database, clock: () => NOW },
        backups:
          directory === undefined
            ? undefined
            : {
                config: { directory, every: undefined, keep: 7, s3: undefined },
                ...{ isFailing: undefined, damaged: new Set() },
              },
      });
      const { signal } = new AbortController();
      const open = async () => {
        await task.run(signal);
        stores.refresh();
        const alerts = await stores.alerts().open();
        // The other disk is this machine's.
        return alerts
          .filter((alert) => database !== elsewhere || alert.subject !== "disks/database")
          .map((alert) => [alert.type, alert.subject, alert.message]);
      };
      expect(await open()).toEqual([]);
      writeFileSync(filler, new Uint8Array(((await diskOf(disk.directory))?.free ?? 0) - 100_000));
      const size = Math.floor(((await diskOf(disk.directory))?.size ?? 0) / 1_000_000);
      const message = `The disk of the ${subject} has 0 MB free of ${size} MB.`;
      expect(await open()).toEqual([["alert.disk_full", `disks/${subject}`, message]]);
      rmSync(filler);
      expect(await open()).toEqual([]);
      await stores.close();
    }
    rmSync(elsewhere, { recursive: true });
  },
);
