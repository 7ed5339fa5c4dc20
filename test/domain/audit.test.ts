import { expect, test } from "bun:test";
import { actionLabels, actions, changesBetween, formatValue, nameOf, snapshotOf } from "../../src/domain/audit.ts";

test("the changes of an update are the fields that differ, nested ones by their path", () => {
  const before = { id: "key_1", plan: "free", limits: { perMinute: 60, perDay: 1000 } };
  const after = { id: "key_1", plan: "free", limits: { perMinute: 90, perDay: 1000 } };
  expect(changesBetween(before, after)).toEqual([{ field: "limits.perMinute", from: 60, to: 90 }]);
});

test("the changes of a creation are the fields with a value, without id and name", () => {
  const created = { id: "key_1", name: "x", plan: "pro", expiresAt: null, scopes: ["pets:read"] };
  expect(changesBetween(null, created).map(({ field, to }) => [field, formatValue(to)])).toEqual([
    ["plan", "pro"],
    ["scopes", "pets:read"],
  ]);
});

test("an entry without before and after has no changes", () => {
  expect(changesBetween(null, null)).toEqual([]);
});

test("the changes of a removal are the fields that had a value, without id and name", () => {
  const removed = { id: 5, name: "Rex", categoryId: 1, status: "sold" };
  expect(changesBetween(removed, null)).toEqual([
    { field: "categoryId", from: 1, to: undefined },
    { field: "status", from: "sold", to: undefined },
  ]);
});

test("a field that an update sets to null, or that had none, has changed", () => {
  expect(changesBetween({ expiresAt: "a" }, { expiresAt: null })).toEqual([
    { field: "expiresAt", from: "a", to: null },
  ]);
  expect(changesBetween({ expiresAt: null }, { expiresAt: "a" })).toEqual([
    { field: "expiresAt", from: null, to: "a" },
  ]);
});

test("the digits of an id are not grouped", () => {
  expect([formatValue(1_234_567, "petId"), formatValue(1_234_567, "imported")]).toEqual(["1234567", "1,234,567"]);
});

test("integers from the store, which are bigints, are compared and formatted exactly", () => {
  const [from, to] = [9_223_372_036_854_775_806n, 9_223_372_036_854_775_807n];
  expect(changesBetween({ categoryId: from }, { categoryId: to })).toEqual([{ field: "categoryId", from, to }]);
  expect(formatValue(to)).toBe("9,223,372,036,854,775,807");
});

test("the time of the last change is no change, and that of a creation says nothing that the entry does not", () => {
  const [at, later] = ["2026-12-02T10:00:00.000Z", "2026-12-02T11:00:00.000Z"];
  expect(changesBetween({ updatedAt: at, status: "placed" }, { updatedAt: later, status: "approved" })).toEqual([
    { field: "status", from: "placed", to: "approved" },
  ]);
  expect(changesBetween(null, { id: 1, createdAt: at, updatedAt: at, petId: 2 })).toEqual([
    { field: "petId", from: undefined, to: 2 },
  ]);
});

test("values are shown to people: what is missing, what is true, lists, and what else there is as JSON", () => {
  const shown = [undefined, null, true, false, ["a", 1_000], 1_000.5, "a", [{ line: 1n }]].map((one) =>
    formatValue(one),
  );
  expect(shown).toEqual(["none", "none", "yes", "no", "a, 1,000", "1,000.5", "a", '{"line":1}']);
  expect([nameOf({ name: "Rex" }), nameOf({ name: 7 }), nameOf(["name"]), nameOf(null)]).toEqual([
    "Rex",
    undefined,
    undefined,
    undefined,
  ]);
});

test("what is copied into an entry has its times as text, also those of what it contains, and no other number", () => {
  const disabled = { at: 1_000, by: "service", changedAt: 2_000 };
  expect(snapshotOf({ createdAt: 0, count: 1_000, disabled, seenAt: undefined, ids: [1] })).toEqual({
    ...{ createdAt: "1970-01-01T00:00:00.000Z", count: 1_000, ids: [1] },
    disabled: { ...disabled, changedAt: "1970-01-01T00:00:02.000Z" },
  });
});

/** How the past tense of the last word of an action is written, where the label has another verb. */
const VERBS: Record<string, RegExp> = {
  ...{ create: /^(created|added|began|signed in)/, update: /^(changed|renamed)/, delete: /^(removed|began to delete)/ },
  ...{ fail: /^failed to/, end: /^(ended|signed out)/, simulate: /^started a rehearsal/, place: /^placed/ },
  ...{ unban: /^unbanned/, test: /^sent a test/, redeliver: /^redelivered/, upload: /^uploaded/, verify: /verify/ },
  ...{ download: /^downloaded/, restore: /restore/, import: /^imported/ },
};
/** What the noun of an action is called in its label, if not by its own name. */
const NOUNS: Record<string, string> = {
  session: "sign",
  webhook: "webhook endpoint",
  shop: "all pets",
  retention: "rows",
};

test("the label of each action says what was done, and to what", () => {
  for (const action of actions) {
    const [noun = "", verb = ""] = [action.split(".")[0], action.split(".").at(-1)];
    const label = actionLabels[action];
    expect([action, label]).toEqual([action, expect.stringMatching(VERBS[verb] ?? new RegExp(`^${verb}`))]);
    expect([action, label]).toEqual([action, expect.stringContaining(NOUNS[noun] ?? noun)]);
  }
  expect(new Set(Object.values(actionLabels)).size).toBe(actions.length);
});
