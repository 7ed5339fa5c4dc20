import { expect, test } from "bun:test";
import { malformedResponse } from "../../../src/adapters/http/malformed.ts";
import { fetched } from "../../support/no-connection.ts";

test.each([
  ["syntax", 400, "invalid_parameter"],
  ["version", 505, "invalid_parameter"],
  ["headers", 431, "request_header_too_large"],
  ["timeout", 408, "invalid_parameter"],
] as const)("bytes with a malformed %s are %d, and end the connection", async (malformation, status, code) => {
  const response = fetched(malformedResponse(malformation, { "X-RateLimit-Limit": "300" }));
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ code, message: expect.any(String), status });
  expect(response.headers.get("X-RateLimit-Limit")).toBe("300");
  expect(response.headers.get("Connection")).toBe("close");
  expect(response.headers.get("Cache-Control")).toBe("no-store");
});
