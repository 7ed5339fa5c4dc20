export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

const SHORT_INTEGER = /^-?\d{1,19}$/;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const SIGNED_DIGITS = /^(?:0|-?[1-9]\d{0,18})$/;
const MAX_DIGITS = 19;

/** Parses plain digits. Returns undefined for anything but an integer from 0 to the largest int64. */
export function plainInt64(text: string): bigint | undefined {
  return text.startsWith("-") ? undefined : signedInt64(text);
}

/** Parses plain digits, with a minus sign if the integer is negative. Returns undefined for anything but an int64. */
export function signedInt64(text: string): bigint | undefined {
  return SIGNED_DIGITS.test(text) ? within(BigInt(text)) : undefined;
}

/**
 * Parses a JSON number such as `1`, `1.0` or `1e2` exactly. Returns undefined when it is not an integer within int64.
 * Works on the digits, so nothing is rounded and no exponent is too large.
 */
export function int64Of(token: string): bigint | undefined {
  if (SHORT_INTEGER.test(token)) return within(BigInt(token));
  const match = NUMBER.exec(token);
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = whole + fraction;
  const first = countZeros(digits, 0, 1);
  if (first === digits.length) return 0n;
  const last = digits.length - countZeros(digits, digits.length - 1, -1);
  const zeros = Number(exponent) - fraction.length + (digits.length - last);
  if (zeros < 0 || last - first + zeros > MAX_DIGITS) return undefined;
  return within(BigInt(sign + digits.slice(first, last)) * 10n ** BigInt(zeros));
}

function within(value: bigint): bigint | undefined {
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

/** Counts the consecutive zeros from `start` in the direction `step`. */
function countZeros(digits: string, start: number, step: 1 | -1): number {
  let count = 0;
  while (digits[start + count * step] === "0") count += 1;
  return count;
}
