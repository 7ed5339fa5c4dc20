import { expect } from "bun:test";
import { publicStatuses } from "../support/codes.ts";
import type { Outcome } from "./connection.ts";
import type { WireAnswer } from "./wire.ts";

/** The status of a response to what is no request, which is 5xx only for another version of HTTP. */
const VERSION_NOT_SUPPORTED = 505;

/** Methods that are not those of the service, and those that are. */
export const METHODS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "PROPFIND",
  "QUERY",
  "get",
  "FOO",
];

/** Expects a response of the service: below 500, and an error only with a listed code. */
export function expectOwn(answer: WireAnswer): void {
  const { status, headers, body } = answer;
  if (status !== VERSION_NOT_SUPPORTED) expect(status).toBeLessThan(500);
  for (const name of ["X-Request-Id", "Date"]) expect(headers.get(name)).not.toBeNull();
  if (status < 400) return;
  expect(headers.get("Cache-Control")).toBe("no-store");
  for (const name of ["Limit", "Remaining", "Reset"]) expect(headers.get(`X-RateLimit-${name}`)).toMatch(/^\d+$/);
  if (body === "") return;
  const error = JSON.parse(body);
  expect(error.status).toBe(status);
  if (![408, VERSION_NOT_SUPPORTED].includes(status)) expect(publicStatuses[error.code]).toBe(status);
}

/** Expects a refused request: one error, and then the end. */
export function expectRefused({ answers, isClosed }: Outcome): void {
  expect(answers).toHaveLength(1);
  for (const answer of answers) {
    expectOwn(answer);
    expect(answer.status).toBeGreaterThanOrEqual(400);
  }
  expect(isClosed).toBe(true);
}

/** Expects one response. */
export function expectAnswered(answer: WireAnswer | undefined): void {
  if (answer === undefined) throw new Error("the connection was closed without an answer");
  expectOwn(answer);
}
