import { describe, expect, test } from "bun:test";
import { expectAnswered } from "./outcomes.ts";
import { answerTo, untilClosed, useTarget } from "./target.ts";

const target = useTarget();

const get = (path: string, fields = "", version = "HTTP/1.1") =>
  `GET ${path} ${version}\r\n${target.headers}${fields}\r\n`;

describe("the header Host changes no response:", () => {
  const hosts = ["a/livez?", "a/docs", "x?", "x#", "u:p@h", "a b", "", "[::1", "x:99999999", "%zz", "\xff\xfe", "x\\y"];

  test.each(hosts)("%j", async (host) => {
    const request = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${target.secret}\r\n\r\n`;
    for (const path of ["/v1/pets", "/v1/pets?limit=1", "/livez", "/openapi.json"]) {
      const answer = await answerTo(target, request(path));
      expect(answer).toMatchObject({ status: 200 });
    }
  });

  test.each(hosts)("%j, with dots in the path", async (host) => {
    for (const path of ["/%2e%2e/v1/pets", "/livez/../v1/./pets?limit=1"]) {
      const answer = await answerTo(target, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      expectAnswered(answer);
      expect(answer?.status).toBe(401);
    }
  });

  test.each(hosts)("%j, without a key", async (host) => {
    const answer = await answerTo(target, `GET /v1/pets HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expectAnswered(answer);
    expect([400, 401]).toContain(answer?.status ?? 0);
  });

  test("two of them", async () => {
    expectAnswered(await answerTo(target, get("/v1/pets", "Host: other\r\n")));
  });
});

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
