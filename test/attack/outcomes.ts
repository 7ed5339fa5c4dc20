/**
 * The one place that writes down what each runtime's own parser does, before the service itself sees a request.
 * Everything else in these tests holds for both.
 */
import { expect } from "bun:test";
import { malformedResponse } from "../../src/adapters/http/malformed.ts";
import { publicStatuses } from "../support/codes.ts";
import { type Runtime, runtime } from "../support/runtime.ts";
import type { Outcome } from "./connection.ts";
import type { WireAnswer } from "./wire.ts";

/** The statuses with which Bun's parser refuses by itself. */
const STATUSES_OF_BUN = [400, 413, 431, 505];

/** What the listener on Node answers to what its parser refuses. malformed.test.ts checks status and headers. */
const refusals = ["syntax", "method", "headers", "body", "timeout"] as const;
const BODIES_ON_NODE = await Promise.all(refusals.map((malformation) => malformedResponse(malformation).text()));

/** The methods that the parser knows. On others Bun closes the connection without a response, Node sends 405. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY"];

/** The results of malformed requests that a lenient parser accepts; other parsers refuse them. */
export const LENIENCE: Record<Runtime, string[]> = {
  bun: [],
  node: ["leading zeros in Content-Length", "another coding before chunked"],
};

/** The statuses of the responses to a request whose sender ends in the middle of the body: Bun closes without one. */
export const TO_INCOMPLETE_BODIES: Record<Runtime, number[]> = { bun: [], node: [400] };

/** Whether a response is to what the parser refused: on Bun it has neither a body nor the service's headers. */
export function isByParser({ status, headers, body }: WireAnswer): boolean {
  if (!headers.has("X-Request-Id")) return runtime === "bun" && STATUSES_OF_BUN.includes(status) && body === "";
  return runtime === "node" && BODIES_ON_NODE.includes(body);
}

/** Expects a response of the service: below 500, and an error only with a listed code. */
export function expectOwn(answer: WireAnswer): void {
  expect(answer.status).toBeLessThan(500);
  expect(answer.headers.get("X-Request-Id")).not.toBeNull();
  if (answer.status < 400 || answer.body === "") return;
  const { code } = JSON.parse(answer.body);
  expect(publicStatuses[code]).toBe(answer.status);
}

/** Expects a refused request: at most one response, a 4xx or the parser's, and then the end. */
export function expectRefused({ answers, isClosed }: Outcome): void {
  expect(answers.length).toBeLessThanOrEqual(1);
  for (const answer of answers) {
    if (isByParser(answer)) continue;
    expectOwn(answer);
    expect(answer.status).toBeGreaterThanOrEqual(400);
  }
  expect(isClosed).toBe(true);
}

/** Expects one response: the service's, or the parser's error. */
export function expectAnswered(answer: WireAnswer | undefined): void {
  if (answer === undefined) throw new Error("the connection was closed without an answer");
  if (!isByParser(answer)) expectOwn(answer);
}
