import { describe, expect, test } from "bun:test";
import { states } from "../support/markdown.ts";
import { attack, SOON, untilClosed, useTarget } from "./target.ts";
import type { WireAnswer } from "./wire.ts";

const target = useTarget();

const BODY = '{"name":"stored","categoryId":1}';
const post = (fields: string, body: string) =>
  `POST /v1/pets HTTP/1.1\r\n${target.headers}Content-Type: application/json\r\n${fields}\r\n\r\n${body}`;
const stored = () => post(`Content-Length: ${BODY.length}`, BODY);

/** What is no request, and the status and code of its refusal. */
const CASES: [name: string, bytes: () => string, status: number, code: string][] = [
  ["another version", () => "GET /v1/pets HTTP/1.2\r\nHost: x\r\n\r\n", 505, "invalid_parameter"],
  ["HTTP/2", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "invalid_parameter"],
  ["a target without a slash", () => "GET v1/pets HTTP/1.1\r\nHost: x\r\n\r\n", 400, "invalid_parameter"],
  ["a target that is no URL", () => "GET http://h:x/ HTTP/1.1\r\nHost: x\r\n\r\n", 400, "invalid_parameter"],
  ["bytes at random", () => "\xff\xfe\xfd\r\n\r\n", 400, "invalid_parameter"],
  ["no Host", () => "GET /v1/pets HTTP/1.1\r\n\r\n", 400, "invalid_parameter"],
  ["a bare line feed", () => "GET / HTTP/1.1\r\nHost: x\nX-A: a\r\n\r\n", 400, "invalid_parameter"],
  [
    "headers of 17 KiB",
    () => `GET /v1/pets HTTP/1.1\r\n${target.headers}X-A: ${"a".repeat(17 * 1024)}\r\n\r\n`,
    431,
    "request_header_too_large",
  ],
  [
    "a target of a megabyte",
    () => `GET /v1/pets?${"a".repeat(1_000_000)} HTTP/1.1\r\n${target.headers}\r\n`,
    431,
    "request_header_too_large",
  ],
  ["two lengths", () => post("Content-Length: 5\r\nContent-Length: 6", "{}    "), 400, "invalid_parameter"],
  ["a malformed chunk", () => post("Transfer-Encoding: chunked", "zz\r\n{}\r\n0\r\n\r\n"), 400, "invalid_json"],
];

function expectError(answer: WireAnswer | undefined, status: number, code: string): void {
  expect(answer?.status).toBe(status);
  expect(JSON.parse(answer?.body ?? "")).toEqual({ code, message: expect.any(String), status });
  expect(Object.fromEntries(answer?.headers ?? [])).toMatchObject({
    "content-type": "application/json",
    "cache-control": "no-store",
    connection: "close",
    "x-content-type-options": "nosniff",
    "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    date: expect.stringMatching(/ GMT$/),
    "x-ratelimit-limit": expect.stringMatching(/^\d+$/),
    "x-ratelimit-remaining": expect.stringMatching(/^\d+$/),
    "x-ratelimit-reset": expect.stringMatching(/^\d+$/),
  });
}

describe("what the parser refuses:", () => {
  test("is what the documents say", () => {
    states(
      "docs/errors.md",
      "The request line and the headers together are larger than 16 KiB.",
      "What is not valid HTTP/1.1 is refused before any other check, with the limit headers of the client address, and the connection is closed:",
      "malformed request line or headers,",
      "request line and headers over 16 KiB | 431 `request_header_too_large`",
      "another version of HTTP | 505 `invalid_parameter`",
    );
  });
  test.each(CASES)("%s", async (_, bytes, status, code) => {
    states(
      "docs/interface.md",
      "What is not valid HTTP/1.1 is refused before any of the checks above, and the connection is closed:",
    );
    const { answers, isClosed } = await untilClosed(target, bytes());
    expect(isClosed).toBe(true);
    expect(answers).toHaveLength(1);
    expectError(answers[0], status, code);
  });
});

describe("malformed bytes", () => {
  test("behind a creation are refused after its response", async () => {
    const { answers } = await untilClosed(target, `${stored()}FOO / HTTP/9.1\r\n\r\n`);
    expect(answers.map(({ status }) => status)).toEqual([201, 505]);
    expectError(answers[1], 505, "invalid_parameter");
  });

  test("in a body that is behind a creation are refused after its response", async () => {
    const malformed = post("Transfer-Encoding: chunked", "zz\r\n");
    const { answers } = await untilClosed(target, stored() + malformed);
    expect(answers.map(({ status }) => status)).toEqual([201, 400]);
    expectError(answers[1], 400, "invalid_json");
  });

  test("in a body that was refused before add no second response", async () => {
    const request = "POST /v1/pets HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{";
    const { answers } = await attack(target, request, async (connection) => {
      await new Promise((resolve) => setImmediate(resolve));
      connection.send(`${" ".repeat(4)}zz\r\nzz\r\n`);
      return connection.untilClosed(SOON);
    });
    expect(answers.map(({ status }) => status)).toEqual([401]);
  });

  test("are refused once, however many follow", async () => {
    const { answers } = await attack(target, "FOO / HTTP/1.1\r\nX\r\n", async (connection) => {
      for (let i = 0; i < 10; i++) {
        connection.send("FOO ".repeat(1_000));
        await new Promise((resolve) => setImmediate(resolve));
      }
      return connection.untilClosed(SOON);
    });
    expect(answers.map(({ status }) => status)).toEqual([400]);
  });
});

test("an unknown expectation is ignored", async () => {
  const request = post(`Expect: x\r\nContent-Length: ${BODY.length}`, BODY);
  const { answers } = await attack(target, request, (connection) => connection.untilAnswered(1, SOON));
  expect(answers.map(({ status }) => status)).toEqual([201]);
});
