import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import pg from "pg";
import { postgresBulk } from "../../../src/adapters/postgres/bulk.ts";
import { PostgresOrders } from "../../../src/adapters/postgres/changes.ts";
import { Database } from "../../../src/adapters/postgres/database.ts";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import { PostgresPets } from "../../../src/adapters/postgres/pets.ts";
import { sqlCategories } from "../../../src/adapters/sql/categories.ts";
import { SqlIdempotencyKeys } from "../../../src/adapters/sql/idempotency-keys.ts";
import { besideLoad, eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { hasPgBouncer, PgBouncer } from "../../support/pgbouncer.ts";
import { createDatabase, sharedPostgresUrl } from "../../support/shared-postgres.ts";

const NOW = Date.UTC(2026, 11, 2);
/** How long docs/paging.md promises that an open insertion hides new ids at most, in ms. */
const MOST_HIDDEN = 5_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

type Lists = { list(page: { limit: number; after: bigint }): unknown };
type Node = ReturnType<typeof nodeOf>;

function nodeOf(database: Database) {
  const idempotencyKeys = new SqlIdempotencyKeys(database);
  return {
    database,
    pets: new PostgresPets(database, idempotencyKeys),
    orders: new PostgresOrders(database, idempotencyKeys),
    categories: sqlCategories(database, idempotencyKeys),
    bulk: postgresBulk(database),
  };
}

/** Follows a list from node to node by `after=<last id>`. `stop` returns all ids that it saw, in order. */
function follow(nodes: readonly Lists[]) {
  const seen: number[] = [];
  let isOver = false;
  const more = async () => {
    const node = nodes[seen.length % nodes.length] as Lists;
    const page = (await node.list({ limit: 100, after: BigInt(seen.at(-1) ?? 0) })) as { id: number | bigint }[];
    seen.push(...page.map(({ id }) => Number(id)));
    return page.length;
  };
  const following = (async () => {
    while (!isOver) if ((await more()) === 0) await pause(1);
    while ((await more()) > 0);
  })();
  return {
    async stop() {
      isOver = true;
      await following;
      return seen;
    },
  };
}

describe.each([["direct", false] as const, ...(hasPgBouncer ? [["behind PgBouncer", true] as const] : [])])(
  "%s",
  (_, isPooled) => {
    let created: Awaited<ReturnType<typeof createDatabase>>;
    let pooler: PgBouncer | undefined;
    let nodes: Node[];
    let first: Node;

    beforeAll(async () => {
      created = await createDatabase();
      if (isPooled) pooler = await PgBouncer.before({ port: Number(new URL(await sharedPostgresUrl()).port) }, 20);
      const url = pooler?.through(created.url) ?? created.url;
      nodes = Array.from({ length: 3 }, () => nodeOf(new Database(url, 6, () => {})));
      [first] = nodes as [Node];
      await migrate(first.database, "production");
    });
    afterAll(async () => {
      for (const { database } of nodes) await database.close();
      await pooler?.remove();
      await created.drop();
    });

    /** Opens a transaction that adds a pet, as one of a node that stops before it commits. */
    async function openInsertion() {
      const client = new pg.Client(created.url);
      client.on("error", () => {});
      await client.connect();
      await client.query("BEGIN");
      const { rows } = await client.query(
        "INSERT INTO petstore.pets (name, category_id, status, name_key) VALUES ('Late', 1, 'sold', 'late') RETURNING id",
      );
      return { id: Number(rows[0].id), client };
    }

    test("who follows the lists sees each id once, beside creations, an import, and transactions that end late", async () => {
      states(
        "docs/development/stores.md",
        "Ids come from a sequence, and transactions end in any order, so a greater id may be visible before a smaller one.",
      );
      states(
        "docs/reliability.md",
        "over three nodes with six creators, an import and transactions that ended late, each id was seen once, also behind PgBouncer",
      );
      const followers = [0, 1].map(() => follow(nodes.map(({ pets }) => pets)));
      const orders = follow(nodes.map(({ orders: theirs }) => theirs));
      const categories = follow(nodes.map(({ categories: theirs }) => theirs));
      const create = async (node: Node, creator: number) => {
        for (let i = 0; i < 40; i++) {
          const pet = { name: "Rex", categoryId: BigInt(i) };
          const [plain] = await Promise.all([
            node.pets.create(pet, { now: Date.now() }),
            node.pets.createIdempotently(pet, { keyId: `key_${creator}`, key: String(i), now: NOW }),
            node.pets.create(pet, { by: { operator: { name: "Ada" } }, now: NOW }),
          ]);
          await node.orders.place(BigInt(plain.id), NOW);
          if (i % 4 === 0) await node.categories.create({ name: `${creator} ${i}` }, { now: Date.now() });
        }
      };
      const imports = async ({ bulk }: Node) => {
        for (let i = 0; i < 20; i++) {
          const pets = Array.from({ length: 100 }, () => ({ name: "Mia", categoryId: 1n }));
          await bulk.add(pets, { at: NOW, operator: { name: "Ada" }, action: "pet.create" });
        }
      };
      const endLate = async () => {
        for (const end of ["COMMIT", "ROLLBACK", "COMMIT"]) {
          const { client } = await openInsertion();
          await pause(150);
          await client.query(end);
          await client.end();
        }
      };
      await Promise.all([
        ...nodes.flatMap((node, i) => [create(node, 2 * i), create(node, 2 * i + 1)]),
        imports(first),
        endLate(),
      ]);
      const all = async (table: string) =>
        (await first.database.all(`SELECT id FROM petstore.${table} ORDER BY id`)).map(({ id }) => Number(id));
      for (const follower of followers) expect(await follower.stop()).toEqual(await all("pets"));
      expect(await orders.stop()).toEqual(await all("orders"));
      expect(await categories.stop()).toEqual(await all("categories"));
    });

    test("an open insertion hides greater ids only from lists by position", async () => {
      states(
        "docs/paging.md",
        "On PostgreSQL, where several nodes add pets at the same time, a new pet is therefore missing from lists while a pet with a smaller id is being added: some milliseconds as a rule, and at most 5 seconds.",
      );
      states(
        "docs/paging.md",
        "a new pet is therefore missing from lists while a pet with a smaller id is being added:",
        "Its own address and a list with `ids` have it at once,",
      );
      const { id, client } = await openInsertion();
      const pet = await first.pets.create({ name: "Hidden", categoryId: 5n }, { now: Date.now() });
      expect(pet.id).toBeGreaterThan(id);
      for (const { pets } of nodes) {
        expect(await pets.list({ limit: 100, after: BigInt(id - 1) })).toEqual([]);
        const [newest] = await pets.list({ limit: 1, after: 2n ** 60n, order: "desc" });
        expect(newest?.id).toBeLessThan(id);
        expect(await pets.get(BigInt(pet.id))).toEqual(pet);
        expect(await pets.list({ limit: 1, after: 0n, ids: [BigInt(pet.id)] })).toEqual([pet]);
      }
      await client.query("COMMIT");
      await client.end();
      for (const { pets } of nodes) {
        const page = await pets.list({ limit: 100, after: BigInt(id - 1) });
        expect(page.map((one) => one.id)).toEqual([id, pet.id]);
        expect(await pets.list({ limit: 1, after: 2n ** 60n, order: "desc" })).toEqual([pet]);
      }
    });

    test("a creation that has its id, and waits for another request with its idempotency key, hides greater ids", async () => {
      const [pet, key] = [
        { name: "Rex", categoryId: 6n },
        { keyId: "key_waits", key: "1", now: NOW },
      ];
      const client = new pg.Client(created.url);
      await client.connect();
      await client.query("BEGIN");
      await client.query(
        `INSERT INTO petstore.idempotency_keys (key_id, idempotency_key, created_at, request, created_id)
           VALUES ('key_waits', '1', ${NOW}, '', 0)`,
      );
      const waiting = first.pets.createIdempotently(pet, key);
      const isWaiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await eventually(async () => (await client.query(isWaiting)).rows.length > 0);
      const later = await first.pets.create(pet, { now: Date.now() });
      for (const { pets } of nodes) expect(await pets.list({ limit: 9, after: BigInt(later.id - 1) })).toEqual([]);
      await client.query("ROLLBACK");
      await client.end();
      const { created: earlier } = await waiting;
      expect(earlier.id).toBeLessThan(later.id);
      for (const { pets } of nodes) {
        expect(await pets.list({ limit: 9, after: BigInt(earlier.id - 1) })).toEqual([earlier, later]);
      }
    });

    test("an open placement hides no order from the list of another pet", async () => {
      states("docs/paging.md", "and the orders of one pet (`petId`) have a new order at once.");
      const [late, sold] = await Promise.all(
        [1n, 2n].map((categoryId) => first.pets.create({ name: "Rex", categoryId }, { now: Date.now() })),
      );
      const client = new pg.Client(created.url);
      await client.connect();
      await client.query("BEGIN");
      await client.query(
        "INSERT INTO petstore.orders (pet_id, status, created_at, updated_at) VALUES ($1, 'placed', 1, 1)",
        [late?.id],
      );
      const petId = BigInt(sold?.id ?? 0);
      const { created: order } = await first.orders.place(petId, NOW);
      for (const { orders } of nodes) {
        expect(await orders.list({ limit: 9, petId })).toEqual([order]);
        expect(await orders.list({ limit: 9, after: BigInt(order.id - 1) })).toEqual([]);
      }
      await client.query("ROLLBACK");
      await client.end();
    });

    test("transactions that add nothing hide nothing", async () => {
      states("docs/scaling.md", "Ids come from one sequence, so that they increase:");
      states("docs/development/stores.md", "Other transactions of the server do not matter.");
      const client = new pg.Client(created.url);
      await client.connect();
      await client.query("BEGIN");
      await client.query("INSERT INTO petstore.counters VALUES ('key_1', '')");
      const pet = await first.pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
      expect(await first.pets.list({ limit: 9, after: BigInt(pet.id - 1) })).toEqual([pet]);
      await client.query("ROLLBACK");
      await client.end();
    });

    test("an insertion that does not end is ended, and hides nothing any more", async () => {
      states(
        "docs/development/stores.md",
        "An insertion that is open for 4 s is ended, because it hides all that come after it.",
      );
      states(
        "docs/reliability.md",
        "Nobody who follows a list by `after` misses a pet. The transaction is ended, and its pet was not acknowledged.",
      );
      states(
        "docs/reliability.md",
        "A transaction that adds a pet stays open, as of a node that hangs | Lists end before its id, and show all later pets within 5 s.",
        "The transaction is ended, and its pet was not acknowledged.",
      );
      states(
        "docs/running.md",
        "Transactions that add pets or orders and stay open for 4 s, because their node hangs, are ended by the other nodes",
      );
      const { id, client } = await openInsertion();
      const began = performance.now();
      const pet = await first.pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
      let page: { id: number }[] = [];
      while (page.length === 0 && performance.now() - began < 2 * MOST_HIDDEN) {
        await pause(50);
        page = await first.pets.list({ limit: 9, after: BigInt(id - 1) });
      }
      expect(page).toEqual([pet]);
      expect(performance.now() - began).toBeLessThan(besideLoad(MOST_HIDDEN));
      await expect(client.query("COMMIT")).rejects.toThrow();
    });
  },
);
