import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Action,
  type AuditFilter,
  type AuditLog,
  actions,
  IMPORT_PAUSE,
  type NewAuditEntry,
  type RecordedEntry,
} from "../../src/domain/audit.ts";
import { parseJson } from "../../src/domain/json.ts";
import type { Key } from "../../src/domain/keys/key.ts";
import { generateSecret, hashOf, newSecret, randomBase62 } from "../../src/domain/keys/secret.ts";
import type { KeyStore } from "../../src/domain/keys/store.ts";
import {
  type Identity,
  type Operator,
  type OperatorStore,
  roles,
  type Session,
  type SignInLink,
} from "../../src/domain/operators.ts";
import { eventuallyHolds } from "../support/holds.ts";
import { states } from "../support/markdown.ts";
import type { Opened } from "./opened.ts";

export type Administered = { operators: OperatorStore; audit: AuditLog; keys: KeyStore };

const NOW = Date.UTC(2026, 11, 2, 10);
const moment = fc.integer({ min: NOW, max: NOW + 10 ** 11 });
const text = fc.string({ unit: "binary" }).filter((one) => !one.includes("\0") && one.isWellFormed());
/** As a store gives it back: integers as bigints, exact to the digit. */
const json = fc.json({ maxDepth: 2 }).map((value) => parseJson(new TextEncoder().encode(value)));
const change = fc.record(
  {
    at: moment,
    operator: fc.record({ id: text, name: text }, { requiredKeys: ["name"] }),
    action: fc.constantFrom(...actions),
    target: text,
    before: json,
    after: json,
    requestId: text,
  },
  { requiredKeys: ["at", "operator", "action"] },
);

const newOperator = (more: Partial<Operator> = {}): Operator => ({
  id: `op_${randomBase62(16)}`,
  name: "Ada",
  role: "admin",
  createdAt: NOW,
  ...more,
});
const newHash = () => hashOf(generateSecret("pets_oper_"));
const entryOf = (target: string, action: Action = "operator.create"): NewAuditEntry => ({
  operator: { name: "test" },
  at: NOW,
  action,
  target,
});

/** What every OperatorStore and AuditLog does, on each engine, and the stores that write to the log. */
export function operatorStoreConformance(name: string, open: () => Promise<Opened<Administered>>): void {
  describe(`${name} as a store of operators and of what they do`, () => {
    let opened: Opened<Administered>;
    let operators: OperatorStore;
    let audit: AuditLog;
    let keys: KeyStore;
    beforeAll(async () => {
      opened = await open();
      ({ operators, audit, keys } = opened.store);
    });
    afterAll(() => opened.close());

    const entriesOf = async (target: string) => audit.list({ limit: 10, target });
    const add = async (more: Partial<Operator> = {}) => {
      const operator = newOperator(more);
      const hash = newHash();
      await operators.add(operator, hash, entryOf(operator.id));
      return { operator, hash };
    };
    const begin = async (operator: Operator, more: Partial<Session> = {}) => {
      const session = { hash: newHash(), operatorId: operator.id, createdAt: NOW, expiresAt: NOW + 1_000, ...more };
      await operators.addSession(session, entryOf(operator.id, "session.create"));
      return session;
    };

    const invite = (more: Partial<SignInLink> = {}) => ({ hash: newHash(), expiresAt: NOW + 1_000, ...more });
    const enter = (link: SignInLink, at = NOW, by = operators) => {
      const operator = newOperator({ createdAt: at });
      const session = { hash: newHash(), operatorId: operator.id, createdAt: at, expiresAt: at + 1_000 };
      const entries = [entryOf(operator.id), entryOf(operator.id, "session.create")];
      return by
        .addFirst(operator, newHash(), session, link.hash, entries)
        .then((isFirst) => ({ isFirst, operator, session }));
    };

    test("a link adds the first operator until it ends, once, whichever process asks, and none while it is another", async () => {
      const [replaced, ended] = [invite(), invite({ expiresAt: NOW })];
      for (const link of [replaced, ended]) expect(await operators.addLink(link)).toBe(true);
      for (const link of [replaced, ended, invite()]) expect((await enter(link)).isFirst).toBe(false);
      expect(await operators.list()).toEqual([]);
      expect(await audit.list({ limit: 9 })).toEqual([]);

      const link = invite();
      expect(await operators.addLink(link)).toBe(true);
      const tries = Array.from({ length: 8 }, (_, i) =>
        enter(link, NOW + 999, [operators, opened.other.operators][i % 2]),
      );
      const outcomes = await Promise.all(tries);
      const [first, ...others] = outcomes.filter(({ isFirst }) => isFirst);
      if (first === undefined) throw new Error("no attempt succeeded");
      expect(others).toEqual([]);
      expect(await operators.list()).toEqual([first.operator]);
      const { operator, session } = first;
      expect(await opened.other.operators.findBySession(session.hash)).toEqual({ operator, session });
      expect((await audit.list({ limit: 9 })).map(({ action }) => action)).toEqual([
        "session.create",
        "operator.create",
      ]);
      expect((await enter(link)).isFirst).toBe(false);
      expect(await operators.addLink(invite())).toBe(false);
    });

    test("gives back every operator exactly as it was added, oldest first, to every process", async () => {
      const content = fc.record({ name: text, role: fc.constantFrom(...roles), createdAt: moment });
      await eventuallyHolds(
        fc.asyncProperty(content, async (wanted) => {
          const { operator, hash } = await add(wanted);
          expect(await operators.findByToken(hash)).toEqual(operator);
          expect(await opened.other.operators.findByToken(hash)).toEqual(operator);
          expect(await operators.get(operator.id)).toEqual(operator);
          expect(await operators.list()).toContainEqual(operator);
          expect(await entriesOf(operator.id)).toHaveLength(1);
        }),
        20,
      );
      const ages = (await operators.list()).map(({ createdAt }) => createdAt);
      expect(ages).toEqual(ages.toSorted((a, b) => a - b));
      expect(await operators.findByToken(newHash())).toBeUndefined();
      expect(await operators.get("op_nobody")).toBeUndefined();
    });

    test("of first sign-ins of an identity at once, by any process, one adds the operator, and one who is revoked begins nothing", async () => {
      states("docs/administration.md", "creates an operator, which the provider's issuer and subject identify");
      const identity: Identity = {
        issuer: "https://login.example",
        subject: randomBase62(8),
        name: "a@b",
        role: "viewer",
      };
      const { issuer, subject } = identity;
      const seen: (Operator | undefined)[] = [];
      const signIn = (by: OperatorStore, change: Partial<Operator> = {}, who = identity) =>
        by.signInWith(who, (found) => {
          seen.push(found);
          if (found?.revokedAt !== undefined) return undefined;
          const operator = {
            ...(found ?? newOperator({ name: who.name, role: who.role, provider: who.issuer })),
            ...change,
          };
          const session = { hash: newHash(), operatorId: operator.id, createdAt: NOW, expiresAt: NOW + 1_000 };
          return { operator, session, secret: "", entries: [entryOf(operator.id, "session.create")] };
        });
      const tries = await Promise.all(
        Array.from({ length: 8 }, (_, i) => signIn(i % 2 === 0 ? operators : opened.other.operators)),
      );
      const [{ operator } = { operator: newOperator() }] = tries.filter((one) => one !== undefined);
      expect(new Set(tries.map((one) => one?.operator.id))).toEqual(new Set([operator.id]));
      for (const one of tries)
        expect((await operators.findBySession(one?.session.hash ?? ""))?.operator).toEqual(operator);
      expect(await operators.get(operator.id)).toEqual(operator);
      expect(seen.filter((found) => found === undefined).length).toBeGreaterThan(0);
      expect(await entriesOf(operator.id)).toHaveLength(8);

      const changed = await signIn(opened.other.operators, { name: "c@d", role: "admin" });
      expect(changed?.operator).toEqual({ ...operator, name: "c@d", role: "admin" });
      expect(await operators.get(operator.id)).toEqual({ ...operator, name: "c@d", role: "admin" });
      const others = [
        { ...identity, issuer: "https://other.example" },
        { ...identity, subject: `${subject}x` },
      ];
      for (const other of others) expect((await signIn(operators, {}, other))?.operator.id).not.toBe(operator.id);
      const last = await signIn(operators, {}, { ...identity, issuer, subject });
      expect(last?.operator.id).toBe(operator.id);
      await opened.other.operators.endSessionsOf({ issuer, subject: `${subject}x` });
      expect(await operators.findBySession(last?.session.hash ?? "")).toBeDefined();
      await opened.other.operators.endSessionsOf({ issuer, subject });
      expect(await operators.findBySession(last?.session.hash ?? "")).toBeUndefined();

      await add();
      expect(await operators.revoke(operator.id, NOW + 5, entryOf(operator.id, "operator.revoke"))).toBe(true);
      const before = await entriesOf(operator.id);
      expect(await signIn(operators)).toBeUndefined();
      expect(await entriesOf(operator.id)).toEqual(before);
      expect((await operators.get(operator.id))?.revokedAt).toBe(NOW + 5);
    });

    test("a session is found until it is ended, and those that were over are forgotten when another begins", async () => {
      const { operator } = await add();
      const [first, second] = [await begin(operator), await begin(operator, { expiresAt: NOW + 9_000 })];
      expect(await opened.other.operators.findBySession(first.hash)).toEqual({ operator, session: first });
      await operators.endSession(second.hash, entryOf(operator.id));
      await operators.endSession(second.hash, entryOf(operator.id));
      expect(await operators.findBySession(second.hash)).toBeUndefined();
      await begin(operator, { createdAt: NOW + 1_000, expiresAt: NOW + 5_000 });
      expect(await operators.findBySession(first.hash)).toBeUndefined();
      expect(await entriesOf(operator.id)).toHaveLength(5);
    });

    test("an operator is ended once, with all its sessions and nobody else's", async () => {
      const { operator, hash } = await add();
      const { operator: bystander } = await add();
      const [session, its] = [await begin(operator), await begin(bystander)];
      expect(await operators.revoke(operator.id, NOW + 5, entryOf(operator.id, "operator.revoke"))).toBe(true);
      const revoked = { ...operator, revokedAt: NOW + 5 };
      expect(await opened.other.operators.findByToken(hash)).toEqual(revoked);
      expect(await operators.findBySession(session.hash)).toBeUndefined();
      expect(await operators.findBySession(its.hash)).toEqual({ operator: bystander, session: its });
      const actions = async () => (await entriesOf(operator.id)).map(({ action }) => action);
      // Its revocation, its session and its creation.
      expect(await actions()).toEqual(["operator.revoke", "session.create", "operator.create"]);
      expect(await operators.revoke(operator.id, NOW + 9, entryOf(operator.id, "operator.revoke"))).toBe(false);
      expect(await operators.get(operator.id)).toEqual(revoked);
      expect(await actions()).toHaveLength(3);
    });

    test("of all admins that are revoked at once, by any process, one stays", async () => {
      for (let round = 0; round < 5; round++) {
        for (let i = 0; i < 4; i++) await add();
        await add({ role: "viewer" });
        const isActive = ({ revokedAt }: Operator) => revokedAt === undefined;
        const active = (await operators.list()).filter(isActive);
        const stores = [operators, opened.other.operators];
        const outcomes = await Promise.all(
          active.map(({ id }, i) => stores[i % 2]?.revoke(id, NOW + 5, entryOf(`${id} ${round}`))),
        );
        const left = (await operators.list()).filter(isActive);
        expect(left).toMatchObject([{ role: "admin" }]);
        expect(outcomes.filter((isRevoked) => isRevoked)).toHaveLength(active.length - 1);
        const [kept] = left;
        expect(await entriesOf(`${kept?.id} ${round}`)).toEqual([]);
      }
    });

    test("gives back every entry exactly as it was added, newest first, by page and by target", async () => {
      const added: NewAuditEntry[] = [];
      await eventuallyHolds(
        fc.asyncProperty(change, async (entry) => {
          await audit.append(entry as NewAuditEntry);
          added.unshift(entry as NewAuditEntry);
          const [newest] = await opened.other.audit.list({ limit: 1 });
          expect(newest).toEqual({ ...(entry as NewAuditEntry), id: newest?.id ?? 0 });
        }),
        60,
      );
      const read: RecordedEntry[] = [];
      for (let before: number | undefined; ; before = read.at(-1)?.id) {
        const page = await audit.list({ limit: 7, ...(before !== undefined && { before }) });
        expect(page.length).toBeLessThanOrEqual(7);
        if (page.length === 0) break;
        read.push(...page);
      }
      expect(read.slice(0, added.length).map(({ id: _, ...entry }) => entry)).toEqual(
        added as Omit<RecordedEntry, "id">[],
      );
      const ids = read.map(({ id }) => id);
      expect(ids).toEqual(ids.toSorted((a, b) => b - a));
      const [{ target } = { target: undefined }] = added.filter((entry) => entry.target !== undefined);
      if (target === undefined) throw new Error("no entry had a target");
      expect(await audit.list({ limit: 1_000, target })).toEqual(read.filter((entry) => entry.target === target));
    });

    test("an import is one entry once it ends, and until then none", async () => {
      states(
        "docs/development/stores.md",
        "it moves to the log when the import ends, or by `end_abandoned_imports` when its process was killed.",
        "Changes of an import have no author: they are in the feed.",
      );
      states(
        "docs/administration.md",
        "An import of pets or categories is one entry, `pets.import` or `categories.import`, made when it ends.",
      );
      const id = `import_${randomBase62(16)}`;
      const at = (imported: number) => ({ ...entryOf(id, "pets.import"), at: NOW + imported, after: { imported } });
      for (const imported of [0, 1, 2]) {
        await audit.keepImport(at(imported));
        expect(await entriesOf(id)).toEqual([]);
      }
      await audit.append(at(3));
      expect(await opened.other.audit.list({ limit: 1 })).toMatchObject([{ ...at(3), after: { imported: 3n } }]);
      await audit.endAbandonedImports(NOW + 10 * IMPORT_PAUSE);
      expect(await entriesOf(id)).toHaveLength(1);
    });

    test("an abandoned import is one entry, with the last that it kept, whichever process adds it", async () => {
      states(
        "docs/administration.md",
        "`endedAt` | When the import did something for the last time, if it was abandoned.",
        "An import that does nothing for 5 minutes is abandoned",
      );
      const id = `import_${randomBase62(16)}`;
      const kept = { ...entryOf(id, "categories.import"), at: NOW + 5, after: { imported: 7, isWhole: false } };
      for (const imported of [6, 7]) await audit.keepImport({ ...kept, after: { ...kept.after, imported } });
      await audit.endAbandonedImports(kept.at + IMPORT_PAUSE);
      expect(await entriesOf(id)).toEqual([]);
      const now = kept.at + IMPORT_PAUSE + 1;
      const logs = [audit, opened.other.audit, audit, opened.other.audit];
      await Promise.all(logs.map((log) => log.endAbandonedImports(now)));
      const after = { imported: 7n, isWhole: false, endedAt: new Date(kept.at).toISOString() };
      expect(await entriesOf(id)).toEqual([{ ...kept, at: now, after, id: expect.any(Number) }]);
    });

    test("filters entries by author, action, target and time, alone and together, and pages through each", async () => {
      states(
        "docs/administration.md",
        "`operator` | Changes by the operator with this id, or by all authors with exactly this name.",
      );
      const since = NOW + 10 ** 12;
      const names = ["command line (root)", "first start"];
      const log = Array.from({ length: 120 }, (_, i): NewAuditEntry => {
        const id = `op_${i % 3}`;
        return {
          // Clocks of nodes differ: times do not quite grow.
          at: since + i * 1_000 + (i % 5) * 7_000,
          operator: i % 4 === 0 ? { name: names[i % 2] ?? "" } : { id, name: "Ada" },
          action: actions[i % 3] ?? "key.create",
          target: `key_${i % 7}`,
        };
      });
      for (const entry of log) await audit.append(entry);
      const byTime = { from: since, to: since + 10 ** 9 };
      const filters: AuditFilter[] = [
        byTime,
        { ...byTime, operator: "op_1" },
        { ...byTime, operator: "Ada" },
        { ...byTime, operator: "command line (root)" },
        { ...byTime, operator: "op_none" },
        { ...byTime, action: ["key.rotate"] },
        { ...byTime, target: "key_3" },
        { operator: "op_2", action: ["key.rotate"], target: "key_5" },
        { ...byTime, action: ["key.rotate", "key.create"] },
        { ...byTime, action: ["key.rotate", "key.create"], operator: "op_1" },
        { action: ["key.rotate", "key.update"], target: "key_5" },
        { from: since + 30_000, to: since + 60_000 },
        { from: since + 31_500, to: since + 60_500 },
        { from: since + 30_000, to: since + 90_000, action: ["key.update"], operator: "op_1" },
        { from: since + 60_000, to: since + 30_000 },
        { from: since + 10 ** 10 },
      ];
      const matches = ({ operator, action, target, from = 0, to = Number.MAX_VALUE }: AuditFilter) =>
        log
          .toReversed()
          .filter(
            (entry) =>
              [undefined, entry.operator.id, entry.operator.name].includes(operator) &&
              (action === undefined || action.includes(entry.action)) &&
              [undefined, entry.target].includes(target) &&
              entry.at >= from &&
              entry.at < to,
          );
      for (const filter of filters) {
        const read: RecordedEntry[] = [];
        for (let page: RecordedEntry[] = []; ; read.push(...page)) {
          page = await opened.other.audit.list({ ...filter, limit: 7, before: read.at(-1)?.id });
          if (page.length === 0) break;
        }
        expect(read.map(({ id: _, ...entry }) => entry)).toEqual(matches(filter));
      }
    });

    test("the entries of one target are read page by page, without those of others", async () => {
      const [mine, others] = [`key_${randomBase62(16)}`, `key_${randomBase62(16)}`];
      const times = Array.from({ length: 7 }, (_, i) => NOW + i);
      for (const at of times) {
        await audit.append({ ...entryOf(mine, "key.update"), at });
        await audit.append({ ...entryOf(others, "key.update"), at });
      }
      const pages: number[][] = [];
      for (let before: number | undefined; ; ) {
        const page = await audit.list({ limit: 3, target: mine, ...(before !== undefined && { before }) });
        if (page.length === 0) break;
        expect(new Set(page.map(({ target }) => target))).toEqual(new Set([mine]));
        pages.push(page.map(({ at }) => at - NOW));
        before = page.at(-1)?.id;
      }
      expect(pages).toEqual([[6, 5, 4], [3, 2, 1], [0]]);
    });

    test("a key's change is kept with its entry, and neither when there is no change", async () => {
      states(
        "docs/development/stores.md",
        "An operator's change and its audit entry are one transaction: the author is an option of the store (`by`).",
      );
      const id = `key_${randomBase62(16)}`;
      const key: Key = {
        id,
        name: "a",
        plan: "free",
        limits: { perMinute: 60, perDay: 1_000 },
        scopes: [],
        createdAt: NOW,
      };
      const secret = () => ({ hash: hashOf(newSecret("production")), keyId: id, lastFour: "abcd", createdAt: NOW });
      const first = secret();
      await keys.add(key, first, entryOf(id));
      expect(await entriesOf(id)).toHaveLength(1);
      await keys.replace({ ...key, name: "b" }, 1, entryOf(id));
      await keys.replace({ ...key, name: "c" }, 1, entryOf(id));
      expect(await entriesOf(id)).toHaveLength(2);
      const renamed = { ...key, name: "b" };
      await keys.replace(renamed, 2, entryOf(id), { added: secret(), ended: [] });
      expect(await entriesOf(id)).toHaveLength(3);
      await keys.replace(renamed, 3, entryOf(id), { added: first, ended: [] }).then(
        () => expect.unreachable(),
        () => {},
      );
      expect(await entriesOf(id)).toHaveLength(3);
    });
  });
}
