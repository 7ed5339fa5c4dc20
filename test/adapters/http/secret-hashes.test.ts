import { expect, test } from "bun:test";
import { SecretHashes } from "../../../src/adapters/http/secret-hashes.ts";

const MAX_HASHES = 10_000;

test("it has the hashes of the last 5,000 headers at least, and of no more than 10,000", () => {
  const hashes = new SecretHashes();
  expect(hashes.get("Bearer 0")).toBeUndefined();
  const COUNT = 3 * MAX_HASHES;
  for (let i = 0; i < COUNT; i++) hashes.add(`Bearer ${i}`, String(i));
  const known = Array.from({ length: COUNT }, (_, i) => hashes.get(`Bearer ${COUNT - 1 - i}`));
  expect(known.slice(0, MAX_HASHES / 2)).toEqual(
    Array.from({ length: MAX_HASHES / 2 }, (_, i) => String(COUNT - 1 - i)),
  );
  expect(known.filter((hash) => hash !== undefined).length).toBeLessThanOrEqual(MAX_HASHES);
});

test("a header that is padded with spaces is not cached", () => {
  const hashes = new SecretHashes();
  const padded = `Bearer ${" ".repeat(8_000)}secret`;
  hashes.add(padded, "hash");
  expect(hashes.get(padded)).toBeUndefined();
});
