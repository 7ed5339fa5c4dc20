import { describe, expect, test } from "bun:test";
import { expectAnswered } from "./outcomes.ts";
import { answerTo, attack, SOON, useTarget } from "./target.ts";

const target = useTarget();

const get = (path: string, fields = "", version = "HTTP/1.1") =>
  `GET ${path} ${version}\r\n${target.headers}${fields}\r\n`;

describe("a target in another form", () => {
  test("with scheme and host is answered like its path", async () => {
    for (const origin of ["http://other.example", "https://other.example:8443"]) {
      expect(await answerTo(target, get(`${origin}/v1/pets?limit=1`))).toMatchObject({ status: 200 });
      const anonymous = `GET ${origin}/v1/pets HTTP/1.1\r\nHost: x\r\n\r\n`;
      expect(await answerTo(target, anonymous)).toMatchObject({ status: 401 });
    }
  });

  test.each(["http://other.example", "http://[/v1/none", "http://h:x/v1/none", "ftp://x/v1/none", "*", "/v1\\none"])(
    "%s is harmless",
    async (form) => expectAnswered(await answerTo(target, get(form))),
  );

  test("CONNECT gets no tunnel", async () => {
    const { answers } = await attack(target, `CONNECT x:443 HTTP/1.1\r\n${target.headers}\r\n`, async (connection) => {
      connection.endSending();
      return connection.untilClosed(SOON);
    });
    for (const { status } of answers) expect(status).toBeGreaterThanOrEqual(400);
  });

  test.each(["/docs/../v1/pets", "/docs/%2e%2e/v1/pets", "/./v1/pets", "/%76%31/pets", "/v1/pets#x", "/v1/%70ets"])(
    "%s needs a key as /v1/pets does",
    async (path) => {
      expect(await answerTo(target, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatchObject({ status: 401 });
      expect(await answerTo(target, get(path))).toMatchObject({ status: 200 });
    },
  );

  test.each([
    "//v1/pets",
    "/v1%2Fpets",
    "//other.example/v1/pets",
    "/v1/pets/%2e%2e%2fpets",
    "/v1/pets/%00",
    "/v1/pets/%",
  ])("%s is another path, where there is nothing", async (path) => {
    const answer = await answerTo(target, get(path));
    expect(answer).toMatchObject({ status: 404 });
  });

  test("line breaks in a path reach no header", async () => {
    const answer = await answerTo(target, get("/v1/pets/1%0d%0aX-Injected:%201"));
    expect(answer?.status).toBe(404);
    expect(answer?.headers.has("X-Injected")).toBe(false);
  });
});
