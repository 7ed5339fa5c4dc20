import { describe, expect, test } from "bun:test";
import { runtime } from "../support/runtime.ts";
import { attack, SOON, untilClosed, useTarget } from "./target.ts";
import type { WireAnswer } from "./wire.ts";

const target = useTarget();

const BODY = '{"name":"stored","categoryId":1}';
const post = (fields: string, body: string) =>
  `POST /v1/pets HTTP/1.1\r\n${target.headers}Content-Type: application/json\r\n${fields}\r\n\r\n${body}`;
const stored = () => post(`Content-Length: ${BODY.length}`, BODY);

/**
 * What each runtime answers to what its parser refuses: Node the error with this status and code, Bun a bare status, or
 * nothing at all (0).
 */
const CASES: [name: string, bytes: () => string, status: number, code: string, onBun: number][] = [
  ["an unknown method", () => `FOO /v1/pets HTTP/1.1\r\n${target.headers}\r\n`, 405, "method_not_allowed", 0],
  ["a method in lower case", () => `get /v1/pets HTTP/1.1\r\n${target.headers}\r\n`, 405, "method_not_allowed", 0],
  ["another version", () => "GET /v1/pets HTTP/1.2\r\nHost: x\r\n\r\n", 400, "invalid_parameter", 505],
  ["a target without a slash", () => "GET v1/pets HTTP/1.1\r\nHost: x\r\n\r\n", 400, "invalid_parameter", 400],
  ["bytes at random", () => "\xff\xfe\xfd\r\n\r\n", 400, "invalid_parameter", 400],
  ["no Host", () => "GET /v1/pets HTTP/1.1\r\n\r\n", 400, "invalid_parameter", 400],
  ["a bare line feed", () => "GET / HTTP/1.1\r\nHost: x\nX-A: a\r\n\r\n", 400, "invalid_parameter", 400],
  [
    "headers of 20 KB",
    () => `GET /v1/pets HTTP/1.1\r\n${target.headers}X-A: ${"a".repeat(20_000)}\r\n\r\n`,
    431,
    "request_header_too_large",
    431,
  ],
  [
    "a target of a megabyte",
    () => `GET /v1/pets?${"a".repeat(1_000_000)} HTTP/1.1\r\n${target.headers}\r\n`,
    431,
    "request_header_too_large",
    431,
  ],
  ["two lengths", () => post("Content-Length: 5\r\nContent-Length: 6", "{}    "), 400, "invalid_parameter", 400],
  ["a malformed chunk", () => post("Transfer-Encoding: chunked", "zz\r\n{}\r\n0\r\n\r\n"), 400, "invalid_json", 400],
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
  });
  expect(answer?.headers.has("Allow")).toBe(status === 405);
}

describe("what the parser refuses:", () => {
  test.each(CASES)("%s", async (_, bytes, status, code, onBun) => {
    const { answers, isClosed } = await untilClosed(target, bytes());
    expect(isClosed).toBe(true);
    if (runtime === "node") {
      expect(answers).toHaveLength(1);
      expectError(answers[0], status, code);
    } else {
      expect(answers.map((answer) => answer.status)).toEqual(onBun === 0 ? [] : [onBun]);
      for (const { body } of answers) expect(body).toBe("");
    }
  });
});

const onNode = () => {
  test("behind a creation are refused after its response", async () => {
    const { answers } = await untilClosed(target, `${stored()}FOO / HTTP/1.1\r\n\r\n`);
    expect(answers.map(({ status }) => status)).toEqual([201, 405]);
    expectError(answers[1], 405, "method_not_allowed");
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
      await connection.untilAnswered(1, SOON);
      connection.send(`${" ".repeat(4)}zz\r\nzz\r\n`);
      return connection.untilClosed(SOON);
    });
    expect(answers.map(({ status }) => status)).toEqual([401]);
  });

  test("are refused once, however many follow", async () => {
    const { answers } = await attack(target, "FOO / HTTP/1.1\r\n", async (connection) => {
      for (let i = 0; i < 10; i++) {
        connection.send("FOO ".repeat(1_000));
        await new Promise((resolve) => setImmediate(resolve));
      }
      return connection.untilClosed(SOON);
    });
    expect(answers.map(({ status }) => status)).toEqual([405]);
  });
};

const onBun = () => {
  test("behind a creation end the connection, and may lose its response", async () => {
    const { answers, isClosed } = await untilClosed(target, `${stored()}FOO / HTTP/1.1\r\n\r\n`);
    expect(isClosed).toBe(true);
    expect(answers.length).toBeLessThanOrEqual(1);
  });
};

describe("malformed bytes", runtime === "node" ? onNode : onBun);

test("an unknown expectation is ignored", async () => {
  const request = post(`Expect: x\r\nContent-Length: ${BODY.length}`, BODY);
  const { answers } = await attack(target, request, (connection) => connection.untilAnswered(1, SOON));
  expect(answers.map(({ status }) => status)).toEqual([201]);
});
