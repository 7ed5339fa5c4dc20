import { expect, test } from "bun:test";
import fc from "fast-check";
import { BUCKETS, bucketOf, percentile } from "../../../src/domain/usage/counting.ts";
import { holds } from "../../support/holds.ts";

const duration = fc.oneof(
  fc.double({ min: 0.004, max: 1, noNaN: true }),
  fc.double({ min: 1, max: 20_000, noNaN: true }),
);

test("a percentile has an error of less than a fifth", () => {
  holds(
    fc.property(
      fc.array(duration, { minLength: 1, maxLength: 300 }),
      fc.constantFrom(0.5, 0.95, 0.99, 1),
      (all, share) => {
        const sorted = all.toSorted((a, b) => a - b);
        const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? Number.NaN;
        const estimate = percentile(
          all.map((each) => ({ bucket: bucketOf(each), count: 1 })),
          share,
        );
        expect((estimate ?? Number.NaN) / exact).toBeWithin(1 / 1.2, 1.2);
      },
    ),
  );
});

test("every duration has a bucket, and a longer one never an earlier bucket", () => {
  holds(
    fc.property(fc.double({ min: 0, noNaN: true }), fc.double({ min: 0, noNaN: true }), (a, b) => {
      const [shorter, longer] = [Math.min(a, b), Math.max(a, b)];
      expect(bucketOf(shorter)).toBeLessThanOrEqual(bucketOf(longer));
      expect(bucketOf(longer)).toBeWithin(0, BUCKETS);
    }),
  );
  expect(bucketOf(Number.NaN)).toBe(0);
});

test("without requests there is no percentile", () => {
  expect(percentile([], 0.5)).toBeUndefined();
});
