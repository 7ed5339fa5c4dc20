import { expect, test } from "bun:test";
import { SecretHashes } from "../../../src/adapters/http/secret-hashes.ts";
import { hashOf, newSecret } from "../../../src/domain/keys/secret.ts";

test("it returns the hash of a secret, the first time and later", () => {
  const hashes = new SecretHashes("production");
  const [one, other] = [newSecret("production"), newSecret("production")];
  for (const secret of [one, other, one, other]) {
    expect(hashes.get(`Bearer ${secret}`)).toBe(hashOf(secret));
    expect(hashes.get(`bearer   ${secret} `)).toBe(hashOf(secret));
  }
});

test("it returns nothing for what cannot be a key of this deployment", () => {
  const hashes = new SecretHashes("production");
  const secret = newSecret("production");
  const last = secret.endsWith("0") ? "1" : "0";
  const wrong = ["", "Bearer", "Bearer ", secret, `Basic ${secret}`, `Bearer ${secret.slice(0, -1)}${last}`];
  for (const header of [...wrong, `Bearer ${newSecret("staging")}`]) expect(hashes.get(header)).toBeUndefined();
});

test("it keeps no more than 10,000 headers in memory, and none that are padded with spaces", () => {
  const keptBy = (headers: () => string) => {
    const hashes = new SecretHashes("production");
    Bun.gc(true);
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 30_000; i++) hashes.get(headers());
    Bun.gc(true);
    const kept = process.memoryUsage().heapUsed - before;
    hashes.get("");
    return kept;
  };
  expect(keptBy(() => `Bearer ${newSecret("production")}`)).toBeLessThan(6_000_000);
  expect(keptBy(() => `Bearer ${" ".repeat(8_000)}${newSecret("production")}`)).toBeLessThan(6_000_000);
});
