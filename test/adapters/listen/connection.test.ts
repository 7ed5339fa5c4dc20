import { describe, expect, spyOn, test } from "bun:test";
import type { HttpRequest, HttpResponse } from "../../../src/adapters/http/request.ts";
import { HttpConnection } from "../../../src/adapters/listen/connection.ts";
import { Parser } from "../../../src/adapters/listen/parser.ts";
import { states } from "../../support/markdown.ts";
import { conversation, GET, settled, sharedBy, socketOf } from "./conversation.ts";

const MEBIBYTE = 1024 * 1024;
/** What a client has in any case, and for each mebibyte that it has not read, in seconds. */
const LEAST = 10;
const PER_MEBIBYTE = 64;

/** A connection whose client reads nothing until it is `drained`, after a request with this response. */
function connected(response: () => HttpResponse) {
  const seen = { isDestroyed: false, isEnded: false, isPaused: false, bytes: 0, responses: 0 };
  const socket = socketOf(seen, (data, more = "") => {
    seen.bytes += data.length + more.length;
    return false;
  });
  const respond = () => {
    seen.responses += 1;
    return response();
  };
  const app = { respond, refuse: respond };
  const shared = sharedBy(app);
  const connection = new HttpConnection(socket, shared, () => {});
  connection.received(GET);
  /** Lets so many seconds pass, or fewer, until the connection is cut. */
  const wait = (seconds: number) => {
    for (const end = shared.second + seconds; shared.second < end && !seen.isDestroyed; ) {
      shared.second += 1;
      connection.expire();
    }
    return shared.second;
  };
  return { connection, seen, wait };
}

const streamOf = (chunks: number) => {
  let left = chunks;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (left-- > 0) controller.enqueue(new Uint8Array(MEBIBYTE));
      else controller.close();
    },
  });
};
describe("a client that reads nothing is cut off", () => {
  test("the later the more it has to read", () => {
    const after = (size: number) => connected(() => ({ status: 200, headers: {}, body: "x".repeat(size) })).wait(1_000);
    expect(after(10)).toBeWithin(LEAST, LEAST + 4);
    expect(after(MEBIBYTE)).toBeWithin(LEAST + PER_MEBIBYTE, LEAST + PER_MEBIBYTE + 4);
    // A system keeps no more.
    expect(after(20 * MEBIBYTE)).toBeWithin(LEAST + 4 * PER_MEBIBYTE, LEAST + 4 * PER_MEBIBYTE + 4);
  });

  test("also in the middle of a stream", async () => {
    const { wait } = connected(() => ({ status: 200, headers: {}, body: streamOf(2) }));
    await settled();
    expect(wait(1_000)).toBeWithin(LEAST + PER_MEBIBYTE, LEAST + PER_MEBIBYTE + 4);
  });
});

test("a client that reads slowly gets all of a stream, however long that takes", async () => {
  const { connection, seen, wait } = connected(() => ({ status: 200, headers: {}, body: streamOf(9) }));
  await settled();
  // A third of what the system keeps, at 17 KiB a second: then it takes more.
  for (let round = 0; round < 10; round++) {
    wait(60);
    connection.drained();
    await settled();
  }
  expect(seen.isDestroyed).toBe(false);
  expect(seen.bytes).toBeGreaterThan(9 * MEBIBYTE);
});

test("what a client sends while it has not read a response is answered once it has, one request after the other", () => {
  const { connection, seen } = connected(() => ({ status: 200, headers: {}, body: "body" }));
  connection.received(Buffer.concat([GET, GET]));
  connection.received(Buffer.concat(Array(4).fill(Buffer.alloc(20_000, "\r\n"))));
  expect([seen.responses, seen.isPaused]).toEqual([1, true]);
  connection.ended();
  for (const responses of [2, 3]) {
    expect(seen.isEnded).toBe(false);
    connection.drained();
    expect([seen.responses, seen.isPaused]).toEqual([responses, false]);
  }
  connection.drained();
  expect([seen.responses, seen.isEnded, seen.isDestroyed]).toEqual([3, true, false]);
});

test("a connection that is to finish ends at once without a request, otherwise after its response, once that is read", () => {
  const idle = conversation();
  idle.connection.finish();
  expect(idle.seen.isEnded).toBe(true);

  const begun = conversation();
  begun.say("GET / HTTP/1.1\r\n");
  begun.connection.finish();
  expect(begun.seen.isEnded).toBe(false);
  expect(begun.say("Host: a\r\n\r\n")).toContain("\r\nConnection: close\r\n");
  expect(begun.seen.isEnded).toBe(true);

  const { connection, seen } = connected(() => ({ status: 200, headers: {}, body: "body" }));
  connection.finish();
  expect(seen.isEnded).toBe(false);
  connection.drained();
  expect([seen.responses, seen.isEnded, seen.isDestroyed]).toEqual([1, true, false]);
});

test("a client that has read all in time may wait before its next request as long as any other", () => {
  const { connection, seen, wait } = connected(() => ({ status: 200, headers: {}, body: "x".repeat(MEBIBYTE) }));
  wait(PER_MEBIBYTE);
  connection.drained();
  wait(LEAST - 1);
  expect(seen.isDestroyed).toBe(false);
  connection.received(GET);
  wait(PER_MEBIBYTE);
  connection.drained();
  expect(wait(1_000)).toBeWithin(2 * PER_MEBIBYTE + 2 * LEAST - 1, 2 * PER_MEBIBYTE + 2 * LEAST + 4);
});

test("an older client has its connection kept if it asks for that, and reads so; a newer one needs no word", () => {
  const asks = (version: string, more = "") => conversation().say(`GET / HTTP/${version}\r\nHost: a\r\n${more}\r\n`);
  expect(asks("1.0", "Connection: keep-alive\r\n")).toContain("\r\nConnection: keep-alive\r\n");
  expect(asks("1.0")).toContain("\r\nConnection: close\r\n");
  expect(asks("1.1")).not.toContain("Connection:");
  expect(asks("1.1", "Connection: close\r\n")).toContain("\r\nConnection: close\r\n");
});

test("a client that waits for 100 gets it before its body, once, and an older one, which does not know it, never", () => {
  const head = (version: string, expected = "100-continue") =>
    `POST / HTTP/${version}\r\nHost: a\r\nContent-Length: 2\r\nExpect: ${expected}\r\n\r\n`;
  expect(conversation().say(head("1.1", "100-Continue"))).toBe("HTTP/1.1 100 Continue\r\n\r\n");
  expect(conversation().say(head("1.1", "200-ok"))).toBe("");
  const newer = conversation();
  expect(newer.say(head("1.1"))).toBe("HTTP/1.1 100 Continue\r\n\r\n");
  expect(newer.say("{")).toBe("HTTP/1.1 100 Continue\r\n\r\n");
  expect(newer.say("}")).toStartWith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n");
  // Its body is on its way already.
  expect(conversation().say(`${head("1.1")}{}`)).toStartWith("HTTP/1.1 200 OK\r\n");
  const older = conversation();
  expect(older.say(head("1.0"))).toBe("");
  expect(older.say("{}")).toStartWith("HTTP/1.1 200 OK\r\n");
});

test("a connection ends after a response that says so, after CONNECT, and after the last request of a client", () => {
  const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  for (const [request, fields, answers] of [
    [get, {}, 2],
    [get, { Connection: "close" }, 1],
    ["CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", {}, 1],
    ["GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", {}, 1],
    ["GET / HTTP/1.0\r\nHost: a\r\n\r\n", {}, 1],
  ] as const) {
    const response = () => ({ status: 200, headers: { ...fields }, body: "body" });
    const shared = sharedBy({ respond: response, refuse: response });
    const { seen, say } = conversation({ shared });
    say(request);
    const isEnded = answers === 1;
    expect({ request, fields, isEnded: seen.isEnded }).toEqual({ request, fields, isEnded });
    expect(say(get).split("HTTP/1.1 200 OK\r\n")).toHaveLength(1 + answers);
    expect(seen.text.includes("\r\nConnection: close\r\n")).toBe(isEnded);
  }
});

test("a response to HEAD has no body, also where the request is refused", () => {
  for (const host of ["Host: a\r\n", ""]) {
    expect(conversation().say(`HEAD / HTTP/1.1\r\n${host}\r\n`)).toMatch(/\r\nContent-Length: 4\r\n\r\n$/);
    expect(conversation().say(`GET / HTTP/1.1\r\n${host}\r\n`)).toEndWith("\r\n\r\nbody");
  }
});

test("a client that sends on while its request is handled is not read beyond 64 KiB, until that is answered", async () => {
  states("docs/interface.md", "Stop sending when the response arrives.");
  const { seen, say, respond } = conversation({ isSlow: true });
  say(GET.toString());
  say(" ".repeat(64 * 1024));
  expect(seen.isPaused).toBe(false);
  say(" ");
  expect(seen.isPaused).toBe(true);
  respond();
  await settled();
  expect(seen.isPaused).toBe(false);
});

test("a connection gives the memory of its parser back when it is closed, once", () => {
  const free = spyOn(Parser.prototype, "free");
  const { connection, say } = conversation();
  say("GET / HTTP/1.1\r\nHost: a\r\nX-");
  expect(free).toHaveBeenCalledTimes(0);
  connection.closed();
  connection.closed();
  expect(free).toHaveBeenCalledTimes(1);
  free.mockRestore();
});

const failed = (): HttpResponse => ({ status: 500, headers: {}, body: null });

/** Reads the body of a request as it arrives. */
async function respond({ body }: HttpRequest): Promise<HttpResponse> {
  try {
    if (typeof body === "object" && Symbol.asyncIterator in body) for await (const _ of body);
    return { status: 200, headers: {}, body: null };
  } catch (error) {
    return { ...failed(), body: String(error) };
  }
}

test("an upload may take any time if each part comes within ten seconds, and fails with the reason without one for so long", async () => {
  for (const [pause, outcome, end] of [
    [LEAST, "200 OK", "\r\n\r\n"],
    [LEAST + 2, "500 ", `\r\n\r\nError: nothing of it arrived for ${LEAST} seconds`],
  ] as const) {
    const shared = sharedBy({ respond, refuse: failed, readsBody: () => true });
    const { seen, say, wait } = conversation({ shared });
    say("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (let part = 0; part < 5; part++) {
      wait(pause);
      say("1\r\na\r\n");
      await settled();
    }
    say("0\r\n\r\n");
    await settled();
    expect(seen.text).toStartWith(`HTTP/1.1 ${outcome}`);
    expect(seen.text).toEndWith(end);
  }
});

test("of an upload no more than 256 KiB wait to be read, for as long as that takes, and the rest comes later", async () => {
  const { promise: mayRead, resolve: read } = Promise.withResolvers<void>();
  const app = { respond: (request: HttpRequest) => mayRead.then(() => respond(request)), refuse: failed };
  const shared = sharedBy({ ...app, readsBody: () => true });
  const { connection, seen, say } = conversation({ shared });
  const most = 256 * 1024;
  say(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${10 * (most + 1)}\r\n\r\n`);
  say(" ".repeat(most));
  expect(seen.isPaused).toBe(false);
  say(" ");
  expect(seen.isPaused).toBe(true);
  shared.second += 1_000;
  connection.expire();
  read();
  await settled();
  for (let part = 1; part < 10; part++) {
    expect([part, seen.isPaused, seen.text]).toEqual([part, false, ""]);
    say(" ".repeat(most + 1));
    await settled();
  }
  expect([seen.isPaused, seen.text]).toEqual([false, expect.stringMatching(/^HTTP\/1.1 200 OK\r\n/)]);
});

test("an upload whose framing is malformed, or whose connection ends, fails with that as the reason", async () => {
  for (const [sent, reason] of [
    ["x\r\n", "its framing is malformed"],
    ["", "the connection has ended"],
  ] as const) {
    const shared = sharedBy({ respond, refuse: failed, readsBody: () => true });
    const { connection, seen, say } = conversation({ shared });
    say("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
    if (sent === "") connection.ended();
    else say(sent);
    await settled();
    expect(seen.text).toEndWith(`\r\n\r\nError: ${reason}`);
    expect([seen.text.includes("Connection: close"), seen.isEnded]).toEqual([true, true]);
  }
});
