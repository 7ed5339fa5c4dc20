import { expect, test } from "bun:test";
import { type HttpRequest, type HttpResponse, MAX_BODY_BYTES, MAX_HEAD } from "../../../src/adapters/http/request.ts";
import { conversation, GET, settled, sharedBy } from "./conversation.ts";

const NOTHING: HttpResponse = { status: 204, headers: {}, body: null };
const POST = "POST / HTTP/1.1\r\nHost: a\r\n";

/** A connection whose app notes what becomes of each request. */
function noting(answer: (request: HttpRequest) => HttpResponse | Promise<HttpResponse> = () => NOTHING) {
  const outcomes: string[] = [];
  const shared = sharedBy({
    respond: (request) => {
      outcomes.push(typeof request.body === "string" ? `answered: ${request.body}` : "answered");
      return answer(request);
    },
    refuse: (malformation) => {
      outcomes.push(`refused: ${malformation}`);
      return NOTHING;
    },
  });
  const { connection, seen, say, wait } = conversation({ shared });
  return { connection, seen, say, wait, outcomes, shared };
}

type Noted = ReturnType<typeof noting>;
const wait = ({ wait }: Noted) => wait(12);
const end = ({ connection }: Noted) => connection.ended();
const none = () => {};

test.each<[what: string, sent: string, then: (noted: Noted) => void, outcome: string]>([
  ["a head that does not come whole in time", "GET / HTTP/1.1\r\n", wait, "refused: timeout"],
  ["a body that does not come whole in time", `${POST}Content-Length: 2\r\n\r\n{`, wait, "answered: late"],
  ["a head that ends with the connection", "GET / HTTP/1.1\r\nHost", end, "refused: syntax"],
  ["a body that ends with the connection", `${POST}Content-Length: 2\r\n\r\n{`, end, "answered: incomplete"],
  ["chunks that are none", `${POST}Transfer-Encoding: chunked\r\n\r\nx\r\n`, none, "answered: malformed"],
  [
    "a body that says that it is too large",
    `${POST}Content-Length: ${MAX_BODY_BYTES + 1}\r\n\r\n`,
    none,
    "answered: too large",
  ],
  [
    "chunks that are too large together",
    `${POST}Transfer-Encoding: chunked\r\n\r\n${(MAX_BODY_BYTES + 1).toString(16)}\r\n${"a".repeat(MAX_BODY_BYTES + 1)}`,
    none,
    "answered: too large",
  ],
  ["a request without a host", "GET / HTTP/1.1\r\n\r\n", none, "refused: syntax"],
  ["another coding", `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n`, none, "refused: syntax"],
  ["another version", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", none, "refused: version"],
  ["a head that is too large", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"a".repeat(MAX_HEAD)}`, none, "refused: headers"],
])("%s gets one answer, with which the connection ends", async (_, sent, then, outcome) => {
  const noted = noting();
  noted.say(sent);
  then(noted);
  await settled();
  expect(noted.outcomes).toEqual([outcome]);
  expect([noted.seen.isEnded, noted.seen.text.includes("\r\nConnection: close\r\n")]).toEqual([true, true]);
  // What follows is no request.
  noted.say(GET.toString());
  expect(noted.outcomes).toEqual([outcome]);
});

test("a connection without a request is closed after ten seconds, without a word, and one whose request takes long is not", async () => {
  const idle = noting();
  idle.wait(10);
  expect(idle.seen.isDestroyed).toBe(false);
  idle.wait(2);
  expect([idle.seen.isDestroyed, idle.seen.text, idle.outcomes]).toEqual([true, "", []]);

  const { promise, resolve } = Promise.withResolvers<HttpResponse>();
  const busy = noting(() => promise);
  busy.say(GET.toString());
  busy.wait(1_000);
  expect([busy.seen.isDestroyed, busy.seen.isEnded]).toEqual([false, false]);
  resolve(NOTHING);
  await settled();
  expect(busy.seen.text).toStartWith("HTTP/1.1 204 No Content\r\n");
  busy.wait(10);
  expect(busy.seen.isDestroyed).toBe(false);
  busy.wait(2);
  expect(busy.seen.isDestroyed).toBe(true);
});

test("a request waits while the listening socket is closed, and is answered then", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const noted = noting();
  noted.shared.opening = () => promise;
  noted.say(GET.toString());
  await settled();
  expect(noted.outcomes).toEqual([]);
  resolve();
  await settled();
  expect([noted.outcomes, noted.seen.text.length > 0]).toEqual([["answered"], true]);
});

test("what is answered to a client that has gone is not read, and neither is the rest of its upload awaited", async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    cancel() {
      isCancelled = true;
    },
  });
  const { promise, resolve } = Promise.withResolvers<HttpResponse>();
  const gone = noting(() => promise);
  gone.say(GET.toString());
  gone.connection.closed();
  resolve({ status: 200, headers: {}, body });
  await settled();
  expect([isCancelled, gone.seen.text]).toEqual([true, ""]);

  let failure = "none";
  const uploading = noting(async (request) => {
    try {
      if (typeof request.body === "object" && Symbol.asyncIterator in request.body) for await (const _ of request.body);
    } catch (error) {
      failure = String(error);
    }
    return NOTHING;
  });
  uploading.shared.app.readsBody = () => true;
  uploading.say(`${POST}Content-Length: 2\r\n\r\n{`);
  await settled();
  expect(failure).toBe("none");
  uploading.connection.closed();
  await settled();
  expect([failure, uploading.seen.text]).toEqual(["Error: the connection has ended", ""]);
});

test("a connection whose upload was not read to its end ends with the answer, also with one that comes in parts", async () => {
  for (const rest of ["", "{}"]) {
    const body = () =>
      new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(Buffer.from("part"));
          await settled();
          controller.close();
        },
      });
    const noted = noting(() => ({ status: 200, headers: {}, body: body() }));
    noted.shared.app.readsBody = () => true;
    noted.say(`${POST}Content-Length: 2\r\n\r\n`);
    // All of it has come before the end of the answer, or not.
    noted.say(rest);
    await settled();
    await settled();
    await settled();
    expect(noted.seen.text).toContain("4\r\npart\r\n0\r\n\r\n");
    expect([rest, noted.seen.isEnded]).toEqual([rest, rest === ""]);
  }
});
