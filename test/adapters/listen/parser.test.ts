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

test("the request line and the headers have at most 16 KiB without the empty line, in any pieces", () => {
  const stepsOf = (size: number) => {
    const start = "GET / HTTP/1.1\r\nHost: a\r\nX-A: ";
    const bytes = Buffer.from(`${start.padEnd(size, "a")}\r\n\r\n`);
    return [0, 1, size - 1, size, size + 1, size + 2, size + 3].map((at) => {
      const parser = new Parser();
      const first = parser.parse(bytes.subarray(0, at));
      const step = first === "part" ? parser.parse(bytes.subarray(at)) : first;
      parser.free();
      return step;
    });
  };
  const most = 16 * 1024;
  expect(new Set(stepsOf(most))).toEqual(new Set(["request"]));
  expect(new Set(stepsOf(most + 1))).toEqual(new Set(["headers"]));
});

const HEAD_OF_CHUNKED = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

/** The step of a parser after a head and these pieces of a chunked body, and how many bytes of them it took. */
function stepAfter(pieces: Iterable<string>) {
  const parser = new Parser();
  let step = parser.parse(Buffer.from(HEAD_OF_CHUNKED));
  let taken = 0;
  for (const piece of pieces) {
    if (step !== "head" && step !== "part") break;
    step = parser.parse(Buffer.from(piece));
    taken += piece.length;
  }
  parser.free();
  return { step, taken };
}

test("the frame of a chunked body has 16 KiB and six bytes for each of its content, in any pieces", () => {
  const most = 16 * 1024;
  for (const size of [1, 10, 1_000, most + 100]) {
    const extension = `1;${"a".repeat(2 * most)}`.match(new RegExp(`.{1,${size}}`, "g")) ?? [];
    const { step, taken } = stepAfter(extension);
    expect(step).toBe("malformed body");
    expect(taken).toBeWithin(most, most + size + 2);
  }
  const chunks = Array(10_000).fill("1\r\na\r\n");
  expect(stepAfter([...chunks, "0\r\n\r\n"]).step).toBe("request");
  expect(stepAfter([[...chunks, "0\r\n\r\n"].join("")]).step).toBe("request");
  // Each body has a frame of its own.
  const parser = new Parser();
  const pieces = [HEAD_OF_CHUNKED, "1\r\na\r\n", "0\r\n\r\n"].map((text) => Buffer.from(text));
  for (let i = 0; i < most; i++) {
    expect(pieces.map((piece) => parser.parse(piece))).toEqual(["head", "part", "request"]);
    parser.next();
  }
  parser.free();
});
