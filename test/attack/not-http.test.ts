import { describe, expect, test } from "bun:test";
import { expectRefused } from "./outcomes.ts";
import { answerTo, untilClosed, useTarget } from "./target.ts";

const target = useTarget();

const get = (path: string, fields = "", version = "HTTP/1.1") =>
  `GET ${path} ${version}\r\n${target.headers}${fields}\r\n`;

const fields = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: a\r\n`).join("");

describe("bytes that are not a request are refused, and the connection is closed:", () => {
  const lines: [name: string, bytes: string][] = [
    ["HTTP/0.9", "GET /v1/pets\r\n\r\n"],
    ["HTTP/1.2", "GET /v1/pets HTTP/1.2\r\nHost: x\r\n\r\n"],
    ["HTTP/9.9", "GET /v1/pets HTTP/9.9\r\nHost: x\r\n\r\n"],
    ["HTTP/1.10", "GET /v1/pets HTTP/1.10\r\nHost: x\r\n\r\n"],
    ["http/1.1", "GET /v1/pets http/1.1\r\nHost: x\r\n\r\n"],
    ["another protocol", "GET /v1/pets HTTX/1.1\r\nHost: x\r\n\r\n"],
    ["HTTP/2's preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03abcdefgh\r\n\r\n"],
    ["bytes at random", "\xff\xfe\xfd\r\n\r\n"],
    ["no method", " /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["a method that is no word", "\x00\x01 /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["a target without a slash", "GET v1/pets HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["NUL in the target", "GET /v1/pets\0 HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["controls in the target", "GET /v1/pets\x01\x7f HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["a tab in the target", "GET /v1/pets\t HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["a space in the target", "GET /v1/pets x HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["bare line feeds", "GET /v1/pets HTTP/1.1\nHost: x\n\n"],
    ["one bare line feed", "GET /v1/pets HTTP/1.1\r\nHost: x\nX-A: a\r\n\r\n"],
    ["a bare carriage return", "GET /v1/pets HTTP/1.1\r\nHost: x\r\nX\rA: a\r\n\r\n"],
    ["NUL in a header", "GET /v1/pets HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n"],
    ["a control character in a header", "GET /v1/pets HTTP/1.1\r\nHost: x\r\nX-A: a\x01b\r\n\r\n"],
    ["NUL in a header's name", "GET /v1/pets HTTP/1.1\r\nHost: x\r\nX\0A: a\r\n\r\n"],
    ["a header without a name", "GET /v1/pets HTTP/1.1\r\nHost: x\r\n: a\r\n\r\n"],
    ["a header without a colon", "GET /v1/pets HTTP/1.1\r\nHost: x\r\nabc\r\n\r\n"],
    ["a header's name with brackets", "GET /v1/pets HTTP/1.1\r\nHost: x\r\na(b): a\r\n\r\n"],
    ["no Host in HTTP/1.1", "GET /v1/pets HTTP/1.1\r\n\r\n"],
  ];
  test.each(lines)("%s", async (_, bytes) => expectRefused(await untilClosed(target, bytes)));

  const oversized: [name: string, bytes: string][] = [
    ["a header of a megabyte", `GET /v1/pets HTTP/1.1\r\nHost: x\r\nX-A: ${"a".repeat(1_000_000)}\r\n\r\n`],
    ["a header of 20 KB", `GET /v1/pets HTTP/1.1\r\nHost: x\r\nX-A: ${"a".repeat(20_000)}\r\n\r\n`],
    ["a header's name of a megabyte", `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${"a".repeat(1_000_000)}: a\r\n\r\n`],
    ["a target of a megabyte", `GET /v1/pets?${"a".repeat(1_000_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ["a method of a megabyte", `${"A".repeat(1_000_000)} /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n`],
    ["5,000 headers", `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${fields(5_000)}\r\n`],
  ];
  test.each(oversized)("%s", async (_, bytes) => expectRefused(await untilClosed(target, bytes)));
});

describe("a large request within the bounds is answered:", () => {
  test("a header of 15 KB", async () => {
    expect(await answerTo(target, get("/v1/pets", `X-A: ${"a".repeat(15_000)}\r\n`))).toMatchObject({ status: 200 });
  });
  test("a target of 15 KB", async () => {
    expect(await answerTo(target, get(`/v1/pets?x=${"a".repeat(15_000)}`))).toMatchObject({ status: 200 });
  });
  test("90 headers", async () => {
    expect(await answerTo(target, get("/v1/pets", fields(90)))).toMatchObject({ status: 200 });
  });
});
