import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect } from "node:tls";
import { type Haproxy, hasHaproxy, startHaproxy } from "../support/haproxy.ts";
import { useService } from "../support/use-service.ts";

if (!hasHaproxy) console.log("skipped: deploy/haproxy.cfg is not tried, without haproxy or openssl on this machine");

/** What the service itself answers when it cannot do what it is asked. */
const UNAVAILABLE = {
  code: "service_unavailable",
  message: "The service cannot process this request now. Retry in a second.",
  status: 503,
};

describe.skipIf(!hasHaproxy)("HAProxy as deploy/ configures it", () => {
  const service = useService({ env: { PETSTORE_TRUSTED_PROXIES: "127.0.0.1" } });
  /** A node that says it is ready, and then breaks every connection. */
  let broken: Server;
  let haproxy: Haproxy;
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(haproxy.url + path, { ...init, tls: { ca: haproxy.certificate } });
  beforeAll(async () => {
    broken = createServer((request, response) => {
      if (request.url === "/readyz") response.end();
      else request.socket.destroy();
    }).listen(0, "127.0.0.1");
    await once(broken, "listening");
    const address = broken.address();
    const brokenPort = typeof address === "object" ? (address?.port ?? 0) : 0;
    const port = Number(new URL(service.url).port);
    haproxy = await startHaproxy(port, port, brokenPort);
  }, 30_000);
  afterAll(async () => {
    await haproxy?.stop();
    broken?.close();
    broken?.closeAllConnections();
  });

  test.each([
    ["says nothing more", 0],
    ["sends a byte now and then", 300],
  ])("tells a client that %s in its headers 408, within 3 s", async (_, every) => {
    const { port } = new URL(haproxy.url);
    const socket = connect({ port: Number(port), host: "127.0.0.1", servername: "localhost", ca: haproxy.certificate });
    await once(socket, "secureConnect");
    const began = performance.now();
    socket.write("GET /v1/pets HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
    const drip = every > 0 ? setInterval(() => socket.write("a"), every) : undefined;
    const [answer] = await once(socket, "data");
    clearInterval(drip);
    const took = performance.now() - began;
    socket.destroy();
    expect(String(answer)).toStartWith("HTTP/1.1 408 ");
    expect(took).toBeGreaterThan(1_500);
    expect(took).toBeLessThan(3_000);
  });

  test("lets the node refuse a body that is too large, as the interface says", async () => {
    const { secret } = await service.createKey();
    const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
    const response = await ask("/v1/pets", { method: "POST", headers, body: " ".repeat(65_537) });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: "payload_too_large", status: 413 });
    for (const name of ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"]) {
      expect(response.headers.get(name)).not.toBeNull();
    }
  });

  test("is not cut off in the middle of a body that is far too large, and so tells its client that", async () => {
    const { secret } = await service.createKey();
    const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
    for (let i = 0; i < 30; i++) {
      const response = await ask("/v1/pets", { method: "POST", headers, body: " ".repeat(100_000 + i * 30_000) });
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ code: "payload_too_large" });
    }
  });

  test("asks browsers to come by HTTPS only", async () => {
    expect((await ask("/readyz")).headers.get("Strict-Transport-Security")).toBe("max-age=31536000");
  });

  test("answers in a broken node's stead with the interface's own error", async () => {
    const response = await ask("/v1/pets", { headers: { Host: "staging.localhost" } });
    expect(response.status).toBe(503);
    expect(response.headers.get("Retry-After")).toBe("1");
    expect(response.headers.get("Strict-Transport-Security")).not.toBeNull();
    expect(await response.json()).toEqual(UNAVAILABLE);
  });

  test("answers with the interface's own error when no node is left", async () => {
    await service.kill();
    const response = await ask("/v1/pets");
    expect(response.status).toBe(503);
    expect(response.headers.get("Retry-After")).toBe("1");
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(await response.json()).toEqual(UNAVAILABLE);
  });
});
