import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { SqlIdempotencyKeys } from "../../../src/adapters/sql/idempotency-keys.ts";
import { SqlOrders } from "../../../src/adapters/sql/orders.ts";
import { checkDatabase } from "../../../src/adapters/sqlite/check.ts";
import { SLOW_DISK } from "../../../src/adapters/sqlite/checkpoints.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { GroupCommit } from "../../../src/adapters/sqlite/group-commit.ts";
import { connect } from "../../../src/adapters/sqlite/open.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { commitsIn } from "./commits.ts";
import { type TemporaryFile, temporaryFile } from "./temporary.ts";

/** The turns of the event loop after which what is scheduled has run. */
const TURNS = 10;
/** The pause between attempts at a commit while another process writes, in ms, and more of them than any write outlasts. */
const RETRY_INTERVAL = 3;
const ATTEMPTS = 200;

const REX = { name: "Rex", categoryId: 1n };

let file: TemporaryFile;
let database: Database;
let pets: SqlitePets;
let before: number;
beforeEach(() => {
  file = temporaryFile();
  database = new Database(file);
  pets = new SqlitePets(database);
  before = commitsIn(file.path);
});
afterEach(() => {
  database.close();
  // Also after a commit that failed: neither its counts nor a part of it are left.
  const { problems } = checkDatabase(file);
  file.remove();
  expect(problems).toEqual([]);
});

const commits = () => commitsIn(file.path) - before;

/** The values of `PRAGMA synchronous`. */
const [NORMAL, FULL] = [1, 2];
const synchronous = () => database.prepare("PRAGMA synchronous").get()?.synchronous;

test("sequential creations have a commit each", async () => {
  for (let i = 0; i < 10; i++) await pets.create(REX, { now: Date.now() });
  expect(commits()).toBe(10);
});

test("while another process writes, each write is refused or kept, however long it takes to look at them", async () => {
  const other = connect(file);
  other.exec("BEGIN IMMEDIATE");
  let now = performance.now();
  // Each look at the clock takes a millisecond: writes become late while the others are looked at.
  const clock = spyOn(performance, "now").mockImplementation(() => ++now);
  try {
    const outcomes: string[] = [];
    for (let i = 0; i < 500; i++) {
      pets.create(REX, { now: Date.now() }).then(
        () => outcomes.push("kept"),
        ({ code }) => outcomes.push(code),
      );
    }
    // An attempt with all of them takes half a second of this clock, and the last ones are refused after two.
    for (let turns = 0; outcomes.length < 500 && turns < ATTEMPTS; turns++) await pause(RETRY_INTERVAL);
    expect(outcomes).toEqual(Array(500).fill("service_unavailable"));
  } finally {
    clock.mockRestore();
    other.exec("ROLLBACK");
    other.close();
  }
});

test("concurrent creations share a commit", async () => {
  states(
    "docs/development/stores.md",
    "Writes of one turn of the event loop share one `BEGIN IMMEDIATE … COMMIT`, which is synced before any of them is answered.",
  );
  states("docs/upgrading.md", "concurrent creations share one.");
  await Promise.all(Array.from({ length: 64 }, () => pets.create(REX, { now: Date.now() })));
  expect(commits()).toBe(1);
});

test("refused changes and orders share a commit with others, with and without an idempotency key", async () => {
  const idempotencyKeys = new SqlIdempotencyKeys(database);
  const orders = new SqlOrders(database, idempotencyKeys);
  const { id } = await pets.create({ ...REX, status: "sold" }, { now: Date.now() });
  const petId = BigInt(id);
  before = commitsIn(file.path);
  const key = (i: number) => ({ keyId: "key_1", key: `${i}`, now: 0 });
  const refused = [
    pets.update(petId, { status: "pending" }, { now: Date.now() }),
    orders.place(petId, 0),
    ...[1, 2, 3].map((i) => orders.place(petId, 0, { key: key(i) })),
  ];
  const outcomes = await Promise.allSettled([
    pets.create(REX, { now: Date.now() }),
    ...refused,
    pets.update(petId, { name: "Max" }, { now: Date.now() }),
  ]);
  const codes = outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason.code : "done"));
  expect(codes).toEqual(["done", "invalid_transition", ...Array(4).fill("pet_not_available"), "done"]);
  expect(commits()).toBe(1);
});

test("64 clients that create pets sequentially need far fewer commits than creations", async () => {
  states("docs/scaling.md", "Up to 64 creations share a disk sync, so durability costs little.");
  const client = async () => {
    for (let i = 0; i < 10; i++) await pets.create(REX, { now: Date.now() });
  };
  await Promise.all(Array.from({ length: 64 }, client));
  expect(pets.list({ limit: 1_000, after: 0n })).toHaveLength(640);
  expect(commits()).toBeLessThanOrEqual(20);
});

test("a failed creation does not fail the others of its commit", async () => {
  states("docs/development/stores.md", "If it fails, each is retried alone, so none fails because of another.");
  const bad = database.write(() => {
    pets.insert({ name: "half done", categoryId: 1n }, { now: Date.now() });
    throw new Error("this one fails");
  });
  const good = [pets.create(REX, { now: Date.now() }), pets.create(REX, { now: Date.now() })];
  await expect(bad).rejects.toThrow("this one fails");
  const added = await Promise.all(good);
  expect(pets.list({ limit: 10, after: 0n })).toEqual(added);
});

test("an acknowledged creation is in the file: another connection finds it", async () => {
  const reader = new Database(file);
  const others = new SqlitePets(reader);
  try {
    await Promise.all(
      Array.from({ length: 64 }, async () => {
        const { id } = await pets.create(REX, { now: Date.now() });
        expect(others.get(BigInt(id))?.id).toBe(id);
      }),
    );
  } finally {
    reader.close();
  }
});

test("a transaction waits for the disk unless all its writes are uncached ones", async () => {
  const pet = () => database.write(synchronous);
  const counter = () => database.writeUncached(synchronous);
  expect(await counter()).toBe(NORMAL);
  expect(await pet()).toBe(FULL);
  expect(await Promise.all([counter(), pet()])).toEqual([FULL, FULL]);
  expect(await counter()).toBe(NORMAL);
});

test("so does a write that is committed separately, because another of its commit failed", async () => {
  await database.writeUncached(() => {});
  const counter = database.writeUncached(synchronous);
  const bad = database.writeUncached(() => {
    throw new Error("this one fails");
  });
  const pet = database.write(synchronous);
  await expect(bad).rejects.toThrow("this one fails");
  expect([await counter, await pet]).toEqual([NORMAL, FULL]);
});

test("closing commits the waiting writes", async () => {
  const waiting = Array.from({ length: 5 }, () => pets.create(REX, { now: Date.now() }));
  database.close();
  const added = await Promise.all(waiting);
  database = new Database(file);
  expect(new SqlitePets(database).list({ limit: 10, after: 0n })).toEqual(added);
});

test("a stop while the file is synced, so that the log can begin again, keeps all", async () => {
  database.close();
  database = new Database({ ...file, isAlone: true }, { ...SLOW_DISK, slow: 0, beside: 1, part: 1, long: 1 });
  pets = new SqlitePets(database);
  const added = [];
  // From the second one on the log is long: its copy begins with the acknowledgement.
  for (let i = 0; i < 5; i++) added.push(await pets.create(REX, { now: Date.now() }));
  database.close();
  database = new Database(file);
  expect(new SqlitePets(database).list({ limit: 10, after: 0n })).toEqual(added);
});

describe("on a slow disk", () => {
  const SYNCS = 3;
  /** Ends the syncs that are under way, in their order, with the time that they took. */
  let syncs: ((took: number) => void)[];
  let acknowledged: string[];
  let connection: DatabaseSync;
  let commit: GroupCommit;
  let hasFailed: boolean;
  let drained: number;
  /** What was acknowledged when the log was synced at once; undefined if it was not. */
  let syncedNow: string[] | undefined;
  let isLong: boolean;
  let slow: number;
  /** Whether the last commit changed nothing, so that there is nothing to sync. */
  let isUnchanged: boolean;

  beforeEach(() => {
    slow = 0;
    isUnchanged = false;
    syncedNow = undefined;
    [syncs, acknowledged, hasFailed, drained, isLong] = [[], [], false, 0, false];
    const nothing = () => {};
    connection = connect({ ...file, deployment: "production" });
    commit = new GroupCommit(connection, {
      beforeBegin: nothing,
      beforeOrdinary: nothing,
      beforeCommit: nothing,
      afterCommit: nothing,
      afterRollback: nothing,
      release: nothing,
      beforeAcknowledging: () => {
        if (hasFailed) throw new Error("a sync has failed");
      },
      background: {
        get slow() {
          return slow;
        },
        syncs: SYNCS,
        beside: 1,
        oneAtATime: SLOW_DISK.oneAtATime,
        sync: () => (isUnchanged ? undefined : new Promise((resolve) => syncs.push(resolve))),
        syncNow: () => {
          syncedNow = [...acknowledged];
        },
        isLogLong: () => isLong,
        restartLog: async () => {
          isLong = false;
          drained += 1;
        },
      },
    });
  });

  const turns = async () => {
    for (let i = 0; i < TURNS; i++) await new Promise((resolve) => setImmediate(resolve));
  };
  const write = (name: string, work: () => void = () => {}) => {
    const written = commit.write(work);
    written.then(
      () => acknowledged.push(name),
      () => acknowledged.push(`not ${name}`),
    );
    return turns();
  };
  const end = async (sync: number, took = 8) => {
    syncs[sync]?.(took);
    await turns();
  };

  test("commits are acknowledged in order, each once its sync and the earlier ones have ended", async () => {
    states(
      "docs/development/stores.md",
      "They are acknowledged in order, each once its sync and all earlier ones have succeeded, so that a write, and a refusal, rests on what is on the disk;",
    );
    await write("first");
    await write("second");
    await write("third");
    await end(1);
    expect(acknowledged).toEqual([]);
    await end(0);
    expect(acknowledged).toEqual(["first", "second"]);
    await end(2);
    expect(acknowledged).toEqual(["first", "second", "third"]);
  });

  test("none is acknowledged after a sync that has failed, although its own has not", async () => {
    states(
      "docs/development/stores.md",
      "reads keep what is on the disk, and nothing is written until the service is started again.",
    );
    await write("first");
    await write("second");
    await end(1);
    hasFailed = true;
    await end(0);
    expect(acknowledged).toEqual(["not first", "not second"]);
  });

  test("so many syncs are under way, and the writes that wait share the next commits", async () => {
    for (const name of ["1", "2", "3", "4", "5", "6", "7"]) await write(name);
    expect(syncs).toHaveLength(SYNCS);
    await end(0);
    // It may wait for the client that was answered.
    await eventually(() => syncs.length > SYNCS);
    expect(syncs).toHaveLength(SYNCS + 1);
    await eventually(async () => {
      for (const sync of syncs.keys()) await end(sync);
      return acknowledged.length === 7;
    });
    expect(acknowledged).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
    expect(syncs.length).toBeLessThan(7);
  });

  test("writes that a commit has no part for are committed soon after, also if it changed nothing or failed", async () => {
    const rounds = async () => {
      for (const name of ["1", "2", "3"]) await write(name);
      await end(0);
      await eventually(async () => {
        for (const sync of syncs.keys()) await end(sync);
        return acknowledged.length === 3;
      });
    };
    await rounds();
    isUnchanged = true;
    // They arrive together: a commit has as many as each client's part of those that may be hidden.
    const fails = () => {
      throw new Error("this one fails");
    };
    await Promise.all([write("4", fails), write("5"), write("6"), write("7", fails), write("8"), write("9")]);
    await eventually(() => acknowledged.length === 9);
    expect(acknowledged.toSorted()).toEqual(["1", "2", "3", "5", "6", "8", "9", "not 4", "not 7"]);
  });

  test("a write that fails beside others runs again once what it may have read is on the disk", async () => {
    states("docs/development/stores.md", "a commit that fails beside others runs again after them.");
    let runs = 0;
    await write("first");
    await write("failing", () => {
      runs += 1;
      throw new Error("this one fails");
    });
    await write("third");
    expect([runs, acknowledged]).toEqual([1, []]);
    await end(0);
    await eventually(() => acknowledged.length === 3);
    expect(acknowledged).toEqual(["first", "not failing", "third"]);
    expect(runs).toBeGreaterThan(1);
  });

  test("a log that is long begins again once nothing waits for the disk, and before the next commit", async () => {
    await write("first");
    await write("second");
    isLong = true;
    await end(0);
    await write("third");
    expect([drained, syncs.length]).toEqual([0, 2]);
    await end(1);
    await eventually(() => syncs.length === 3);
    expect(drained).toBe(1);
    await end(2);
    expect(acknowledged).toEqual(["first", "second", "third"]);
    // After it, several syncs are under way again.
    await write("fourth");
    await write("fifth");
    await eventually(() => syncs.length === 5);
  });

  test("that syncs one file at a time, one sync is under way; later it is tried again", async () => {
    states(
      "docs/development/stores.md",
      "one commit at a time is on its way, and some hundred syncs later more are tried again.",
    );
    await write("first");
    await write("second");
    await end(0, 8);
    await end(1, 200);
    await write("third");
    await eventually(() => syncs.length === 3);
    await write("fourth");
    expect(syncs).toHaveLength(3);
    // Alone, they let the average beside others fall.
    let ended = 2;
    while (syncs.length < ended + 2) {
      await end(ended++, 8);
      while (syncs.length === ended) await turns();
      await write("later");
    }
    expect(ended).toBeGreaterThan(100);
  });

  test("syncs that a busy processor prolongs are not taken for those of such a disk", async () => {
    await write("first");
    for (let ended = 0; ended < 60; ended++) {
      await write("beside");
      await eventually(() => syncs.length === ended + 2);
      await end(ended, ended % 3 === 1 ? 24 : 8);
    }
  });

  test("the disk is as slow as its syncs: a commit that does not wait for it takes no time", async () => {
    await write("first");
    await end(0, 8_000);
    // Longer than any commit takes here.
    slow = 7_000;
    await write("second");
    await write("third");
    await eventually(() => syncs.length === 3);
    expect(acknowledged).toEqual(["first"]);
    await end(1, 8_000);
    await end(2, 8_000);
    // A disk that is fast waits for each commit itself.
    await write("fourth");
    await end(3, 1);
    await write("fifth");
    await eventually(() => acknowledged.length === 5);
    expect(syncs).toHaveLength(4);
    // And for the copy of a long log, which SQLite then begins by itself.
    expect(connection.prepare("PRAGMA wal_autocheckpoint").get()).toEqual({ wal_autocheckpoint: 1_000 });
    expect(connection.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: FULL });
  });

  test("beside a sync that is stuck no commit begins, and what waits for it for too long is refused", async () => {
    const { now } = performance;
    let passed = 0;
    const clock = spyOn(performance, "now").mockImplementation(() => now.call(performance) + passed);
    try {
      await write("first");
      passed = 1_500;
      await write("second");
      expect([syncs.length, commit.isHanging]).toEqual([1, false]);
      passed = 7_000;
      expect(commit.isHanging).toBe(true);
      await eventually(() => acknowledged.length === 1);
      await write("third");
      await end(0, 7_000);
      await eventually(() => syncs.length === 2);
      expect(commit.isHanging).toBe(false);
      await end(1);
      expect(acknowledged).toEqual(["not second", "first", "third"]);
    } finally {
      clock.mockRestore();
    }
  });

  test("a close acknowledges what is committed, once it is on the disk", async () => {
    await write("first");
    await write("second");
    commit.close();
    await turns();
    expect(syncedNow).toEqual([]);
    expect(acknowledged).toEqual(["first", "second"]);
    await end(1);
    await end(0);
    expect(acknowledged).toEqual(["first", "second"]);
  });
});
