import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { deleteEnded, type Retained } from "../../src/adapters/sql/retention.ts";
import type { Sql } from "../../src/adapters/sql/sql.ts";
import { detailsOf } from "../../src/domain/events.ts";
import type { Key, StoredSecret } from "../../src/domain/keys/key.ts";
import { hashOf, newSecret, randomBase62 } from "../../src/domain/keys/secret.ts";
import { noActivity } from "../../src/domain/keys/store.ts";
import { OrderStatus, type StoredOrder } from "../../src/domain/orders.ts";
import type { Stores } from "../../src/wiring/stores.ts";
import { changedStates } from "../support/changed-states.ts";
import { eventuallyHolds } from "../support/holds.ts";
import { states } from "../support/markdown.ts";
import { ENTRY } from "./entry.ts";
import type { Opened } from "./opened.ts";

type Store = Pick<Stores, "pets" | "orders" | "keys" | "counters" | "audit"> & { sql: Sql };

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 11, 2);
const day = fc.integer({ min: 0, max: 9 }).map((days) => NOW - days * DAY);
/** The changes that lead to each status of an order. */
const CHANGES: Record<OrderStatus, OrderStatus[]> = {
  placed: [],
  approved: ["approved"],
  delivered: ["approved", "delivered"],
  cancelled: ["cancelled"],
};
const order = fc.record({ status: fc.constantFrom(...OrderStatus.options), placedAt: day, changedAt: day });
const key = fc.record({
  createdAt: day,
  revokedAt: fc.option(day),
  oldSecret: fc.option(day),
  calledAt: fc.option(day),
});

/** How what is old is deleted from the tables that nothing else is deleted from. */
export function retentionConformance(engine: string, open: () => Promise<Opened<Store>>): void {
  describe(`${engine} deletes what ended long ago`, () => {
    let opened: Opened<Store>;
    let store: Store;
    /** What the store should have. */
    const orders = new Map<number, StoredOrder>();
    let lastOrder = 0;
    const keys = new Map<string, { key: Key; secrets: StoredSecret[]; calledAt: number | undefined }>();
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened.close());

    const deletes = async (kind: Retained, before: number, sql = store.sql) => {
      let deleted = 0;
      for await (const rows of deleteEnded(sql, { kind, before, now: NOW })) deleted += rows;
      await opened.refresh();
      return deleted;
    };

    async function addOrder({
      status,
      placedAt,
      changedAt,
    }: {
      status: OrderStatus;
      placedAt: number;
      changedAt: number;
    }) {
      const { id } = await store.pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
      let { created } = await store.orders.place(BigInt(id), placedAt);
      expect(created.id).toBeGreaterThan(lastOrder);
      lastOrder = created.id;
      for (const next of CHANGES[status]) created = await store.orders.update(BigInt(created.id), next, changedAt);
      orders.set(created.id, created);
    }

    async function addKey({
      createdAt,
      revokedAt,
      oldSecret,
      calledAt,
    }: { [name: string]: number | null } & { createdAt: number }) {
      const added: Key = {
        id: `key_${randomBase62(16)}`,
        name: "Shop",
        plan: "free",
        limits: { perMinute: 60, perDay: 1_000 },
        scopes: ["pets:read"],
        createdAt,
        ...(typeof revokedAt === "number" && { revokedAt: Math.max(createdAt, revokedAt) }),
      };
      const secretWith = (expiresAt?: number): StoredSecret => {
        const secret = newSecret("production");
        const dates = { createdAt, ...(expiresAt !== undefined && { expiresAt }) };
        return { hash: hashOf(secret), keyId: added.id, lastFour: secret.slice(-4), ...dates };
      };
      const [first, second] = [secretWith(), secretWith()];
      await store.keys.add(added, first, ENTRY);
      const secrets = [second];
      if (typeof oldSecret === "number") {
        const ended = { ...first, expiresAt: oldSecret };
        await store.keys.replace(added, 1, ENTRY, { added: second, ended: [ended] });
        secrets.push(ended);
      } else secrets[0] = first;
      if (typeof calledAt === "number") {
        const calls = { calls: 2, lastCalledAt: calledAt };
        const deprecated = new Map([["getPet", new Map([[added.id, calls]])]]);
        await store.counters.save(changedStates(), { ...noActivity(), deprecated });
      }
      keys.set(added.id, { key: added, secrets, calledAt: calledAt ?? undefined });
    }

    const allOrders = async () => {
      const found: StoredOrder[] = [];
      for (let after = 0n; ; ) {
        const page = await store.orders.list({ limit: 100, after });
        found.push(...page);
        if (page.length < 100) return found;
        after = BigInt(page.at(-1)?.id ?? 0);
      }
    };

    async function expectOrders() {
      expect(await allOrders()).toEqual([...orders.values()].sort((a, b) => a.id - b.id));
      const counted = Object.fromEntries(OrderStatus.options.map((status) => [status, 0]));
      for (const { status } of orders.values()) counted[status] = (counted[status] ?? 0) + 1;
      expect<object>(await store.orders.counts()).toEqual(counted);
    }

    async function deletionEvents(): Promise<[id: number, version: number][]> {
      const text = "SELECT resource_id, members FROM petstore.events WHERE type = 'order.deleted' ORDER BY id";
      const rows = await store.sql.all(text);
      return rows.map((row) => [Number(row.resource_id), detailsOf({ text: String(row.members) }).version]);
    }

    test("orders that are over and no others, at any age; the counts stay exact", async () => {
      states("docs/data.md", "What is deleted comes back only from a backup.");
      states("docs/data.md", "It does not know that of a deleted order: edit files that were exported since.");
      states(
        "docs/settings.md",
        "For how many days after its last change a delivered or cancelled order is kept, before the service deletes it.",
      );
      states(
        "docs/data.md",
        "orders that are delivered or cancelled",
        "orders that are delivered or cancelled | `PETSTORE_ORDERS_DAYS` | their last change",
        "Orders that are placed or approved stay at any age",
      );
      const property = fc.asyncProperty(fc.array(order, { maxLength: 8 }), day, async (added, before) => {
        for (const one of added) await addOrder({ ...one, changedAt: Math.max(one.placedAt, one.changedAt) });
        const inventory = await store.pets.inventory();
        const isOver = ({ status, updatedAt }: StoredOrder) =>
          (status === "delivered" || status === "cancelled") && updatedAt < before;
        const over = [...orders.values()].filter(isOver);
        const events = await deletionEvents();
        expect(await deletes("orders", before)).toBe(over.length);
        // A client that follows the orders learns that they are gone.
        expect((await deletionEvents()).slice(events.length)).toEqual(
          expect.arrayContaining(over.map(({ id, version }) => [id, version + 1])),
        );
        expect(await deletionEvents()).toHaveLength(events.length + over.length);
        for (const { id } of over) orders.delete(id);
        await expectOrders();
        expect(await store.pets.inventory()).toEqual(inventory);
        expect(await deletes("orders", before)).toBe(0);
      });
      await eventuallyHolds(property, 10);
    });

    test("orders in many batches, by two processes at once, each order counted once", async () => {
      states("docs/data.md", "PostgreSQL finds the rows by an index, and leaves out those that others have locked;");
      states("docs/data.md", "nodes may do it at the same time.");
      for (let i = 0; i < 230; i++)
        await addOrder({ status: i % 3 === 0 ? "placed" : "cancelled", placedAt: 1, changedAt: i % 2 });
      const before = orders.size;
      const deleted = await Promise.all([deletes("orders", 2), deletes("orders", 2, opened.other.sql)]);
      expect(deleted[0] + deleted[1] + (await deletes("orders", 2))).toBe(153);
      for (const [id, { status, createdAt }] of orders)
        if (createdAt === 1 && status === "cancelled") orders.delete(id);
      expect(orders.size).toBe(before - 153);
      await expectOrders();
    });

    test("announces a deletion once, and again when it deletes more", async () => {
      const announced = async () => {
        const entries = await store.audit.list({ limit: 100, action: ["retention.delete"], target: "orders" });
        return entries.map(({ after }) => (after as { before: string }).before);
      };
      const added = async (before: number) => {
        await addOrder({ status: "cancelled", placedAt: 1, changedAt: before - 1 });
        const known = await announced();
        expect(await deletes("orders", before)).toBe(1);
        orders.delete(lastOrder);
        return (await announced()).slice(0, (await announced()).length - known.length);
      };
      const [first, later] = [NOW - 30 * DAY, NOW - 29 * DAY];
      expect(await added(first)).toEqual([new Date(first).toISOString()]);
      expect(await added(first)).toEqual([]);
      expect(await added(later)).toEqual([new Date(later).toISOString()]);
      expect(await deletes("orders", later)).toBe(0);
    });

    test("orders that ended long ago, also after a whole batch of older ones that have just ended", async () => {
      states("docs/development/stores.md", "so no page of young rows writes anything.");
      for (let i = 0; i < 120; i++) await addOrder({ status: "cancelled", placedAt: 1, changedAt: i < 110 ? NOW : 1 });
      expect(await deletes("orders", 2)).toBe(10);
      for (const [id, { status, updatedAt }] of orders)
        if (status === "cancelled" && updatedAt === 1) orders.delete(id);
      await expectOrders();
    });

    test("revoked keys, secrets after their grace period, and callers; searches and sums agree", async () => {
      states("docs/data.md", "Usage of a deleted key stays in the totals and in that of its plan, for 400 days.");
      states(
        "docs/data.md",
        "and `invalid_api_key` in place of `revoked_api_key` or `expired_api_key` for a deleted key or secret.",
        "Lists of the busiest keys leave the key out, so with `PETSTORE_KEYS_DAYS=400` or more they miss none.",
      );
      states(
        "docs/settings.md",
        "The same for revoked keys, for secrets after their grace period, and for callers of deprecated operations after their last call.",
      );
      states(
        "docs/data.md",
        "keys that are revoked, with their secrets and their calls of deprecated operations",
        "keys that are revoked, with their secrets and their calls of deprecated operations | `PETSTORE_KEYS_DAYS` | they were revoked",
        "secrets that a rotation replaced",
        "secrets that a rotation replaced | `PETSTORE_KEYS_DAYS` | the end of their grace period",
        "callers of deprecated operations, which then leave the counts of callers and calls, too",
        "callers of deprecated operations, which then leave the counts of callers and calls, too | `PETSTORE_KEYS_DAYS` | their last call",
        "and so do keys that are active, disabled or expired. The inventory, the counts of orders and keys, and the ids that are given next do not change by it, and a search does not find a key by a secret that it no longer has.",
      );
      const property = fc.asyncProperty(fc.array(key, { maxLength: 6 }), day, async (added, before) => {
        for (const one of added) await addKey(one);
        const gone: string[] = [];
        for (const [id, { key, secrets, calledAt }] of keys) {
          const kept = secrets.filter(({ expiresAt = NOW }) => expiresAt >= before);
          const isKept = key.revokedAt === undefined || key.revokedAt >= before;
          gone.push(...secrets.filter((secret) => !isKept || !kept.includes(secret)).map(({ lastFour }) => lastFour));
          if (isKept) keys.set(id, { key, secrets: kept, calledAt: (calledAt ?? 0) < before ? undefined : calledAt });
          else keys.delete(id);
        }
        await deletes("keys", before);
        for (const [id, { key, secrets }] of keys) {
          const found = await store.keys.get(id);
          expect(found?.key).toEqual(key);
          expect(found?.secrets.map(({ hash }) => hash).sort()).toEqual(secrets.map(({ hash }) => hash).sort());
        }
        const { byState } = await store.keys.counts(NOW);
        expect(Object.values(byState).reduce((sum, count) => sum + count)).toBe(keys.size);
        for (const text of gone) {
          const found = await store.keys.list({ search: text.toLowerCase(), order: "newest", limit: 100 }, NOW);
          expect(found.filter(({ key, secrets }) => !keys.has(key.id) || !isFoundBy(text, key, secrets))).toEqual([]);
        }
        const callers = [...keys.values()].filter(({ calledAt }) => calledAt !== undefined);
        expect(await store.counters.callTotal("getPet")).toEqual({
          callers: callers.length,
          calls: 2 * callers.length,
        });
        const listed = await store.counters.callers({ order: "keyId", limit: 1_000 });
        expect(listed.map(({ keyId }) => keyId).sort()).toEqual(callers.map(({ key }) => key.id).sort());
        expect(await deletes("keys", before)).toBe(0);
      });
      await eventuallyHolds(property, 10);
    });

    test("entries of the audit log, and announces each deletion there", async () => {
      states("docs/data.md", "entries of the audit log", "by `retention`, with the time before which they ended");
      const ages = Array.from({ length: 70 }, (_, i) => NOW - 20 * DAY + i);
      for (const at of ages) await store.audit.append({ ...ENTRY, at, action: "pet.update" });
      const before = NOW - 20 * DAY + 65;
      const left = async () =>
        (await store.audit.list({ limit: 100, action: ["pet.update"] })).map(({ at }) => at).sort();
      await deletes("audit", before);
      expect(await left()).toEqual(ages.slice(65));
      const [announced] = await store.audit.list({ limit: 1, target: "audit" });
      expect(announced).toMatchObject({
        at: NOW,
        operator: { name: "retention" },
        action: "retention.delete",
        after: { before: new Date(before).toISOString() },
      });
      expect(await deletes("audit", before)).toBe(0);
    });

    test("nothing else of the audit log, which stays append-only", async () => {
      states(
        "docs/development/stores.md",
        "A trigger of the audit log lets through what the newest entry `retention.delete` announces, which is a part of the same transaction.",
      );
      states("SECURITY.md", "Each change is in an append-only log.");
      states(
        "docs/administration.md",
        "Entries cannot be changed, and only a retention deletes them: the database itself refuses everything else.",
      );
      states(
        "docs/data.md",
        "Entries that such an entry announces are the only ones that the database lets anybody delete: it refuses every change, and every other deletion.",
      );
      const statements = [
        `DELETE FROM petstore.audit WHERE at >= ${NOW - 20 * DAY + 65}`,
        "DELETE FROM petstore.audit",
        "DELETE FROM petstore.audit WHERE action <> 'retention.delete'",
        "UPDATE petstore.audit SET operator_name = 'nobody'",
        "UPDATE petstore.audit SET at = 0",
        // PostgreSQL alone has it: no trigger of rows sees it.
        "TRUNCATE petstore.audit",
      ];
      // One that may be deleted, as when a retention was interrupted, takes no other one with it.
      await store.audit.append({ ...ENTRY, at: NOW - 20 * DAY, action: "pet.create" });
      const entries = await store.audit.list({ limit: 100 });
      for (const text of statements) await expect(store.sql.commit({ text, values: {} })).rejects.toThrow();
      expect(await store.audit.list({ limit: 100 })).toEqual(entries);
    });
  });
}

function isFoundBy(text: string, { id, name }: Key, secrets: StoredSecret[]): boolean {
  const searched = `${id} ${name}\n${secrets.map(({ lastFour }) => lastFour).join(" ")}`;
  return searched.toLowerCase().includes(text.toLowerCase());
}
