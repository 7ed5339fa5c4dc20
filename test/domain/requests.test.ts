import { expect, test } from "bun:test";
import fc from "fast-check";
import { generateSecret } from "../../src/domain/keys/secret.ts";
import type { KeyStore, KeysPage } from "../../src/domain/keys/store.ts";
import { expiredSegments, isAmong, keptPath, keyIdsNamed, parseStatuses } from "../../src/domain/requests.ts";
import { NOW } from "../adapters/history/requests.ts";
import { holds } from "../support/holds.ts";
import { states } from "../support/markdown.ts";

test("a filter by status has statuses and classes, and each of them must be one", () => {
  const valid = ["100", "404", "599", "1xx", "5xx"];
  const wrong = ["", "099", "600", "0xx", "6xx", "40", "4040", "4x", "xx", "4XX", "404;200"];
  expect(valid.flatMap((status) => parseStatuses(status))).toEqual(valid);
  expect(parseStatuses(valid.join(" , "))).toEqual(valid);
  for (const one of wrong)
    for (const text of [one, `200,${one}`, `${one},200`]) expect(parseStatuses(text)).toBeUndefined();
  const among = [200, 204, 299, 300, 404, 405, 503].filter((status) => isAmong(status, ["2xx", "404"]));
  expect(among).toEqual([200, 204, 299, 404]);
});

test("a path with an id is kept as it is", () => {
  expect(keptPath("/v1/pets/9223372036854775807")).toBe("/v1/pets/9223372036854775807");
  expect(keptPath("/v1/pets/%C3%A9")).toBe("/v1/pets/%C3%A9");
});

test.each<[string, string[] | undefined]>([
  ["404", ["404"]],
  ["5xx", ["5xx"]],
  [" 404, 5xx ,201", ["404", "5xx", "201"]],
  ...["404,9xx", "9xx,404", "404,", ",404", "", "4x", "4xxx", "600", "0xx", "404 5xx", "-404", "4XX"].map(
    (text): [string, undefined] => [text, undefined],
  ),
])("statuses %j are %j", (text, expected) => {
  expect(parseStatuses(text)).toEqual(expected);
});

test("a status is among those that have it or its class", () => {
  const among = [200, 201, 299, 300, 404, 499, 500, 503, 599].filter((status) =>
    isAmong(status, ["404", "2xx", "503"]),
  );
  expect(among).toEqual([200, 201, 299, 404, 503]);
});

test("a long path is cut", () => {
  states("docs/monitoring.md", "A path is cut after 200 characters");
  expect(keptPath(`/v1/${"a".repeat(1_000)}`)).toMatch(/^\/v1\/a{191}\[\.\.\.\]$/);
});

test("a path never has much of a secret, even if a part of it is missing", () => {
  const prefix = fc.constantFrom("pets_live_", "pets_stag_", "pets_oper_", "pets_sess_", "pets_link_");
  const before = fc.constantFrom("/v1/", "/v1/pets/", "/v1/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/");
  const start = fc.constantFrom(0, 3, 5);
  holds(
    fc.property(before, prefix, start, fc.integer({ min: 18, max: 49 }), (path, first, from, to) => {
      const secret = generateSecret(first);
      const part = secret.slice(from, to);
      expect(keptPath(path + part)).toBe(`${path}${from === 3 ? "s_" : ""}[key]`);
      expect(keptPath(path + part.replaceAll("_", "%5F"))).not.toContain(secret.slice(12, 32));
      expect(keptPath(`${path + secret.slice(10 + from)}/x`)).toBe(`${path}[key]/x`);
    }),
  );
  for (const path of ["/v1/alive_1", "/v1/live_pets", "/admin/v1/keys/key_4kTn0aWq7JbYcX2z"])
    expect(keptPath(path)).toBe(path);
});

test("of a secret that is split over a path, no part is kept that has 16 characters", () => {
  states("docs/monitoring.md", "16 or more letters and digits in a row are removed, as part of a key,");
  const separator = fc.constantFrom("/", ".", "%00", "//", "-", "~", "/_", "_/", ";", "[key]");
  const before = fc.constantFrom("/v1/", "/v1/pets/", "/v1/x/", "/v1/x/a_");
  holds(
    fc.property(before, separator, fc.integer({ min: 16, max: 33 }), fc.boolean(), (path, between, at, isWhole) => {
      const secret = generateSecret("pets_live_").slice(isWhole ? 0 : 10);
      const kept = keptPath(path + secret.slice(0, at) + between + secret.slice(at));
      for (let from = 0; from + 16 <= secret.length; from++) {
        const part = secret.slice(from, from + 16);
        if (/^[0-9A-Za-z]+$/.test(part)) expect(kept).not.toContain(part);
      }
    }),
  );
});

test.each([
  "/v1/user/createWithArray",
  "/v1/store/orders/9223372036854775807",
  "/v1/categories/-9223372036854775808",
  "/v1/administrationinterface",
  "/v1/pets/550e8400-e29b-41d4-a716-446655440000",
  "/v1/operators/op_4kTn0aWq7JbYcX2z/audit",
  "/v1/pets_of_the_category/available_and_sold",
])("what operators look for is kept: %s", (path) => {
  states("docs/monitoring.md", "unless they are a number, lower case, or the id of a key or an operator.");
  expect(keptPath(path)).toBe(path);
});

test("a path is searched for secrets in time that is in proportion to its length", () => {
  const { user } = process.cpuUsage();
  for (const part of ["a", "_", "live_", `${"a".repeat(32)}_`, "pets_live_"])
    keptPath(part.repeat(16_384 / part.length));
  expect(process.cpuUsage().user - user).toBeLessThan(200_000);
});

test("a path never has a secret, plain or percent-encoded", () => {
  const prefix = fc.constantFrom("pets_live_", "pets_stag_", "pets_oper_", "pets_sess_", "pets_link_");
  const before = fc.constantFrom("/v1/", "/v1/pets/", "/v1/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/");
  fc.assert(
    fc.property(before, prefix, fc.array(fc.nat(48), { maxLength: 5 }), (path, prefix, encoded) => {
      const secret = generateSecret(prefix);
      const escaped = [...secret].map((character, i) =>
        encoded.includes(i) ? `%${character.charCodeAt(0).toString(16)}` : character,
      );
      const kept = keptPath(path + escaped.join(""));
      expect(decodeURIComponent(kept)).not.toContain(secret.slice(0, 20));
      expect(kept).not.toContain(secret.slice(-20));
    }),
  );
});

test("a text names the hundred newest keys that contain it", async () => {
  const ages = Array.from({ length: 150 }, (_, i) => i);
  const asked: KeysPage[] = [];
  const keys = {
    async list(page: KeysPage) {
      asked.push(page);
      const sorted = page.order === "newest" ? ages.toReversed() : ages;
      return sorted.slice(0, page.limit).map((age) => ({ key: { id: `key_${age}` } }));
    },
  } as unknown as KeyStore;
  expect(await keyIdsNamed(keys, "shop", NOW)).toEqual(
    ages
      .slice(50)
      .map((age) => `key_${age}`)
      .reverse(),
  );
  expect(asked).toMatchObject([{ search: "shop" }]);
});

const HOUR = 3_600_000;

function segment(id: string, hoursAgo: number, count = 10) {
  return { id, count, oldest: NOW - hoursAgo * HOUR, newest: NOW - hoursAgo * HOUR };
}

test("a segment is expired when nothing of it is kept: it is too old, or the newer ones have enough requests", () => {
  states("docs/your-key.md", "The operator decides how many it keeps, and for how long:");
  const segments = [segment("oldest", 30), segment("third", 3), segment("second", 2), segment("newest", 1)];
  const expired = (requests: number) => expiredSegments(segments, { requests, hours: 24 }, NOW);
  expect(expired(21)).toEqual(["oldest"]);
  expect(expired(20)).toEqual(["oldest", "third"]);
  expect(expired(1)).toEqual(["oldest", "third", "second"]);
});
