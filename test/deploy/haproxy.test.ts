import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { networkInterfaces } from "node:os";
import { connect } from "node:tls";
import { gunzipSync } from "node:zlib";
import { parseAnswers } from "../attack/wire.ts";
import { besideLoad } from "../support/eventually.ts";
import { haproxyVersion, hasHaproxy, startHaproxy } from "../support/haproxy.ts";
import { states } from "../support/markdown.ts";
import type { TlsProxy } from "../support/tls-proxy.ts";
import { useService } from "../support/use-service.ts";

if (!hasHaproxy) console.log("skipped: deploy/haproxy.cfg is not tried, without haproxy or openssl on this machine");

/** Whether HAProxy sends the files for errors of its parser: 2.6 sends pages of its own (haproxy/haproxy#3032). */
const sendsErrorFiles = hasHaproxy && haproxyVersion() >= 3.2;

/** The service's own error when it is unavailable. */
const UNAVAILABLE = {
  code: "service_unavailable",
  message: "The service cannot process this request now. Retry in a second.",
  status: 503,
};

test("no proxy of deploy/ or the documentation ends a request that waits for events", () => {
  const numberIn = (path: string, pattern: RegExp) => {
    const numbers = [...readFileSync(path, "utf8").matchAll(pattern)].map(([, seconds, minutes]) =>
      Number(seconds ?? 60 * Number(minutes)),
    );
    return [path, numbers.length, Math.min(...numbers)] as const;
  };
  const [, , longest] = numberIn("src/adapters/http/operations/events.ts", /^const MAX_WAIT = (\d+);/gm);
  const patience = [
    numberIn("deploy/haproxy.cfg", /^ {2}http-request set-timeout server (\d+)s if \{ path \/v1\/events \}$/gm),
    numberIn("deploy/Caddyfile", /\bresponse_header_timeout (\d+)s$/gm),
    numberIn("deploy/Caddyfile", /^\t+write (?:(\d+)s|(\d+)m)$/gm),
    numberIn("deploy/kubernetes/ingress.yaml", /proxy-read-timeout: "(\d+)"/g),
    numberIn("deploy/helm/petstore/values.yaml", /proxy-read-timeout: "(\d+)"/g),
    numberIn("docs/running.md", /^ {4}timeout server (\d+)s$/gm),
  ];
  expect(longest).toBeGreaterThan(0);
  expect(patience.filter(([, , seconds]) => !(seconds > longest + 5 && Number.isFinite(seconds)))).toEqual([]);
  // Each backend of HAProxy has nodes.
  const backends = [...readFileSync("deploy/haproxy.cfg", "utf8").matchAll(/^backend /gm)].length;
  expect(patience[0]?.[1]).toBe(backends);
});

test("HAProxy waits longer for the answer whether a node is ready than the node takes for it", () => {
  const text = readFileSync("deploy/haproxy.cfg", "utf8");
  const [, seconds] = /reports that it is ready, for up to ([\d.]+) s\b/.exec(text) ?? [];
  const [, patience] = /^ {2}timeout check (\d+)ms$/m.exec(text) ?? [];
  expect(Number(patience)).toBeGreaterThan(1_000 * Number(seconds));
});

describe.skipIf(!hasHaproxy)("HAProxy as deploy/ configures it", () => {
  const service = useService({ env: { PETSTORE_TRUSTED_PROXIES: "127.0.0.1" } });
  /** A node that reports that it is ready, and then breaks every connection, or answers as a parser does, without a body. */
  let broken: Server;
  let creations = 0;
  let haproxy: TlsProxy;
  const ask = (path: string, init?: RequestInit) => haproxy.ask(path, init);
  beforeAll(async () => {
    broken = createServer((request, response) => {
      const [, status] = /^\/bare\/(\d+)$/.exec(request.url ?? "") ?? [];
      if (request.url === "/readyz") response.end();
      else if (status !== undefined) response.writeHead(Number(status)).end();
      else {
        if (request.method === "POST") creations += 1;
        request.socket.destroy();
      }
    }).listen(0, "127.0.0.1");
    await once(broken, "listening");
    const address = broken.address();
    const brokenPort = typeof address === "object" ? (address?.port ?? 0) : 0;
    const port = Number(new URL(service.url).port);
    haproxy = await startHaproxy(port, port, brokenPort);
  });
  afterAll(async () => {
    await haproxy?.stop();
    broken?.close();
    broken?.closeAllConnections();
  });

  const head = (line: string, fields = "") => `${line} HTTP/1.1\r\nHost: localhost\r\n${fields}\r\n`;
  const refused: [name: string, bytes: string, status: number, code: string][] = [
    ["an unknown method", head("FOO /v1/pets"), 405, "method_not_allowed"],
    ["a method that no operation has", head("TRACE /v1/pets"), 405, "method_not_allowed"],
    ["headers of 15 KiB", head("GET /v1/pets", `X-A: ${"a".repeat(15 * 1024)}\r\n`), 431, "request_header_too_large"],
    ["headers of 16 KB", head("GET /v1/pets", `X-A: ${"a".repeat(16_300)}\r\n`), 431, "request_header_too_large"],
    ["headers of 25 KB", head("GET /v1/pets", `X-A: ${"a".repeat(25_000)}\r\n`), 431, "request_header_too_large"],
    ["a target of 25 KB", head(`GET /v1/pets?x=${"a".repeat(25_000)}`), 431, "request_header_too_large"],
    ["a header's name with an underscore", head("GET /v1/pets", "X_A: a\r\n"), 400, "invalid_parameter"],
    ["what the node's parser refuses", head("GET /v1/pets", "X-A: a\x01b\r\n"), 400, "invalid_parameter"],
    ["no Host", "GET /v1/pets HTTP/1.1\r\n\r\n", 400, "invalid_parameter"],
  ];
  test.each(refused)("refuses %s with the interface's own error", async (_, bytes, status, code) => {
    states("docs/errors.md", "HAProxy (operations) refuses headers from 15 KiB on,");
    states(
      "docs/running.md",
      "HAProxy's own errors have the form of the interface's: 405 for unknown methods, 431 for headers over 15 KiB, 400",
    );
    const answer = await haproxy.answerTo(bytes);
    expect(answer?.status).toBe(status);
    expect(JSON.parse(answer?.body ?? "")).toEqual({ code, message: expect.any(String), status });
    expect(Object.fromEntries(answer?.headers ?? [])).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(answer?.headers.has("Allow")).toBe(status === 405);
  });

  const malformed: [name: string, bytes: string][] = [
    ["HTTP/0.9", "GET /v1/pets\r\n\r\n"],
    ["another protocol", "GET /v1/pets HTTX/1.1\r\nHost: x\r\n\r\n"],
    ["bytes at random", "\xff\xfe\xfd\r\n\r\n"],
    ["a target without a slash", head("GET v1/pets")],
    ["a header without a colon", head("GET /v1/pets", "abc\r\n")],
    ["two lengths", head("POST /v1/pets", "Content-Length: 5\r\nContent-Length: 6\r\n")],
    ["an unknown coding", head("POST /v1/pets", "Transfer-Encoding: xchunked\r\n")],
    ["a malformed chunk", `${head("POST /v1/pets", "Transfer-Encoding: chunked\r\n")}zz\r\n`],
    ["headers of 31 KiB", head("GET /v1/pets", `X-A: ${"a".repeat(31 * 1024)}\r\n`)],
    ["headers of a megabyte", head("GET /v1/pets", `X-A: ${"a".repeat(1_000_000)}\r\n`)],
  ];
  test.each(malformed)("refuses %s with 400", async (_, bytes) => {
    states(
      "docs/errors.md",
      "and answers 400 `invalid_parameter` from 31 KiB on. A malformed body is `invalid_parameter` there. Its 400 and 408 have no `X-Request-Id` if its own parser refuses the request.",
    );
    states("docs/running.md", "400 for malformed requests");
    const answer = await haproxy.answerTo(bytes);
    expect(answer?.status).toBe(400);
    if (!sendsErrorFiles) return;
    expect(answer?.headers.get("Cache-Control")).toBe("no-store");
    expect(JSON.parse(answer?.body ?? "")).toMatchObject({ code: "invalid_parameter", status: 400 });
    expect(answer?.headers.has("X-Request-Id")).toBe(false);
  });

  test.each([400, 408])("the file for %d is a complete response", (status) => {
    states("docs/running.md", "Before 3.2, HAProxy sends a page of its own for the 400 and 408 of its parser.");
    const [answer] = parseAnswers(readFileSync(`deploy/haproxy-errors/${status}.http`, "latin1"), "GET").answers;
    expect(answer?.status).toBe(status);
    expect(answer?.headers.get("Cache-Control")).toBe("no-store");
    expect(answer?.headers.get("Content-Type")).toBe("application/json");
    expect(JSON.parse(answer?.body ?? "")).toMatchObject({ code: "invalid_parameter", status });
  });

  test("redirects from HTTP to HTTPS", async () => {
    states("docs/running.md", "It redirects HTTP to HTTPS.");
    const response = await fetch(`${haproxy.plainUrl}/v1/pets?limit=1`, { method: "POST", redirect: "manual" });
    expect(response.status).toBe(308);
    expect(response.headers.get("Location")).toMatch(/^https:\/\/localhost(:\d+)?\/v1\/pets\?limit=1$/);
  });

  test("compresses JSON once", async () => {
    states("docs/running.md", "It compresses JSON, HTML, CSS, JavaScript and YAML that a node sends uncompressed.");
    const { secret } = await service.createKey();
    for (const path of ["/v1/pets", "/openapi.json", "/docs"]) {
      const answer = await haproxy.answerTo(
        head(`GET ${path}`, `Authorization: Bearer ${secret}\r\nAccept-Encoding: gzip\r\nConnection: close\r\n`),
      );
      expect([path, answer?.headers.get("Content-Encoding")]).toEqual([path, "gzip"]);
      expect(gunzipSync(Buffer.from(answer?.body ?? "", "latin1")).toString()).toMatch(/^(\[|\{|<!doctype)/i);
    }
  });

  test("passes on what the node compressed better", async () => {
    const answer = await haproxy.answerTo(head("GET /docs", "Accept-Encoding: br, gzip\r\nConnection: close\r\n"));
    expect(answer?.headers.get("Content-Encoding")).toBe("br");
  });

  test.concurrent.each([
    ["says nothing more", 0],
    ["sends a byte now and then", 300],
  ])("sends 408 to a client that %s in its headers", async (_, every) => {
    states("docs/running.md", "408 for slow clients,");
    const socket = await haproxy.open();
    const began = performance.now();
    socket.write("GET /v1/pets HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
    const drip = every > 0 ? setInterval(() => socket.write("a"), every) : undefined;
    const [answer] = await once(socket, "data");
    clearInterval(drip);
    const took = performance.now() - began;
    socket.destroy();
    expect(String(answer)).toStartWith("HTTP/1.1 408 ");
    expect(took).toBeGreaterThan(1_500);
    // Not after the 10 s without traffic.
    expect(took).toBeLessThan(besideLoad(8_000));
  });

  test("lets the node refuse a body that is too large", async () => {
    const { secret } = await service.createKey();
    const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
    const response = await ask("/v1/pets", { method: "POST", headers, body: " ".repeat(65_537) });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: "payload_too_large", status: 413 });
    for (const name of ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"]) {
      expect(response.headers.get(name)).not.toBeNull();
    }
  });

  test("passes on the 413 in the middle of a body that is far too large", async () => {
    const { secret } = await service.createKey();
    const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
    const sizes = Array.from({ length: 30 }, (_, i) => 100_000 + i * 30_000);
    const responses = sizes.map((size) => ask("/v1/pets", { method: "POST", headers, body: " ".repeat(size) }));
    for (const response of await Promise.all(responses)) {
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ code: "payload_too_large" });
    }
  });

  test("keeps the client's own word for its address from the node, which counts requests by address", async () => {
    const remaining = async (address: string) => {
      const answer = await ask("/v1/pets", { headers: { "X-Forwarded-For": address } });
      expect(answer.status).toBe(401);
      return Number(answer.headers.get("X-RateLimit-Remaining"));
    };
    expect((await remaining("192.0.2.1")) - (await remaining("192.0.2.2"))).toBe(1);
  });

  test("refuses more connections of one address than its limit, over IPv4 and IPv6", async () => {
    const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));
    const node = Number(new URL(service.url).port);
    const limited = await startHaproxy(node, node, node, { hasIpv6, connections: 4 });
    const options = { port: Number(new URL(limited.url).port), servername: "localhost", ca: limited.certificate };
    try {
      for (const host of hasIpv6 ? ["127.0.0.1", "::1"] : ["127.0.0.1"]) {
        const sockets = Array.from({ length: 12 }, () => connect({ ...options, host }).on("error", () => {}));
        const outcomes = sockets.map(async (socket) => {
          socket.write(head("GET /readyz"));
          const answer = once(socket, "data").catch(() => undefined);
          return (await Promise.race([answer, once(socket, "close").then(() => undefined)])) !== undefined;
        });
        const answered = (await Promise.all(outcomes)).filter(Boolean).length;
        for (const socket of sockets) socket.destroy();
        expect(answered, host).toBeWithin(1, 5);
      }
    } finally {
      await limited.stop();
    }
  });

  test("passes on headers that the node accepts", async () => {
    expect((await haproxy.answerTo(head("GET /v1/pets", `X-A: ${"a".repeat(14_500)}\r\n`)))?.status).toBe(401);
  });

  test("speaks HTTP/2 with clients that know it, and HTTP/1.1 with others", async () => {
    for (const [offered, chosen] of [
      [["h2", "http/1.1"], "h2"],
      [["http/1.1"], "http/1.1"],
    ] as const) {
      const options = { host: "127.0.0.1", servername: "localhost", ca: haproxy.certificate };
      const socket = connect({ ...options, port: Number(new URL(haproxy.url).port), ALPNProtocols: [...offered] });
      await once(socket, "secureConnect");
      expect(socket.alpnProtocol).toBe(chosen);
      socket.destroy();
    }
  });

  test("has browsers use only HTTPS", async () => {
    expect((await ask("/readyz")).headers.get("Strict-Transport-Security")).toBe("max-age=31536000");
  });

  test("returns the interface's own error for a broken node", async () => {
    // The node of staging. The name is in upper or lower case, and has a port if it is an unusual one.
    const response = await ask("/v1/pets", { headers: { Host: "Staging.LOCALHOST:8443" } });
    expect(response.status).toBe(503);
    expect(response.headers.get("Retry-After")).toBe("1");
    expect(response.headers.get("Strict-Transport-Security")).not.toBeNull();
    expect(await response.json()).toEqual(UNAVAILABLE);
  });

  test.each([400, 413, 431, 505])(
    "gives a %d of the node's parser, which has no body, one of its own",
    async (status) => {
      states(
        "docs/running.md",
        "What a node's parser refuses without a body becomes 400. No client error becomes a 5xx.",
      );
      const response = await ask(`/bare/${status}`, { headers: { Host: "staging.localhost" } });
      expect(response.status).toBe(400);
      expect(response.headers.get("X-Request-Id")).not.toBeNull();
      expect(await response.json()).toMatchObject({ code: "invalid_parameter", status: 400 });
    },
  );

  test("sends a creation that may have arrived once", async () => {
    const body = '{"name":"Rex","categoryId":1}';
    const fields = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n`;
    const creation = `POST /v1/pets HTTP/1.1\r\nHost: staging.localhost\r\n${fields}\r\n${body}`;
    expect((await haproxy.answerTo(creation))?.status).toBe(503);
    expect(creations).toBe(1);
  });

  test("returns the interface's own error without a ready node", async () => {
    states(
      "docs/running.md",
      "Put a proxy in front that terminates TLS, refuses malformed requests and disconnects slow clients.",
    );
    states("docs/running.md", "503 if no node is ready.");
    await service.kill();
    const response = await ask("/v1/pets");
    expect(response.status).toBe(503);
    expect(response.headers.get("Retry-After")).toBe("1");
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(await response.json()).toEqual(UNAVAILABLE);
  });
});
