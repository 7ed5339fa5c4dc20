import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { hasCaddy, startCaddy } from "../support/caddy.ts";
import { besideLoad } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { freePort } from "../support/ports.ts";
import type { TlsProxy } from "../support/tls-proxy.ts";
import { useService } from "../support/use-service.ts";

/** The same after a restart. */
const PORT = String(await freePort());

if (!hasCaddy) console.log("skipped: deploy/Caddyfile is not tried, without caddy on this machine");

describe.skipIf(!hasCaddy)("Caddy as deploy/ configures it", () => {
  const service = useService({ env: { PETSTORE_TRUSTED_PROXIES: "127.0.0.1", PORT } });
  let caddy: TlsProxy;
  const ask = (path: string, init?: RequestInit) => caddy.ask(path, init);
  beforeAll(async () => {
    caddy = await startCaddy(Number(PORT));
  });
  afterAll(() => caddy?.stop());

  const head = (line: string, fields = "") => `${line} HTTP/1.1\r\nHost: localhost\r\n${fields}\r\n`;
  const large = head("POST /v1/pets", "Content-Length: 100000\r\n");
  const chunked = head("POST /v1/pets", "Transfer-Encoding: chunked\r\n");
  const refused: [name: string, bytes: string, status: number, code: string][] = [
    ["an unknown method", head("FOO /v1/pets"), 405, "method_not_allowed"],
    ["a method that no operation has", head("TRACE /v1/pets"), 405, "method_not_allowed"],
    ["a body of 100 KB", `${large}${" ".repeat(100_000)}`, 413, "payload_too_large"],
    ["a body of 110 KB in chunks", `${chunked}1adb0\r\n${" ".repeat(110_000)}\r\n0\r\n\r\n`, 413, "payload_too_large"],
    ["a batch of 300 KB", head("POST /v1/pets/batch", "Content-Length: 300000\r\n"), 413, "payload_too_large"],
    [
      "a batch of 310 KB in chunks",
      `${head("POST /v1/pets/batch", "Transfer-Encoding: chunked\r\n")}4baf0\r\n${" ".repeat(310_000)}\r\n0\r\n\r\n`,
      413,
      "payload_too_large",
    ],
    ["a malformed chunk", `${chunked}zz\r\n`, 400, "invalid_parameter"],
  ];
  test.concurrent.each(refused)("refuses %s with the interface's own error", async (_, bytes, status, code) => {
    states(
      "docs/running.md",
      "Errors have the form of the interface's: 405 for unknown methods, 413 for bodies of 100 KB and more, or 300 KB of a batch",
    );
    const answer = await caddy.answerTo(bytes);
    expect([answer?.status, answer?.body]).toEqual([status, expect.stringContaining(`"code":"${code}"`)]);
    expect(Object.fromEntries(answer?.headers ?? [])).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
      "strict-transport-security": "max-age=31536000",
    });
    expect(answer?.headers.has("Allow")).toBe(status === 405);
  });

  const malformed: [name: string, bytes: string, status: number][] = [
    ["no Host", "GET /v1/pets HTTP/1.1\r\n\r\n", 400],
    ["another site's Host", "GET /v1/pets HTTP/1.1\r\nHost: other.example\r\n\r\n", 421],
    ["a control character", head("GET /v1/pets", "X-A: a\x01b\r\n"), 400],
    ["two lengths", head("POST /v1/pets", "Content-Length: 5\r\nContent-Length: 6\r\n"), 400],
    ["headers of 16 KB", head("GET /v1/pets", `X-A: ${"a".repeat(16_300)}\r\n`), 431],
    ["a target of 25 KB", head(`GET /v1/pets?x=${"a".repeat(25_000)}`), 431],
    ["bytes at random", "\xff\xfe\xfd\r\n\r\n", 400],
  ];
  test.concurrent.each(malformed)("refuses %s", async (_, bytes, status) => {
    states("docs/running.md", "400, 431 for headers over 15 KiB", "Another host's name gets 421");
    expect((await caddy.answerTo(bytes))?.status).toBe(status);
  });

  test.each([
    ["batch", "/v1/pets/batch"],
    ["message of an agent", "/mcp"],
  ])("passes on the largest %s, and refuses larger ones", async (_, path) => {
    states("docs/running.md", "or 300 KB of a batch or of a message of an agent,");
    const largest = " ".repeat(256 * 1024);
    const whole = head(`POST ${path}`, `Content-Length: ${largest.length}\r\n`);
    expect((await caddy.answerTo(`${whole}${largest}`))?.status).toBe(401);
    const inChunks = head(`POST ${path}`, "Transfer-Encoding: chunked\r\n");
    const chunk = `${largest.length.toString(16)}\r\n${largest}\r\n`;
    expect((await caddy.answerTo(`${inChunks}${chunk}0\r\n\r\n`))?.status).toBe(401);
    expect((await caddy.answerTo(head(`POST ${path}`, "Content-Length: 300000\r\n")))?.status).toBe(413);
  });

  test("passes on headers that the node accepts", async () => {
    expect((await caddy.answerTo(head("GET /v1/pets", `X-A: ${"a".repeat(14_500)}\r\n`)))?.status).toBe(401);
  });

  test("lets the node refuse a body that is too large, with its limits", async () => {
    const { secret } = await service.createKey();
    const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
    for (const size of [65_537, 99_999]) {
      const response = await ask("/v1/pets", { method: "POST", headers, body: " ".repeat(size) });
      expect(response.status).toBe(413);
      expect(response.headers.get("X-RateLimit-Limit")).not.toBeNull();
    }
  });

  test("gives the node the client's address, and not the one that the client claims", async () => {
    const claims = { "X-Forwarded-For": "192.0.2.7" };
    const remaining = (response: Response) => Number(response.headers.get("X-RateLimit-Remaining"));
    // To the node itself: it trusts this machine, and counts for the claimed address.
    const claimed = remaining(await fetch(`${service.url}/v1/pets`, { headers: claims }));
    const [first, second, third] = [
      remaining(await ask("/v1/pets", { headers: claims })),
      remaining(await ask("/v1/pets")),
      remaining(await ask("/v1/pets", { headers: { "X-Forwarded-For": "192.0.2.8" } })),
    ];
    expect([second, third]).toEqual([first - 1, first - 2]);
    expect(remaining(await fetch(`${service.url}/v1/pets`, { headers: claims }))).toBe(claimed - 1);
  });

  test("passes on ETags and what depends on them", async () => {
    const { secret } = await service.createKey();
    const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
    const body = JSON.stringify({ name: "Rex", categoryId: 1 });
    const created = await ask("/v1/pets", { method: "POST", headers, body });
    const etag = created.headers.get("ETag") ?? "";
    expect(etag).toMatch(/^"/);
    const { pathname } = new URL(created.headers.get("Location") ?? "", caddy.url);
    const changed = await ask(pathname, { method: "PATCH", headers: { ...headers, "If-Match": etag }, body: "{}" });
    expect(changed.status).toBe(200);
  });

  test("redirects from HTTP to HTTPS", async () => {
    const response = await fetch(`${caddy.plainUrl}/v1/pets?limit=1`, { method: "POST", redirect: "manual" });
    expect(response.status).toBe(308);
    expect(response.headers.get("Location")).toMatch(/^https:\/\/localhost(:\d+)?\/v1\/pets\?limit=1$/);
  });

  test.concurrent("ends a connection whose headers do not arrive", async () => {
    const socket = await caddy.open();
    const began = performance.now();
    socket.write("GET /v1/pets HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
    await once(socket.resume(), "close");
    // Not after the 10 s of a body, nor the 30 s of an idle connection.
    expect(performance.now() - began).toBeLessThan(besideLoad(8_000));
  });

  test.concurrent.each([
    ["stops arriving", 0],
    ["arrives a byte at a time", 1_500],
  ])("has the node refuse a body that %s", async (_, every) => {
    states("docs/running.md", "400 for a body that is malformed or slow");
    const { secret } = await service.createKey();
    const fields = `Authorization: Bearer ${secret}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n`;
    const socket = await caddy.open();
    socket.write(`${head("POST /v1/pets", fields)}{`);
    const drip = every > 0 ? setInterval(() => socket.write(" "), every) : undefined;
    const [answer] = await once(socket, "data");
    clearInterval(drip);
    socket.destroy();
    expect(String(answer)).toStartWith("HTTP/1.1 400 ");
    expect(String(answer)).toContain('"code":"invalid_json","message":"The request body took too long to arrive."');
  });

  test("holds requests while the node restarts", async () => {
    states("docs/running.md", "A creation that may have arrived is not sent twice.");
    states("docs/deploy.md", "Caddy holds requests that arrive meanwhile for up to 5 seconds.");
    states("docs/running.md", "Requests that arrive during a restart of the node wait for up to 5 seconds.");
    const { secret } = await service.createKey();
    await service.kill();
    const waiting = ask("/v1/pets", { headers: { Authorization: `Bearer ${secret}` } });
    await service.start();
    expect((await waiting).status).toBe(200);
  });

  test("returns the interface's own error without a node", async () => {
    states("docs/running.md", "503 if the node is not ready.");
    await service.kill();
    const response = await ask("/v1/pets");
    expect(response.status).toBe(503);
    expect(response.headers.get("Retry-After")).toBe("1");
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(await response.json()).toEqual({
      code: "service_unavailable",
      message: "The service cannot process this request now. Retry in a second.",
      status: 503,
    });
  });
});
