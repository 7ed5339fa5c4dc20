import { expect, test } from "bun:test";
import { changesBetween, formatValue } from "../../src/domain/audit.ts";

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
