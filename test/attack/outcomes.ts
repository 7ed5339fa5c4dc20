/**
 * The one place that writes down what each runtime's own parser does, before the service itself sees a request.
 * Everything else in these tests holds for both.
 */
import { expect } from "bun:test";
import { publicStatuses } from "../support/codes.ts";
import { type Runtime, runtime } from "../support/runtime.ts";
import type { Outcome } from "./connection.ts";
import type { WireAnswer } from "./wire.ts";

/** Statuses with which the parser refuses: 417 is what Node says to an Expect that it does not know. */
const REFUSALS: Record<Runtime, number[]> = { bun: [400, 413, 431, 505], node: [400, 408, 413, 417, 431] };

/** Methods that are known to the parser. On others Bun closes the connection without a word, Node with a bare 400. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY"];

/** What some malformed requests are to a runtime whose parser is lenient about them; the others refuse them. */
export const LENIENCE: Record<Runtime, string[]> = {
  bun: [],
  node: ["leading zeros in Content-Length", "another coding before chunked"],
};

/** Whether an answer is the parser's: it has neither a body nor headers of the service's. */
export function isByParser({ status, headers, body }: WireAnswer): boolean {
  return REFUSALS[runtime].includes(status) && body === "" && !headers.has("X-Request-Id");
}

/** An answer of the service's own: below 500, and where it is an error, one with a listed code. */
export function expectOwn(answer: WireAnswer): void {
  expect(answer.status).toBeLessThan(500);
  expect(answer.headers.get("X-Request-Id")).not.toBeNull();
  if (answer.status < 400 || answer.body === "") return;
  const { code } = JSON.parse(answer.body);
  expect(publicStatuses[code]).toBe(answer.status);
}

/** A request that was turned away as a whole: at most one answer, a 4xx or the parser's, and then the end. */
export function expectRefused({ answers, isClosed }: Outcome): void {
  expect(answers.length).toBeLessThanOrEqual(1);
  for (const answer of answers) {
    if (isByParser(answer)) continue;
    expectOwn(answer);
    expect(answer.status).toBeGreaterThanOrEqual(400);
  }
  expect(isClosed).toBe(true);
}

/** One answer: the service's own, or the parser's refusal. */
export function expectAnswered(answer: WireAnswer | undefined): void {
  if (answer === undefined) throw new Error("the connection was closed without an answer");
  if (!isByParser(answer)) expectOwn(answer);
}
