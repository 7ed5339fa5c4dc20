import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { AuditLog, NewAuditEntry } from "../../src/domain/audit.ts";
import { randomBase62 } from "../../src/domain/keys/secret.ts";
import { type Endpoint, KEPT_DELIVERIES, type NewDelivery, type WebhookStore } from "../../src/domain/webhooks.ts";
import { states } from "../support/markdown.ts";
import type { Opened } from "./opened.ts";

export type WithWebhooks = { webhooks: WebhookStore; audit: AuditLog };

const NOW = Date.UTC(2026, 11, 2, 10);

const newEndpoint = (more: Partial<Endpoint> = {}): Endpoint => ({
  id: `whe_${randomBase62(16)}`,
  url: "https://shop.example.com/hook",
  types: [],
  description: "",
  secrets: [{ secret: "whsec_YWJj" }],
  createdAt: NOW,
  position: 1,
  failures: 0,
  revision: 0,
  ...more,
});

const entryOf = (target: string): NewAuditEntry => ({
  operator: { name: "test" },
  at: NOW,
  action: "webhook.update",
  target,
});

const delivery = (eventId: number, more: Partial<NewDelivery> = {}): NewDelivery =>
  ({ eventId, type: "pet.created", at: NOW, attempt: 1, milliseconds: 3, status: 200, ...more }) as NewDelivery;

/** What every WebhookStore does, on each engine. With `isShared` two processes compete for the leases. */
export function webhookStoreConformance(
  name: string,
  open: () => Promise<Opened<WithWebhooks>>,
  { isShared }: { isShared: boolean },
): void {
  describe(`${name} as a store of webhook endpoints`, () => {
    let opened: Opened<WithWebhooks>;
    let webhooks: WebhookStore;
    let other: WebhookStore;
    const entriesOf = async (target: string) => (await opened.store.audit.list({ limit: 100, target })).length;
    const added = async (more?: Partial<Endpoint>) => {
      const endpoint = newEndpoint(more);
      await webhooks.add(endpoint, entryOf(endpoint.id));
      return endpoint;
    };
    beforeAll(async () => {
      opened = await open();
      webhooks = opened.store.webhooks;
      other = opened.other.webhooks;
    });
    afterAll(() => opened.close());

    test("what is added comes back as it is, in both processes", async () => {
      const endpoints = [
        newEndpoint({ types: ["pet.created", "order.placed"], description: "Grüße, \"x\" 'y' 🐕" }),
        newEndpoint({
          failures: 3,
          nextAttemptAt: NOW + 5_000,
          secrets: [{ secret: "whsec_YQ==" }, { secret: "whsec_Yg==", expiresAt: NOW }],
        }),
        newEndpoint({ disabled: { at: NOW, by: "service", reason: "10 attempts failed" }, position: 2 ** 53 - 1 }),
      ];
      for (const endpoint of endpoints) {
        await webhooks.add(endpoint, entryOf(endpoint.id));
        await opened.refresh();
        expect(await webhooks.get(endpoint.id)).toEqual(endpoint);
        expect(await other.get(endpoint.id)).toEqual(endpoint);
        expect(await entriesOf(endpoint.id)).toBe(1);
      }
      const listed = (await other.list()).map(({ id }) => id);
      expect(listed.filter((id) => endpoints.some((one) => one.id === id)).toSorted()).toEqual(
        endpoints.map(({ id }) => id).toSorted(),
      );
      expect(await webhooks.get("whe_unknown")).toBeUndefined();
    });

    test("of two changes of the same state one is made, with its entry", async () => {
      const endpoint = await added();
      expect(await webhooks.replace({ ...endpoint, description: "a" }, entryOf(endpoint.id))).toBe(true);
      expect(await other.replace({ ...endpoint, description: "b" }, entryOf(endpoint.id))).toBe(false);
      await opened.refresh();
      expect(await other.get(endpoint.id)).toEqual({ ...endpoint, description: "a", revision: 1 });
      expect(await entriesOf(endpoint.id)).toBe(2);
    });

    test("what is removed is gone with its deliveries", async () => {
      const endpoint = await added();
      await webhooks.keep(endpoint.id, delivery(1), entryOf(endpoint.id));
      expect(await webhooks.delete(endpoint.id, entryOf(endpoint.id))).toBe(true);
      expect(await webhooks.delete(endpoint.id, entryOf(endpoint.id))).toBe(false);
      expect(await webhooks.get(endpoint.id)).toBeUndefined();
      expect(await webhooks.deliveries(endpoint.id)).toEqual([]);
      expect(await entriesOf(endpoint.id)).toBe(3);
    });

    test("the process that claimed an endpoint records how far it got, until somebody changes it", async () => {
      const { id } = await added();
      const claimed = (await webhooks.claim("one")).find((one) => one.id === id) as Endpoint;
      const failed = { status: undefined, error: "no answer within 10 s" } as const;
      const next = { ...claimed, position: 7, failures: 1, nextAttemptAt: NOW };
      const deliveries = [delivery(7), { ...delivery(8), ...failed } as NewDelivery];
      expect(await webhooks.record("one", next, deliveries)).toBe(true);
      await opened.refresh();
      expect(await other.get(id)).toEqual({ ...next, revision: 1 });
      expect(await other.deliveries(id)).toMatchObject([{ eventId: 8, error: failed.error }, delivery(7)]);
      expect(await webhooks.record("one", next, [delivery(9)])).toBe(false);
      expect(await webhooks.deliveries(id)).toHaveLength(2);
    });

    test("the last deliveries of each endpoint are kept, also beside those of others", async () => {
      states("docs/webhooks.md", "see what became of an event | Look at the deliveries: the last 100 attempts");
      const [first, second] = [await added(), await added()];
      await webhooks.keep(first.id, delivery(1), entryOf(first.id));
      const claimed = (await webhooks.claim("one")).find(({ id }) => id === second.id) as Endpoint;
      const many = Array.from({ length: KEPT_DELIVERIES + 30 }, (_, i) => delivery(i));
      expect(await webhooks.record("one", claimed, many)).toBe(true);
      expect(await webhooks.record("one", { ...claimed, revision: 1 }, [delivery(1_000)])).toBe(true);
      await opened.refresh();
      const kept = await other.deliveries(second.id);
      expect(kept).toHaveLength(KEPT_DELIVERIES);
      expect(kept[0]?.eventId).toBe(1_000);
      expect(kept.at(-1)?.eventId).toBe(31);
      expect(await other.deliveries(first.id)).toHaveLength(1);
    });

    test("disabled endpoints are claimed by nobody", async () => {
      const { id } = await added({ disabled: { at: NOW, by: "operator", reason: "x" } });
      expect((await webhooks.claim("one")).map((one) => one.id)).not.toContain(id);
    });

    if (isShared) {
      test("one process has the lease of an endpoint until it releases it", async () => {
        const { id } = await added();
        const has = async (store: WebhookStore, process: string) =>
          (await store.claim(process)).some((one) => one.id === id);
        expect(await has(webhooks, "one")).toBe(true);
        expect(await has(other, "two")).toBe(false);
        expect(await has(webhooks, "one")).toBe(true);
        const claimed = (await webhooks.get(id)) as Endpoint;
        expect(await other.record("two", { ...claimed, position: 9 }, [])).toBe(false);
        await webhooks.release("one");
        expect(await has(other, "two")).toBe(true);
        expect(await has(webhooks, "one")).toBe(false);
        expect(await webhooks.record("one", { ...claimed, position: 9 }, [])).toBe(false);
        await other.release("two");
      });
    }
  });
}
