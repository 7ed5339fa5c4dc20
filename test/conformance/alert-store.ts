import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Alert, type AlertStore, KEPT_ALERTS, type NewAlert } from "../../src/domain/alerts.ts";
import type { AuditLog } from "../../src/domain/audit.ts";
import { TESTER } from "../support/author.ts";
import { states } from "../support/markdown.ts";
import type { Opened } from "./opened.ts";

export type WithAlerts = { alerts: AlertStore; audit: AuditLog };

const NOW = Date.UTC(2026, 11, 2, 10);
const banned = (key: string): NewAlert => ({ type: "alert.key_banned", subject: `keys/${key}`, message: `Ban ${key}` });
const entryOf = (id: number) => ({ ...TESTER, at: NOW, action: "alert.acknowledge", target: String(id) }) as const;

/** What every AlertStore does, on each engine. */
export function alertStoreConformance(name: string, open: () => Promise<Opened<WithAlerts>>): void {
  describe(`${name} as a store of alerts`, () => {
    let opened: Opened<WithAlerts>;
    let alerts: AlertStore;
    let other: AlertStore;
    const raised = async (key: string): Promise<Alert> => {
      await alerts.change([banned(key)], [], NOW);
      await opened.refresh();
      const found = (await alerts.open()).find(({ subject }) => subject === `keys/${key}`);
      return found ?? expect.unreachable();
    };
    beforeAll(async () => {
      opened = await open();
      alerts = opened.store.alerts;
      other = opened.other.alerts;
    });
    afterAll(() => opened.close());

    test("of processes that raise the same alert at once, one does, and another when it has ended", async () => {
      const one = banned("one");
      await Promise.all([alerts, other, alerts, other].map((store) => store.change([one, banned("two")], [], NOW)));
      await opened.refresh();
      const open = await other.open();
      expect(open).toEqual([one, banned("two")].map((alert) => expect.objectContaining({ ...alert, raisedAt: NOW })));
      const ids = open.map(({ id }) => id);
      await Promise.all([alerts, other].map((store) => store.change([], ids, NOW + 1)));
      await opened.refresh();
      expect(await alerts.open()).toEqual([]);
      await other.change([one], [], NOW + 2);
      await opened.refresh();
      const kept = await alerts.list({ limit: 10 });
      expect(kept.map(({ raisedAt, endedAt }) => [raisedAt, endedAt])).toEqual([
        [NOW + 2, undefined],
        [NOW, NOW + 1],
        [NOW, NOW + 1],
      ]);
    });

    test("each alert that is raised or ends is a message with the next position, in both processes", async () => {
      states(
        "docs/development/stores.md",
        "Each alert that is raised or ends takes the next position in a transaction that locks the row of `deployment`, so positions appear in order, and a partial unique index keeps one alert of a type and subject open.",
      );
      const before = await other.newest();
      const { id } = await raised("three");
      await other.change([], [id], NOW + 5);
      await opened.refresh();
      expect(await alerts.newest()).toBe(before + 2n);
      const [message, ...others] = await alerts.messages({ after: before, limit: 10 });
      expect(message).toMatchObject({ id: Number(before + 2n), at: NOW + 5, alert: { id, endedAt: NOW + 5 } });
      expect(others).toEqual([]);
      expect(await alerts.messages({ after: before + 2n, limit: 10 })).toEqual([]);
    });

    test("messages are in the order of their positions, page by page", async () => {
      states("docs/development/stores.md", "They have a table of their own, and are no events:");
      const before = await other.newest();
      const [older, newer] = [await raised("order-1"), await raised("order-2")];
      await alerts.change([], [older.id], NOW + 1);
      await opened.refresh();
      const expected = [newer.id, older.id].map((id, i) => ({ id: Number(before) + 2 + i, alert: { id } }));
      const idsOf = async (after: bigint, limit: number) =>
        (await other.messages({ after, limit })).map(({ id, alert }) => ({ id, alert: { id: alert.id } }));
      expect(await idsOf(before, 10)).toEqual(expected);
      expect(await idsOf(before, 1)).toEqual(expected.slice(0, 1));
      expect(await idsOf(before + 2n, 1)).toEqual(expected.slice(1));
    });

    test("of processes that end an alert, the first does", async () => {
      const { id } = await raised("ends-once");
      const before = await alerts.newest();
      await alerts.change([], [id], NOW + 1);
      await opened.refresh();
      await other.change([], [id, 999_999], NOW + 2);
      await opened.refresh();
      expect(await alerts.newest()).toBe(before + 1n);
      expect((await alerts.list({ limit: 1, before: id + 1 }))[0]).toMatchObject({ id, endedAt: NOW + 1 });
    });

    test("an alert is acknowledged once, with its entry, and is no message", async () => {
      const { id } = await raised("four");
      const before = await alerts.newest();
      const sent = await alerts.messages({ after: before - 1n, limit: 1 });
      const first = await alerts.acknowledge(id, entryOf(id));
      // Each attempt at the message has the same body.
      expect(await alerts.messages({ after: before - 1n, limit: 1 })).toEqual(sent);
      expect(first?.acknowledged).toEqual({ at: NOW, by: TESTER.operator.name });
      await opened.refresh();
      expect(await other.acknowledge(id, { ...entryOf(id), at: NOW + 9 })).toEqual(first);
      const entries = await opened.store.audit.list({ limit: 9, target: String(id) });
      expect(entries.map(({ action }) => action)).toEqual(["alert.acknowledge"]);
      expect(await alerts.newest()).toBe(before);
      expect(await alerts.acknowledge(999_999, entryOf(999_999))).toBeUndefined();
      const ofState = async (state: "open" | "acknowledged" | "ended") =>
        (await alerts.list({ limit: 10, state })).map((alert) => alert.id);
      expect(await ofState("acknowledged")).toEqual([id]);
      expect(await ofState("open")).not.toContain(id);
      expect(await ofState("ended")).not.toContain(id);
    });

    test("the last alerts that have ended are kept, and all that are open", async () => {
      states("docs/monitoring.md", "the last 1,000 that ended are kept.");
      const { id: open } = await raised("five");
      const many = Array.from({ length: KEPT_ALERTS + 1 }, (_, i) => banned(`many-${i}`));
      await alerts.change(many, [], NOW);
      await opened.refresh();
      const [first = 0, ...ended] = (await alerts.open())
        .filter(({ message }) => message.startsWith("Ban many"))
        .map(({ id }) => id);
      await alerts.change([], [first], NOW + 1);
      const newest = await alerts.newest();
      await alerts.change([], ended, NOW + 1);
      await opened.refresh();
      expect(await alerts.newest()).toBe(newest + BigInt(KEPT_ALERTS));
      const kept = await alerts.list({ limit: 5_000 });
      expect(kept.filter(({ endedAt }) => endedAt !== undefined)).toHaveLength(KEPT_ALERTS);
      expect(kept.map(({ id }) => id)).toContain(open);
      expect(kept.map(({ id }) => id)).not.toContain(first);
    });
  });
}
