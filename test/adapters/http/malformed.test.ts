import { expect, test } from "bun:test";
import { malformedResponse } from "../../../src/adapters/http/malformed.ts";

test.each([
  ["syntax", 400, "invalid_parameter"],
  ["method", 405, "method_not_allowed"],
  ["headers", 431, "request_header_too_large"],
  ["body", 400, "invalid_json"],
  ["timeout", 408, "invalid_parameter"],
] as const)("bytes with a malformed %s are %d, and end the connection", async (malformation, status, code) => {
  const response = malformedResponse(malformation);
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ code, message: expect.any(String), status });
  expect(response.headers.get("Connection")).toBe("close");
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  expect(response.headers.has("Allow")).toBe(status === 405);
});
