import { int64Of } from "../int64.ts";

/**
 * Decimals of up to so many digits are all different as numbers (IEEE 754, binary64): a shorter one is an integer
 * exactly when its number is one.
 */
export const EXACT_DIGITS = 15;

const INT64_EDGE = 2 ** 63;
/** Not a number too close to zero to differ from it, such as 1e-400. */
const IS_ZERO = /^[-0.]+(?:[eE]|$)/;

/** The value of a JSON number: an int64 as a bigint, exact to the digit, and any other as JSON.parse has it. */
export function numberOf(token: string): bigint | number {
  const number = Number(token);
  if (number === 0) return IS_ZERO.test(token) ? 0n : number;
  if (!Number.isInteger(number) || Math.abs(number) > INT64_EDGE) return number;
  if (token.length > EXACT_DIGITS) return int64Of(token) ?? number;
  // So few digits come back from their number, which is written without an exponent below 1e21 (ECMA-262, 6.1.6.1.20).
  return BigInt(Number.isSafeInteger(number) ? number : String(number));
}
