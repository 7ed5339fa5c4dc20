import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import { Database } from "../../../src/adapters/postgres/database.ts";
import { Standbys } from "../../../src/adapters/postgres/standbys.ts";
import type { Awaitable } from "../../../src/domain/awaitable.ts";
import { openPostgresStores } from "../../../src/wiring/postgres-stores.ts";
import { bearer, Client } from "../../support/client.ts";
import { besideLoad, eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { createKeyOn, Node } from "../../support/nodes.ts";
import { freePort } from "../../support/ports.ts";
import { type Postgres, startPostgres, startStandby } from "../../support/postgres.ts";

const NOW = Date.UTC(2026, 11, 2);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

type Stores = Awaited<ReturnType<typeof openPostgresStores>>;

/** Stores of a primary whose clients may read from a standby that is so many ms old. */
async function open(primary: Postgres, standby: Postgres, maxAge: number) {
  const replicas = { url: standby.url, maxAge };
  const server = { url: primary.url, poolSize: 5, replicas, deployment: "production" as const };
  const stores = await openPostgresStores(server, { checksCategories: false }, () => {}, []);
  if (stores.standbys === undefined) throw new Error("there are no standbys");
  return { ...stores, standbys: stores.standbys };
}

const create = ({ pets }: Pick<Stores, "pets">, name: string) =>
  pets.create({ name, categoryId: 1n }, { now: Date.now() });

async function namesIn({ pets }: Pick<Stores, "pets">): Promise<string[]> {
  return (await pets.list({ limit: 1_000, after: 0n })).map(({ name }) => name);
}

/** The position of the primary, or of what a standby has replayed, in bytes. */
async function walOf(server: Postgres): Promise<number> {
  const [row] = await server.query(
    `SELECT (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END - '0/0')::bigint AS wal`,
  );
  return Number(row?.wal);
}

test.each([
  [500, 125],
  [2_000, 500],
  [60_000, 1_000],
])("for reads that are %d ms old at most, standbys are compared every %d ms", async (maxAge, interval) => {
  states(
    "docs/scaling.md",
    "Each process asks the primary for its position in the write-ahead log four times in the duration, and at least every second, and then the standbys for theirs.",
  );
  // Nothing listens there: connections are made by the first comparison.
  const url = `postgres://127.0.0.1:${await freePort()}/petstore`;
  const primary = new Database(url, 3, () => {});
  const standbys = new Standbys(primary, { url, maxAge, poolSize: 3 }, () => {});
  expect(standbys.interval).toBe(interval);
  await Promise.all([standbys.close(), primary.close()]);
});

describe("with a standby", () => {
  let primary: Postgres;
  let standby: Postgres;
  beforeAll(async () => {
    primary = await startPostgres();
    standby = await startStandby(primary, { wal_retrieve_retry_interval: "100ms" });
  });
  afterAll(async () => {
    await Promise.all([primary.remove(), standby.remove()]);
  });

  /** Lets the stores know that the standby has all that there is now. */
  async function catchUp({ standbys }: Awaited<ReturnType<typeof open>>) {
    await standbys.compare();
    const wal = await walOf(primary);
    await eventually(async () => (await walOf(standby)) >= wal);
    await standbys.compare();
  }

  test("clients see what is as old as they allow, also while its replay is paused, and who follows a list misses nothing", async () => {
    states(
      "docs/scaling.md",
      "a pet with its former name, a removed pet, a list without the newest pet.",
      "A standby that has replayed a position is as new as the question; clocks do not matter.",
      "Two reads may go to two standbys, so the second may be older than the first.",
      "An `ETag` of a stale read gets 412 in a change with `If-Match`: read again.",
    );
    states(
      "docs/settings.md",
      "How old what clients read may be: `GET` of pets, categories and orders comes from a standby whose data are no older",
    );
    states(
      "docs/reliability.md",
      "What clients read is no older than `PETSTORE_REPLICA_READS`: then it comes from the primary. Nobody who follows a list by `after` misses a pet.",
    );
    states(
      "docs/scaling.md",
      "what clients read comes from the standbys in `DATABASE_REPLICA_URL` while their data are at most two seconds old, and from the primary otherwise",
      "A read may be older than the client's own write, by at most the duration",
      "Following a list by `after` still misses none.",
      "One that is behind,",
    );
    const maxAge = 1_000;
    const stores = await open(primary, standby, maxAge);
    let isOver = false;
    const problems = new Set<string>();
    const repeat = async (work: () => Promise<unknown>) => {
      for (; !isOver; await pause(10)) await work();
    };
    const createdAt = new Map<number, number>();
    const followed: number[] = [];
    const follow = async () => {
      const page = await stores.forClients.pets.list({ limit: 100, after: BigInt(followed.at(-1) ?? 0) });
      followed.push(...page.map(({ id }) => id));
      return page.length;
    };
    const running = [
      repeat(() => stores.standbys.compare().catch(({ message }) => problems.add(message))),
      repeat(async () => createdAt.set((await create(stores, "Rex")).id, performance.now())),
      repeat(async () => createdAt.set((await create(stores, "Mia")).id, performance.now())),
      repeat(follow),
    ];
    const late = new pg.Client(primary.url);
    await late.connect();
    for (const end of ["COMMIT", "ROLLBACK", "COMMIT"]) {
      await late.query("BEGIN");
      const { rows } = await late.query(
        "INSERT INTO petstore.pets (name, category_id, status) VALUES ('Late', 1, 'sold') RETURNING id",
      );
      await pause(300);
      await late.query(end);
      if (end === "COMMIT") createdAt.set(Number(rows[0].id), performance.now());
    }
    await late.end();
    // A position from while one was open hides what has greater ids.
    const closedAt = performance.now();
    running.push(
      repeat(async () => {
        const began = performance.now();
        const page = await stores.forClients.pets.list({ limit: 10_000, after: 0n });
        const ids = new Set(page.map(({ id }) => id));
        if (began - maxAge < closedAt) return;
        expect([...createdAt].filter(([id, at]) => at < began - maxAge && !ids.has(id))).toEqual([]);
      }),
    );
    await standby.query("SELECT pg_wal_replay_pause()");
    await eventually(() => [...problems].some((problem) => problem.includes("is behind")));
    await standby.query("SELECT pg_wal_replay_resume()");
    isOver = true;
    await Promise.all(running);
    expect([...problems]).toContain(`the standby 127.0.0.1:${standby.port} is behind: clients read from the primary`);
    await eventually(async () => (await follow()) === 0 && followed.length === createdAt.size);
    expect(followed).toEqual([...createdAt.keys()].sort((a, b) => a - b));
    await stores.close();
  });

  test("clients read from it, unless it hangs; what decides reads from the primary", async () => {
    states(
      "docs/scaling.md",
      "Everything else uses the primary: keys, limits, usage, the inventory, changes and their `If-Match`, the administration interface and the commands.",
    );
    states(
      "docs/reliability.md",
      "A standby that clients read from stops its replay, hangs (SIGSTOP), is promoted, or has a history that the primary does not have",
    );
    states("docs/reliability.md", "A standby that hangs delays a read by at most 0.25 s, and no further one.");
    states(
      "docs/scaling.md",
      "From a standby come `GET` of pets, categories and orders, one or a list.",
      "the inventory, changes",
      "A pet that was just added is found by its id: what a standby does not have is asked of the primary.",
      "a pet with its former name,",
      "A standby that hangs costs a request at most 0.25 s; then the process leaves it alone until it answers again.",
    );
    const stores = await open(primary, standby, 3_600_000);
    const { forClients } = stores;
    const rex = await create(stores, "Rex");
    const id = BigInt(rex.id);
    await stores.categories.put({ id: 7n, name: "Dogs" }, { now: NOW });
    const order = BigInt((await stores.orders.place(id, NOW)).created.id);
    await catchUp(stores);
    await standby.query("SELECT pg_wal_replay_pause()");
    const mia = await create(stores, "Mia");
    await stores.categories.put({ id: 7n, name: "Cats" }, { now: NOW });
    await stores.orders.update(order, "approved", NOW);
    await stores.pets.update(id, { name: "Max" }, { now: Date.now() });

    // On a busy machine it may take too long, and is asked again after a comparison.
    const comes = async (read: () => Awaitable<unknown>, expected: unknown) =>
      eventually(async () => {
        await stores.standbys.compare().catch(() => {});
        return isDeepStrictEqual(await read(), expected);
      });
    await comes(async () => (await namesIn(forClients)).at(-1), "Rex");
    await comes(async () => (await forClients.pets.get(id))?.name, "Rex");
    await comes(async () => (await forClients.categories.get(7n))?.name, "Dogs");
    await comes(async () => (await forClients.categories.list({ limit: 9 })).map(({ name }) => name), ["Dogs"]);
    await comes(async () => (await forClients.orders.get(order))?.status, "placed");
    await comes(async () => (await forClients.orders.list({ limit: 9, after: 0n })).at(-1)?.status, "placed");
    expect((await namesIn(stores)).slice(-2)).toEqual(["Max", "Mia"]);
    // It cannot know whether there is no such pet.
    expect(await forClients.pets.get(BigInt(mia.id))).toEqual(mia);
    await expect(forClients.orders.update(order, "approved", NOW)).rejects.toMatchObject({
      code: "invalid_transition",
    });
    expect(await forClients.pets.inventory()).toEqual(await stores.pets.inventory());

    await standby.query("SELECT pg_wal_replay_resume()");
    await catchUp(stores);
    standby.freeze();
    await create(stores, "Tom");
    const began = performance.now();
    for (let i = 0; i < 100; i++) expect((await namesIn(forClients)).at(-1)).toBe("Tom");
    // Only the first waits for it.
    expect(performance.now() - began).toBeLessThan(besideLoad(10_000));
    await expect(stores.standbys.compare()).rejects.toThrow();
    await stores.close();
    standby.thaw();
  });

  test("while the primary does not answer, reads come from it until the duration is over", async () => {
    states("docs/scaling.md", "If the primary does not answer, reads come from standbys until the duration is over.");
    const stores = await open(primary, standby, 5_000);
    await create(stores, "Rex");
    await catchUp(stores);
    primary.freeze();
    expect((await namesIn(stores.forClients)).at(-1)).toBe("Rex");
    const refusal = () => namesIn(stores.forClients).catch(({ code }) => code);
    await eventually(async () => (await refusal()) === "service_unavailable");
    primary.thaw();
    await stores.close();
  });

  test("a node whose settings allow it reads from it", async () => {
    states("docs/scaling.md", "Name each standby by its own address, not by that of a load balancer.");
    const replicas = { DATABASE_REPLICA_URL: standby.url, PETSTORE_REPLICA_READS: "1h" };
    const node = new Node(await freePort(), { DATABASE_URL: primary.url, ...replicas });
    await node.start();
    const { secret } = await createKeyOn(primary.url);
    const client = new Client({ url: node.url, headers: bearer(secret) });
    await eventually(async () => {
      const { body: created } = await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
      await standby.query("SELECT pg_wal_replay_pause()");
      const { body: hidden } = await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
      const { body: page } = await client.get(`/v1/pets?after=${created.id - 1}`);
      expect((await client.get(`/v1/pets/${hidden.id}`)).status).toBe(200);
      await standby.query("SELECT pg_wal_replay_resume()");
      return page.every(({ id }: { id: number }) => id < hidden.id);
    });
    await node.kill();
  });

  test("one that was promoted, or has a history that the primary does not have, is not read from", async () => {
    states("docs/monitoring.md", "`compare_standbys` (a standby is behind or away)");
    states(
      "docs/scaling.md",
      "One that is behind, away, or promoted is not read from, and the log has `a background task failed` with the task `compare_standbys`.",
      "After a failover another standby is used once it has made a restart point of the new primary's timeline, so at the latest after `checkpoint_timeout`.",
    );
    states(
      "docs/scaling.md",
      "or promoted is not read from",
      "One whose history the new primary does not have is never used.",
    );
    const other = await startStandby(primary);
    const before = await open(primary, standby, 3_600_000);
    await create(before, "Rex");
    const common = await walOf(primary);
    await eventually(async () => (await walOf(standby)) >= common);
    await standby.stop();
    for (let i = 0; i < 100; i++) await create(before, "Lost");
    const lost = await walOf(primary);
    await eventually(async () => (await walOf(other)) >= lost);
    await before.close();
    await primary.kill();
    await standby.start();
    await standby.query("SELECT pg_promote()");

    for (const replica of [standby, other]) {
      const after = await open(standby, replica, 3_600_000);
      for (let i = 0; i < 2; i++) await after.standbys.compare().catch(() => {});
      expect((await namesIn(after.forClients)).at(-1)).toBe("Rex");
      await after.close();
    }
    // Compared by positions alone, it has all that the primary has.
    expect(await walOf(other)).toBeGreaterThan(await walOf(standby));
    await other.remove();
  });
});
