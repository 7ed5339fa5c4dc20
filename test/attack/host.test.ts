import { describe, expect, test } from "bun:test";
import { states } from "../support/markdown.ts";
import { Connection } from "./connection.ts";
import { expectAnswered } from "./outcomes.ts";
import { answerTo, SOON, untilClosed, useTarget } from "./target.ts";

const target = useTarget();

const get = (path: string, fields = "", version = "HTTP/1.1") =>
  `GET ${path} ${version}\r\n${target.headers}${fields}\r\n`;

const PATHS = ["/v1/pets", "/v1/pets?limit=1", "/livez", "/openapi.json", "/%2e%2e/v1/pets", "/livez/../v1/./pets"];

/** A request with these lines instead of the target's Host. */
const withHosts = (path: string, hosts: string[]) =>
  `GET ${path} HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join("")}Authorization: Bearer ${target.secret}\r\n\r\n`;

describe("a valid Host changes no response:", () => {
  const hosts = [
    "",
    ":",
    "a_b.example",
    "petstore.test:80",
    "x:99999999",
    "1.2.3.4:8080",
    "[::1]",
    "[::1]:8080",
    "%7a,(x)",
  ];

  test.each(hosts)("%j", async (host) => {
    for (const path of PATHS) expect(await answerTo(target, withHosts(path, [host]))).toMatchObject({ status: 200 });
  });

  test.each(hosts)("%j, without a key", async (host) => {
    const answer = await answerTo(target, `GET /v1/pets HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expectAnswered(answer);
    expect(answer?.status).toBe(401);
  });
});

describe("an invalid Host is 400 before any other check:", () => {
  test("is what the documents say", () => {
    states("docs/errors.md", "no `Host`, an invalid one");
  });
  const hosts = ["a/livez?", "a/docs", "x?", "x#", "u:p@h", "a b", "[::1", "x:y", "%zz", "\xff\xfe", "x\\y", "x, y"];

  test.each(hosts)("%j", async (host) => {
    for (const path of PATHS) await expectRefused(withHosts(path, [host]));
    await expectRefused(`GET /v1/pets HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  });
});

describe("two Host headers are 400 before any other check:", () => {
  test("is what the documents say", () => {
    states("docs/errors.md", "or two of them,");
  });
  test.each([
    ["petstore.test", "other"],
    ["petstore.test", "petstore.test"],
    ["petstore.test", ""],
    ["", "petstore.test"],
  ])("%j and %j", async (first, second) => {
    for (const path of PATHS) await expectRefused(withHosts(path, [first, second]));
  });

  test("on the administration listener too", async () => {
    const connection = await Connection.open(target.service.adminUrl);
    const answer = await connection.ask("GET", withHosts("/livez", ["localhost", "localhost"]), SOON);
    connection.close();
    expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('"invalid_parameter"') });
  });
});

async function expectRefused(request: string): Promise<void> {
  const answer = await answerTo(target, request);
  expectAnswered(answer);
  expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('"invalid_parameter"') });
  expect(answer?.headers.get("Content-Type")).toBe("application/json");
}

describe("HTTP/1.0", () => {
  test("is answered, and the connection closed", async () => {
    const { answers, isClosed } = await untilClosed(target, get("/v1/pets", "", "HTTP/1.0"));
    expect(answers).toMatchObject([{ status: 200 }]);
    expect(isClosed).toBe(true);
  });

  test("needs no Host, as a load balancer's probe sends none", async () => {
    for (const [line, status] of [
      ["GET /livez", 200],
      ["GET /readyz", 200],
      ["HEAD /readyz", 200],
      ["GET /v1/pets?limit=1", 401],
      ["GET /nothing", 404],
    ] as const) {
      const answer = await answerTo(target, `${line} HTTP/1.0\r\n\r\n`, line.split(" ")[0]);
      expect(answer).toMatchObject({ status });
    }
    const request = `GET /v1/pets?limit=1 HTTP/1.0\r\nAuthorization: Bearer ${target.secret}\r\n\r\n`;
    expect(await answerTo(target, request)).toMatchObject({ status: 200 });
  });
});
