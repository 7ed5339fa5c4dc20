import { expect, test } from "bun:test";
import fc from "fast-check";
import { int64Of } from "../../../src/domain/int64.ts";
import { EXACT_DIGITS, numberOf } from "../../../src/domain/json/number.ts";
import { holds } from "../../support/holds.ts";

const digits = fc.tuple(fc.nat(9), fc.nat(10 ** 13)).map(([first, rest]) => String(first || rest));
const fraction = fc.oneof(
  fc.constant(""),
  fc.nat(10 ** 9).map((value) => `.${value}`),
  fc.constant(".0"),
);
const exponent = fc.oneof(
  fc.constant(""),
  fc.integer({ min: -20, max: 20 }).map((value) => `e${value}`),
);
const token = fc.tuple(fc.constantFrom("", "-"), digits, fraction, exponent).map((parts) => parts.join(""));

test("a short number has the same exact value as by its digits", () => {
  const short = token.filter((text) => text.length <= EXACT_DIGITS + 1);
  holds(
    fc.property(short, (text) => {
      expect(numberOf(text)).toBe(int64Of(text) ?? Number(text));
    }),
    5_000,
  );
});

test.each([
  ["1e17", 10n ** 17n],
  ["9e18", 9n * 10n ** 18n],
  ["-9.2233720368e18", -9223372036800000000n],
  ["9.2233720369e18", 9.2233720369e18],
  ["999999999999e5", 99999999999900000n],
  ["1e19", 1e19],
  ["-0", 0n],
  ["1e-400", 0],
])("%s is %s", (text, value) => {
  expect(numberOf(text)).toBe(value);
});
