import { describe, expect, test } from "bun:test";
import { states } from "../support/markdown.ts";
import { expectRefused } from "./outcomes.ts";
import { attack, isInCatalogue, SOON, untilClosed, useTarget } from "./target.ts";

const BODY = '{"name":"Rex","categoryId":1}';
const LENGTH = BODY.length;
const SIZE = LENGTH.toString(16);
const CHUNKED = `${SIZE}\r\n${BODY}\r\n0\r\n\r\n`;
const SMUGGLED = '{"name":"smuggled","categoryId":1}';

const target = useTarget();

const post = (fields: string) =>
  `POST /v1/pets HTTP/1.1\r\n${target.headers}Content-Type: application/json\r\n${fields}\r\n\r\n`;

/** A request that is smuggled in the possible body of another one. */
const hidden = () =>
  `POST /v1/pets HTTP/1.1\r\n${target.headers}Content-Type: application/json\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`;

/** The bytes between the headers and the smuggled request: none, a body of BODY's length, or a chunked one. */
const AMBIGUOUS: [name: string, fields: string, body: string][] = [
  ["Content-Length and Transfer-Encoding", `Content-Length: ${LENGTH}\r\nTransfer-Encoding: chunked`, "0\r\n\r\n"],
  ["Transfer-Encoding and Content-Length", "Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n"],
  ["two Content-Lengths that differ", `Content-Length: 0\r\nContent-Length: ${LENGTH}`, BODY],
  ["two Content-Lengths that agree", `Content-Length: ${LENGTH}\r\nContent-Length: ${LENGTH}`, BODY],
  ["a list of Content-Lengths", `Content-Length: ${LENGTH}, ${LENGTH}`, BODY],
  ["a negative Content-Length", "Content-Length: -1", BODY],
  ["a Content-Length with a sign", `Content-Length: +${LENGTH}`, BODY],
  ["a Content-Length in hexadecimal", `Content-Length: 0x${SIZE}`, BODY],
  ["a Content-Length with a fraction", `Content-Length: ${LENGTH}.0`, BODY],
  ["a Content-Length with an exponent", "Content-Length: 2e1", BODY],
  ["an empty Content-Length", "Content-Length: ", BODY],
  ["a Content-Length with a space in it", "Content-Length: 2 9", BODY],
  ["a Content-Length of 2^63", "Content-Length: 9223372036854775808", BODY],
  ["a Content-Length of 2^64 and a body more", `Content-Length: ${2n ** 64n + BigInt(LENGTH)}`, BODY],
  ["a Content-Length of 30 digits", `Content-Length: ${"9".repeat(30)}`, BODY],
  ["a space before Content-Length's colon", `Content-Length : ${LENGTH}`, BODY],
  ["a tab before Content-Length's colon", `Content-Length\t: ${LENGTH}`, BODY],
  ["leading zeros in Content-Length", `Content-Length: 00${LENGTH}`, BODY],
  ["Transfer-Encoding: identity", "Transfer-Encoding: identity", ""],
  ["identity and Content-Length", `Transfer-Encoding: identity\r\nContent-Length: ${LENGTH}`, BODY],
  ["an unknown coding", "Transfer-Encoding: xchunked", CHUNKED],
  ["another coding before chunked", "Transfer-Encoding: gzip, chunked", CHUNKED],
  ["another coding after chunked", "Transfer-Encoding: chunked, gzip", CHUNKED],
  ["chunked in two fields", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", CHUNKED],
  ["chunked twice", "Transfer-Encoding: chunked, chunked", CHUNKED],
  ["chunked, then identity", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", CHUNKED],
  ["chunked in quotes", 'Transfer-Encoding: "chunked"', CHUNKED],
  ["a vertical tab before chunked", "Transfer-Encoding: \x0bchunked", CHUNKED],
  ["a space before Transfer-Encoding's colon", "Transfer-Encoding : chunked", CHUNKED],
  ["a space before Transfer-Encoding", " Transfer-Encoding: chunked", CHUNKED],
  ["Transfer-Encoding behind a bare CR", "X-A: a\rTransfer-Encoding: chunked", CHUNKED],
  ["Transfer-Encoding behind a bare LF", "X-A: a\nTransfer-Encoding: chunked", CHUNKED],
  ["an empty Transfer-Encoding", `Transfer-Encoding: \r\nContent-Length: ${LENGTH}`, BODY],
  ["a folded Transfer-Encoding", "Transfer-Encoding:\r\n chunked", CHUNKED],
  ["a folded Content-Length", `Content-Length:\r\n ${LENGTH}`, BODY],
  ["a folded header", `X-A: a\r\n b\r\nContent-Length: ${LENGTH}`, BODY],
];

const CHUNKS: [name: string, body: string][] = [
  ["a line feed in a chunk's extension", `${SIZE};a\nb\r\n${BODY}\r\n0\r\n\r\n`],
  ["an endless extension", `${SIZE};${"a".repeat(100_000)}\r\n${BODY}\r\n0\r\n\r\n`],
  ["a size that is no number", `zz\r\n${BODY}\r\n0\r\n\r\n`],
  ["a negative size", `-1\r\n${BODY}\r\n0\r\n\r\n`],
  ["a size with 0x", `0x${SIZE}\r\n${BODY}\r\n0\r\n\r\n`],
  ["a size beyond 2^64", `1000000000000000${SIZE}\r\n${BODY}\r\n0\r\n\r\n`],
  ["no size", `\r\n${BODY}\r\n0\r\n\r\n`],
  ["a size that is too small", `5\r\n${BODY}\r\n0\r\n\r\n`],
  ["bare line feeds", `${SIZE}\n${BODY}\n0\n\n`],
  ["no line end after a chunk", `${SIZE}\r\n${BODY}0\r\n\r\n`],
  ["a space after the size", `${SIZE} \r\n${BODY}\r\n0\r\n\r\n`],
  ["a trailer that is no header", `${SIZE}\r\n${BODY}\r\n0\r\nbroken\r\n\r\n`],
  ["a trailer that frames", `${SIZE}\r\n${BODY}\r\n0\r\nContent-Length: 5\r\n\r\n`],
];

/** It is unusual, and clear (RFC 9110, 8.6). */
const isClear = (name: string) => name === "leading zeros in Content-Length";

describe("a request with an ambiguous end is refused, and nothing behind it is executed:", () => {
  test("is what the documents say", () => {
    states("docs/errors.md", "an ambiguous length | 400 `invalid_parameter`", "is not framed as HTTP requires,");
  });
  test.each(AMBIGUOUS.filter(([name]) => !isClear(name)))("%s", async (_, fields, body) => {
    expectRefused(await untilClosed(target, post(fields) + body + hidden()));
    expect(await isInCatalogue(target, "smuggled")).toBe(false);
  });

  describe("chunks with", () => {
    test.each(CHUNKS)("%s", async (_, body) => {
      expectRefused(await untilClosed(target, post("Transfer-Encoding: chunked") + body + hidden()));
      expect(await isInCatalogue(target, "smuggled")).toBe(false);
    });
  });

  test("HTTP/1.0 with Transfer-Encoding", async () => {
    const request = post("Transfer-Encoding: chunked").replace("HTTP/1.1", "HTTP/1.0");
    expectRefused(await untilClosed(target, request + CHUNKED + hidden()));
    expect(await isInCatalogue(target, "smuggled")).toBe(false);
  });
});

/** Requests with valid but unusual framing: the next one begins where they end. */
const FRAMED: [name: string, fields: string, body: string][] = [
  ["a length", `Content-Length: ${LENGTH}`, BODY],
  ["chunks", "Transfer-Encoding: chunked", CHUNKED],
  ["many chunks", "Transfer-Encoding: chunked", `${[...BODY].map((byte) => `1\r\n${byte}\r\n`).join("")}0\r\n\r\n`],
  ["chunked in capitals", "Transfer-Encoding: CHUNKED", CHUNKED],
  ["a tab before chunked", "Transfer-Encoding:\tchunked", CHUNKED],
  ["a chunk's extension", "Transfer-Encoding: chunked", `${SIZE};a=b;c="d"\r\n${BODY}\r\n0\r\n\r\n`],
  ["a size with leading zeros", "Transfer-Encoding: chunked", `000${SIZE}\r\n${BODY}\r\n000\r\n\r\n`],
  ["Expect: 100-continue", `Expect: 100-continue\r\nContent-Length: ${LENGTH}`, BODY],
  ...AMBIGUOUS.filter(([name]) => isClear(name)),
];

describe("a body is as long as declared:", () => {
  test.each(FRAMED)("%s", async (_, fields, body) => {
    await attack(target, "", async (connection) => {
      expect(await connection.ask("POST", post(fields) + body, SOON)).toMatchObject({ status: 201 });
      const next = await connection.ask("GET", `GET /v1/next HTTP/1.1\r\n${target.headers}\r\n`, SOON);
      expect(next).toMatchObject({ status: 404 });
    });
  });

  const unread: [name: string, line: string, status: number][] = [
    ["a GET", "GET /v1/pets", 200],
    ["a HEAD", "HEAD /v1/pets", 200],
    ["a POST to an unknown path", "POST /v1/none", 404],
    ["a POST that is not allowed", "POST /v1/pets/1", 405],
  ];
  test.each(unread)("the unread body of %s is not a request", async (_, line, status) => {
    const [method = ""] = line.split(" ");
    const body = hidden();
    await attack(target, "", async (connection) => {
      const request = `${line} HTTP/1.1\r\n${target.headers}Content-Length: ${body.length}\r\n\r\n${body}`;
      expect(await connection.ask(method, request, SOON)).toMatchObject({ status });
      const next = await connection.ask("GET", `GET /v1/next HTTP/1.1\r\n${target.headers}\r\n`, SOON);
      expect(next).toMatchObject({ status: 404 });
    });
    expect(await isInCatalogue(target, "smuggled")).toBe(false);
  });

  test("the body of a POST without a key is not a request", async () => {
    const body = hidden();
    await attack(target, "", async (connection) => {
      const request = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      expect(await connection.ask("POST", request, SOON)).toMatchObject({ status: 401 });
      const next = await connection.ask("GET", `GET /v1/next HTTP/1.1\r\n${target.headers}\r\n`, SOON);
      expect(next).toMatchObject({ status: 404 });
    });
    expect(await isInCatalogue(target, "smuggled")).toBe(false);
  });

  test("a header that only resembles Content-Length is ignored", async () => {
    const { answers } = await untilClosed(target, `${post(`Content_Length: ${LENGTH}`)}${BODY}\r\n\r\n`);
    for (const { status } of answers) expect(status).toBe(400);
  });
});
