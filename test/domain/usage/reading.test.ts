import { expect, test } from "bun:test";
import fc from "fast-check";
import { lengthOf, resolutions, startOf } from "../../../src/domain/usage/counting.ts";
import { coverOf } from "../../../src/domain/usage/reading.ts";
import { holds } from "../../support/holds.ts";

const START = Date.UTC(2026, 11, 2);

test("a range is covered once, without gaps, by as few minutes, hours and days as possible", () => {
  holds(
    fc.property(
      fc.constantFrom(...resolutions),
      fc.nat(5_000),
      fc.integer({ min: 1, max: 1_500 }),
      (resolution, after, count) => {
        const length = lengthOf[resolution];
        const first = startOf(resolution, START + after * lengthOf.minute);
        const moments = Array.from({ length: count }, (_, i) => first + i * length);
        const cover = coverOf(resolution, moments);
        const parts = resolutions
          .flatMap((one) => cover[one].map((at) => ({ at, end: at + lengthOf[one], one })))
          .sort((a, b) => a.at - b.at);
        expect(parts[0]?.at).toBe(first);
        expect(parts.at(-1)?.end).toBe(first + count * length);
        for (const [i, { at, one }] of parts.entries()) {
          expect(at).toBe(startOf(one, at));
          if (i > 0) expect(at).toBe(parts[i - 1]?.end ?? 0);
        }
        expect(cover.minute.length).toBeLessThan(2 * 60);
        expect(cover.hour.length).toBeLessThan(2 * 24);
      },
    ),
    60,
  );
  expect(coverOf("hour", [])).toEqual({ minute: [], hour: [], day: [] });
});
