import { expect, jest, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { HttpRequest, HttpResponse } from "../../../src/adapters/http/request.ts";
import { listen as listenOnBun } from "../../../src/adapters/listen/bun.ts";
import type { HttpConnection, Socket } from "../../../src/adapters/listen/connection.ts";
import { Gate, listenOn } from "../../../src/adapters/listen/listener.ts";
import { listen as listenOnNode } from "../../../src/adapters/listen/node.ts";
import { besideLoad } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { RawSocket } from "../../support/raw-socket.ts";
import { startService } from "../../support/service.ts";
import { useKey, useService } from "../../support/use-service.ts";
import { socketOf } from "./conversation.ts";

/** A gate in front of an app that records when it is called, and when the socket is closed. */
function newGate() {
  const events: string[] = [];
  const gate = new Gate();
  const ask = async () => {
    await gate.wait();
    events.push("answered");
  };
  const closing = () => gate.closeQuietly(() => void events.push("closed"));
  return { events, ask, closing };
}

test("requests wait until the socket is closed, and are answered then", async () => {
  const { events, ask, closing } = newGate();
  await ask();
  const closed = closing();
  await Promise.all([ask(), ask(), closed]);
  await ask();
  expect(events).toEqual(["answered", "closed", "answered", "answered", "answered"]);
});

test("a stop lets idle connections be for half a second after the socket is closed: their clients may be sending", async () => {
  states("docs/interface.md", "send a request that was lost with it again, on another connection.");
  let [closedAt, endedAt] = [0, 0];
  const socket: Socket = {
    ...{ address: "::1", write: () => true, destroy() {}, pause() {}, resume() {} },
    end() {
      endedAt = performance.now();
      connection?.closed();
    },
  };
  let connection: HttpConnection | undefined;
  let connect = () => {};
  const close = () => {
    closedAt = performance.now();
  };
  const listen = listenOn((_, accept) => {
    connect = () => {
      connection = accept(socket);
    };
    return { port: 1, close };
  });
  const NOTHING = { status: 204, headers: {}, body: null };
  const app = { respond: () => NOTHING, refuse: () => NOTHING };
  const listener = await listen(() => app, { host: "::1", port: 0, isShared: false });
  connect();
  await listener.stop(60_000);
  expect(endedAt - closedAt).toBeGreaterThan(490);
});

test("time-outs hold for connections that come after all earlier ones have closed", async () => {
  jest.useFakeTimers();
  try {
    let connect = (): HttpConnection | undefined => undefined;
    const seen = { isDestroyed: false, isEnded: false, isPaused: false };
    const socket = socketOf(seen, () => true);
    const listen = listenOn((_, accept) => {
      connect = () => accept(socket);
      return { port: 1, close() {} };
    });
    const app = { respond: () => ok(""), refuse: () => ok("") };
    await listen(() => app, { host: "::1", port: 0, isShared: false });
    connect()?.closed();
    const idle = connect();
    jest.advanceTimersByTime(60_000);
    expect(seen.isDestroyed).toBe(true);
    idle?.closed();
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});

test("the socket stays open while requests arrive", async () => {
  const { events, ask, closing } = newGate();
  const closed = closing();
  const asked: Promise<void>[] = [];
  for (let i = 0; i < 20; i++) {
    asked.push(ask());
    await pause(5);
  }
  expect(events).toEqual([]);
  await Promise.all([closed, ...asked]);
});

test("the socket is closed once no request has come for a fifth of a second, or after two seconds", async () => {
  const gate = new Gate();
  const startedAt = performance.now();
  let [lastAt, closedAt] = [startedAt, 0];
  const closed = gate.closeQuietly(() => {
    closedAt = performance.now();
  });
  for (let i = 0; i < 10 && closedAt === 0; i++) {
    await pause(60);
    if (closedAt > 0) break;
    lastAt = performance.now();
    void gate.wait();
  }
  await closed;
  expect(closedAt - lastAt >= 190 || closedAt - startedAt >= 2_000).toBeTrue();
});

test("the socket is closed after two seconds at most, however many requests arrive", async () => {
  const { events, ask, closing } = newGate();
  const startedAt = performance.now();
  const closed = closing();
  while (!events.includes("closed") && performance.now() - startedAt < 3_000) {
    void ask();
    await pause(5);
  }
  await closed;
  expect(performance.now() - startedAt).toBeWithin(400, besideLoad(3_000));
});

const service = useService();

/** The answer to a request with this Connection header; it comes once the service has closed the connection. */
async function answerTo(url: string, line: string, connection: string) {
  const socket = await RawSocket.open(url);
  socket.send(`${line} HTTP/1.1\r\nHost: localhost\r\nConnection: ${connection}\r\n\r\n`);
  return socket.answer();
}

test.each(["close", "Close", "TE, close"])("a client that sends Connection: %s gets it back", async (connection) => {
  for (const line of ["GET /v1/pets", "HEAD /v1/pets", "GET /livez", "GET /docs", "GET /nowhere", "OPTIONS /v1/pets"]) {
    const { headers } = await answerTo(service.url, line, connection);
    expect(headers.get("Connection")).toBe("close");
  }
  for (const line of ["GET /admin/v1/keys", "GET /livez", "GET /console"]) {
    const { headers } = await answerTo(service.adminUrl, line, connection);
    expect(headers.get("Connection")).toBe("close");
  }
});

test("a client that does not is not asked to close", async () => {
  const { headers } = await fetch(`${service.url}/livez`, { headers: { Connection: "keep-alive" } });
  expect(headers.get("Connection")).not.toBe("close");
});

const { key } = useKey(service);

const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The status, and the header Date, of the response to a request; all of them if there are several. */
async function dateOf(line: string, headers = "", url = service.url) {
  const socket = await RawSocket.open(url);
  socket.send(`${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`);
  const answer = await socket.answer();
  return [answer.status, answer.headers.get("Date")];
}

test("each response has one Date, also to HEAD", async () => {
  const authorized = `Authorization: Bearer ${key.secret}\r\n`;
  for (const method of ["GET", "HEAD"]) {
    const seen = [
      await dateOf(`${method} /v1/pets`, authorized),
      await dateOf(`${method} /v1/pets`, `${authorized}If-None-Match: *\r\n`),
      await dateOf(`${method} /v1/pets?limit=0`, authorized),
      await dateOf(`${method} /v1/pets`),
      await dateOf(`${method} /v1/nowhere`, authorized),
      await dateOf(`${method} /livez`),
      await dateOf(`${method} /nowhere`),
      await dateOf(`${method} /admin/v1/keys`, "", service.adminUrl),
    ];
    expect(seen.map(([status]) => status)).toEqual([200, 304, 400, 401, 404, 200, 404, 401]);
    for (const [status, date] of seen)
      expect([method, status, date]).toEqual([method, status, expect.stringMatching(DATE)]);
  }
});

test("a port belongs to one service: a second one does not start", async () => {
  await using first = await startService();
  const second = startService({ env: { PORT: new URL(first.url).port } });
  await expect(second).rejects.toThrow(/in use/);
  expect((await first.anonymous().get("/livez")).status).toBe(200);
});

test("a program ends as soon as it no longer listens, and not when its time to stop is over", async () => {
  const program = `import { listen } from ${JSON.stringify(join(import.meta.dir, "../../../src/adapters/listen/bun.ts"))};
    const app = () => ({ respond: () => {}, refuse: () => {} });
    const listener = await listen(app, { host: "127.0.0.1", port: 0, isShared: false });
    await listener.stop(60_000);`;
  const child = spawn(process.execPath, ["-e", program], { stdio: "ignore", timeout: 30_000 });
  expect(await once(child, "exit")).toEqual([0, null]);
});

test.each([
  ["Bun", listenOnBun],
  ["Node", listenOnNode],
])("a text of any length and characters arrives whole: the sockets of %s", async (_, listen) => {
  const lengths = [0, 1, 1_000, 21_600, 21_845, 32_768, 65_400, 65_536, 200_000];
  const texts = ["a", "é", "€", "😀"].flatMap((character) => lengths.map((length) => character.repeat(length)));
  const app = { respond: ({ url }: HttpRequest) => ok(texts[Number(url.slice(1))] ?? ""), refuse: () => ok("") };
  const listener = await listen(() => app, { host: "127.0.0.1", port: 0, isShared: false });
  for (const [i, text] of texts.entries()) {
    const response = await fetch(`http://127.0.0.1:${listener.port}/${i}`);
    expect(Number(response.headers.get("Content-Length"))).toBe(Buffer.byteLength(text));
    expect((await response.text()) === text).toBeTrue();
  }
  await listener.close();
});

test.each([
  ["Bun", listenOnBun],
  ["Node", listenOnNode],
])(
  "a client that sends no more gets all of a response that it has not read yet: the sockets of %s",
  async (_, listen) => {
    const size = 16 * 1024 * 1024;
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const respond = () => {
      ask();
      return ok("x".repeat(size));
    };
    const listener = await listen(() => ({ respond, refuse: respond }), {
      host: "127.0.0.1",
      port: 0,
      isShared: false,
    });
    const socket = connect({ host: "127.0.0.1", port: listener.port, allowHalfOpen: true }).pause();
    socket.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    await asked;
    socket.end();
    // The listener gets to know that the client sends no more.
    await pause(100);
    let text = "";
    for await (const chunk of socket.setEncoding("latin1")) text += chunk;
    expect(text).toStartWith("HTTP/1.1 200 OK\r\n");
    expect(text.length - text.indexOf("\r\n\r\n") - 4).toBe(size);
    await listener.close();
  },
);

test.each([
  ["Bun", listenOnBun],
  ["Node", listenOnNode],
])("what a client has not read yet stays what it is while others get theirs: the sockets of %s", async (_, listen) => {
  const respond = ({ url }: HttpRequest) => ok(url.slice(1).repeat(20_000));
  const app = { respond, refuse: () => ok("") };
  const listener = await listen(() => app, { host: "127.0.0.1", port: 0, isShared: false });
  const slow = connect({ host: "127.0.0.1", port: listener.port }).pause();
  // More than the buffers of both ends have room for.
  const asked = 1_000;
  slow.write("GET /a HTTP/1.1\r\nHost: a\r\n\r\n".repeat(asked - 1));
  slow.write("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  for (let i = 0; i < 20; i++) {
    const other = await fetch(`http://127.0.0.1:${listener.port}/b`);
    expect(await other.text()).toBe("b".repeat(20_000));
  }
  let text = "";
  for await (const chunk of slow.setEncoding("latin1")) text += chunk;
  const bodies = text.split("HTTP/1.1 200 OK\r\n").slice(1);
  const expected = "a".repeat(20_000);
  expect(bodies).toHaveLength(asked);
  expect(bodies.filter((body) => !body.endsWith(`\r\n\r\n${expected}`))).toEqual([]);
  await listener.close();
});

function ok(body: string): HttpResponse {
  return { status: 200, headers: {}, body };
}
