import { expect, test } from "bun:test";
import fc from "fast-check";
import { shareOf } from "../../../src/domain/limits/limits.ts";
import { holds } from "../../support/holds.ts";

test.each([
  [100, 1, 100],
  [100, 2, 50],
  [100, 3, 33],
  [101, 4, 25],
  [3, 4, 1],
])("of %d requests, each of %d nodes allows %d", (limit, nodes, share) => {
  expect(shareOf({ perMinute: limit, perDay: 1_000_000 }, nodes).perMinute).toBe(share);
  expect(shareOf({ perMinute: 1_000_000, perDay: limit }, nodes).perDay).toBe(share);
});

test("all nodes together never allow more than the limit, or one request each if that is more", () => {
  const limit = fc.integer({ min: 1, max: 1_000_000 });
  holds(
    fc.property(limit, limit, fc.integer({ min: 1, max: 100 }), (perMinute, perDay, nodes) => {
      const share = shareOf({ perMinute, perDay }, nodes);
      for (const [all, one] of [
        [perMinute, share.perMinute],
        [perDay, share.perDay],
      ] as const) {
        expect(one).toBeGreaterThanOrEqual(1);
        expect(one * nodes).toBeLessThanOrEqual(Math.max(all, nodes));
        expect((one + 1) * nodes).toBeGreaterThan(all);
      }
    }),
  );
});
