import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN, int64Of } from "../../src/domain/int64.ts";
import { holds } from "../support/holds.ts";

/** The value of a number token with a sane exponent, the slow and plain way: as a fraction of two integers. */
function slowly(token: string): bigint | undefined {
  const [mantissa = "", exponent = "0"] = token.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const power = BigInt(exponent) - BigInt(fraction.length);
  const digits = BigInt(whole + fraction);
  const numerator = power > 0n ? digits * 10n ** power : digits;
  const denominator = power < 0n ? 10n ** -power : 1n;
  if (numerator % denominator !== 0n) return undefined;
  const value = (token.startsWith("-") ? -1n : 1n) * (numerator / denominator);
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

const digits = (maxLength: number) => fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength });
const zeros = fc.nat(25).map((count) => "0".repeat(count));
const sign = fc.constantFrom("", "-");
const exponentMark = fc.constantFrom("e", "E", "e+", "E+", "e-", "E-");

/** Number tokens of every shape that JSON has, many of them close to the edges of int64. */
const token = fc
  .tuple(
    sign,
    fc.oneof(fc.constant("0"), fc.bigInt({ min: 1n, max: 10n ** 21n }).map(String), edge()),
    fc.option(
      fc.oneof(
        zeros,
        digits(30),
        fc.tuple(digits(3), zeros).map(([some, none]) => some + none),
      ),
      { nil: "" },
    ),
    fc.option(fc.tuple(exponentMark, fc.nat(60)), { nil: undefined }),
  )
  .map(([minus, whole, fraction, exponent]) => {
    const point = fraction === "" ? "" : `.${fraction}`;
    return minus + whole + point + (exponent === undefined ? "" : exponent.join(""));
  });

function edge() {
  return fc.integer({ min: -3, max: 3 }).map((offset) => String(INT64_MAX + BigInt(offset)));
}

/** The same value written another way: the point moved, and an exponent that moves it back. */
function shifted(value: bigint, by: number): string {
  const text = String(value < 0n ? -value : value).padStart(by + 1, "0");
  const whole = text.slice(0, text.length - by).replace(/^0+(?=\d)/, "");
  return `${value < 0n ? "-" : ""}${whole}${by > 0 ? `.${text.slice(-by)}` : ""}e${by}`;
}

const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });

describe("the exact value of a number token", () => {
  test("is the result of arithmetic without rounding", () => {
    holds(
      fc.property(token, (text) => {
        expect(int64Of(text)).toBe(slowly(text));
      }),
      3_000,
    );
  });

  test("of an int64 is itself, in any notation", () => {
    holds(
      fc.property(int64, fc.nat(40), fc.nat(30), (value, by, more) => {
        expect(int64Of(String(value))).toBe(value);
        expect(int64Of(shifted(value, by))).toBe(value);
        expect(int64Of(`${value}.${"0".repeat(more + 1)}`)).toBe(value);
        expect(int64Of(`${value}${"0".repeat(more)}e-${more}`)).toBe(value);
      }),
      1_000,
    );
  });

  test("is undefined outside int64 and between two integers", () => {
    const outside = fc.oneof(fc.bigInt({ min: INT64_MAX + 1n }), fc.bigInt({ max: INT64_MIN - 1n }));
    holds(
      fc.property(outside, int64, digits(20), (far, near, fraction) => {
        expect(int64Of(String(far))).toBeUndefined();
        if (/[1-9]/.test(fraction)) expect(int64Of(`${near}.${fraction}`)).toBeUndefined();
      }),
      1_000,
    );
  });

  test("is found quickly for any exponent", () => {
    const huge = digits(400).map((text) => text.replace(/^0+(?=\d)/, "9"));
    holds(
      fc.property(sign, fc.nat(), huge, (minus, number, exponent) => {
        const isSmall = Number(exponent) <= 60;
        if (isSmall) return;
        const expected = number === 0 ? 0n : undefined;
        expect(int64Of(`${minus}${number}e${exponent}`)).toBe(expected);
        expect(int64Of(`${minus}${number}e-${exponent}`)).toBe(expected);
      }),
    );
  });

  test("is undefined for anything but a number token", () => {
    const junk = fc.string().filter((text) => !/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text));
    holds(
      fc.property(junk, (text) => {
        expect(int64Of(text)).toBeUndefined();
      }),
    );
  });
});
