import { expect, test } from "bun:test";
import { differenceOf } from "../../src/domain/time.ts";

test.each([
  [1_000, 1_000, 1_000, 0],
  [1_005, 1_000, 1_010, 0],
  [1_000, 1_000, 1_010, 0],
  [1_010, 1_000, 1_010, 0],
  [400, 1_000, 1_010, 600],
  [1_700, 1_000, 1_010, -690],
])("a clock that showed %d between %d and %d is %d ms behind", (reading, before, after, difference) => {
  expect(differenceOf(reading, before, after)).toBe(difference);
});
