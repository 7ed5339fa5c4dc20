import { expect, test } from "bun:test";
// @ts-expect-error: it has no types.
import built from "undici/lib/llhttp/llhttp-wasm.js";
import { program } from "../../../src/adapters/listen/llhttp.ts";
import { Parser } from "../../../src/adapters/listen/parser.ts";

test("llhttp is the one that undici has, which npm updates", () => {
  expect(Buffer.compare(program, built)).toBe(0);
});

const REQUEST =
  "POST /v1/pets?limit=1 HTTP/1.1\r\nHost: a\r\nX-Empty:\r\nx-two: 1 \t\r\nX-Two:  2\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: t\r\n\r\n";

test("a request is the same in any pieces, with a method that llhttp knows or not", () => {
  for (const method of ["POST", "get", "A", "PROPFIND-OF-A-NAME"]) {
    const bytes = Buffer.from(REQUEST.replace("POST", method));
    for (let size = 1; size <= bytes.length; size++) {
      const parser = new Parser();
      const body: Buffer[] = [];
      let step = "part";
      for (let at = 0; step !== "request"; ) {
        expect(at).toBeLessThan(bytes.length);
        step = parser.parse(bytes.subarray(at, at + size));
        at += parser.parsed;
        body.push(...parser.takeBody());
      }
      const { head } = parser;
      expect([head.method, head.target, Buffer.concat(body).toString()]).toEqual([method, "/v1/pets?limit=1", "abcde"]);
      expect(["HOST", "x-empty", "X-TWO", "X-Trailer"].map((name) => head.get(name))).toEqual(["a", "", "1, 2", null]);
      expect([...head].map(([name]) => name)).toEqual(["host", "x-empty", "x-two", "x-two", "transfer-encoding"]);
      parser.free();
    }
  }
});

test("a parser begins anew with each request", () => {
  const parser = new Parser();
  const bytes = Buffer.from("\r\nGET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET /b HTTP/1.0\r\n\r\n");
  expect([parser.isIdle, parser.parse(bytes), parser.head.target, parser.head.isKeptAlive]).toEqual([
    true,
    "request",
    "/a",
    false,
  ]);
  const rest = bytes.subarray(parser.parsed);
  parser.next();
  expect([parser.parse(rest), parser.head.target, parser.head.version, parser.head.get("Host")]).toEqual([
    "request",
    "/b",
    0,
    null,
  ]);
  parser.free();
});
