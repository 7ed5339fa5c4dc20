import { describe, expect, test } from "bun:test";
import { METHODS } from "./outcomes.ts";
import { answerTo, unknownSecret, useTarget } from "./target.ts";

const target = useTarget();

const get = (path: string, fields = "", version = "HTTP/1.1") =>
  `GET ${path} ${version}\r\n${target.headers}${fields}\r\n`;

describe("two Authorization headers are 401,", () => {
  const second = (secret: string) => `Authorization: Bearer ${secret}\r\n`;

  test("with any keys in any order", async () => {
    const invalid = { status: 401, body: expect.stringContaining('"invalid_api_key"') };
    expect(await answerTo(target, get("/v1/pets", second(target.secret)))).toMatchObject(invalid);
    expect(await answerTo(target, get("/v1/pets", second(unknownSecret)))).toMatchObject(invalid);
    const reversed = `GET /v1/pets HTTP/1.1\r\n${second("x")}${target.headers}\r\n`;
    expect(await answerTo(target, reversed)).toMatchObject(invalid);
  });
});

describe("a method", () => {
  test.each(METHODS)("%s is answered", async (method) => {
    const answer = await answerTo(target, `${method} /v1/pets HTTP/1.1\r\n${target.headers}\r\n`, method);
    const status = method === "GET" || method === "HEAD" ? 200 : method === "POST" ? 400 : 405;
    if (method === "POST") expect(answer?.body).toContain("unsupported_media_type");
    else expect(answer).toMatchObject({ status });
  });

  test("is the one in the request line, regardless of headers", async () => {
    const override = "X-HTTP-Method-Override: DELETE\r\nX-Method-Override: DELETE\r\n";
    expect(await answerTo(target, get("/v1/pets", override))).toMatchObject({ status: 200 });
  });
});

test.each(["websocket", "h2c"])("an upgrade to %s is ignored", async (protocol) => {
  const answer = await answerTo(target, get("/v1/pets", `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n`));
  expect(answer).toMatchObject({ status: 200 });
});

test("headers with the names of object properties are ordinary headers", async () => {
  const answer = await answerTo(target, get("/v1/pets", "__proto__: x\r\nconstructor: y\r\nhasOwnProperty: z\r\n"));
  expect(answer).toMatchObject({ status: 200 });
});

test("the request line and the headers may be as large as the refusal of larger ones says", async () => {
  const of = (size: number) => get("/v1/pets", `X-A: ${"a".repeat(size - get("/v1/pets", "X-A: \r\n").length)}\r\n`);
  const { status, body = "" } = (await answerTo(target, of(40 * 1024))) ?? {};
  expect([status, JSON.parse(body).code]).toEqual([431, "request_header_too_large"]);
  const most = Number(/larger than (\d+) KiB/.exec(body)?.[1]) * 1024;
  expect(await answerTo(target, of(most))).toMatchObject({ status: 200 });
  // The empty line behind them does not count.
  expect(await answerTo(target, of(most + "\r\n\r\n".length + 1))).toMatchObject({ status: 431 });
});
