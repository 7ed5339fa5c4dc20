import { expect, test } from "bun:test";
import type { HttpResponse } from "../../../src/adapters/http/request.ts";
import { conversation, GET, settled, sharedBy } from "./conversation.ts";

/** A connection to an app whose answers are these, and what its client gets. */
function answering(response: () => HttpResponse) {
  const app = { respond: response, refuse: response };
  return conversation({ shared: sharedBy(app) });
}

test("what has no body has no length, and anything else that of its bytes", () => {
  const lengthOf = (status: number, body: string | null) =>
    /\r\nContent-Length: (\d+)\r\n/.exec(answering(() => ({ status, headers: {}, body })).say(GET.toString()))?.[1];
  expect([lengthOf(204, null), lengthOf(304, null)]).toEqual([undefined, undefined]);
  expect([lengthOf(200, ""), lengthOf(404, null), lengthOf(200, "Größe €")]).toEqual(["0", "0", "11"]);
});

test("a response has the date of now, unless it has another one", () => {
  const dateOf = (headers: Record<string, string>) =>
    [
      ...answering(() => ({ status: 200, headers, body: "" }))
        .say(GET.toString())
        .matchAll(/\r\nDate: (.*)\r\n/g),
    ].map(([, date = ""]) => date);
  const before = Math.floor(Date.now() / 1_000) * 1_000;
  const [date = "", ...others] = dateOf({});
  expect([Date.parse(date) >= before && Date.parse(date) <= Date.now(), others]).toEqual([true, []]);
  const other = "Wed, 02 Dec 2026 10:00:00 GMT";
  expect(dateOf({ Date: other })).toEqual([other]);
});

/** A body of these parts; what was cancelled of it is noted. */
function bodyOf(parts: string[], seen: { isCancelled?: boolean } = {}, error?: Error) {
  const left = [...parts];
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const part = left.shift();
        if (part !== undefined) controller.enqueue(Buffer.from(part));
        else if (error === undefined) controller.close();
        else controller.error(error);
      },
      cancel() {
        seen.isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
}

test.each([
  ["in chunks", "1.1", {}, "\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nc\r\n0123456789ab\r\n0\r\n\r\n", false],
  ["as it is, where its length is known", "1.1", { "Content-Length": "14" }, "\r\n\r\nab0123456789ab", false],
  ["as it is to an older client, whose connection ends with it", "1.0", {}, "\r\n\r\nab0123456789ab", true],
] as const)("a body that comes in parts is sent %s", async (_, version, headers, end, isEnded) => {
  const { say, seen } = answering(() => ({ status: 200, headers, body: bodyOf(["ab", "0123456789ab"]) }));
  // An older client that would have its connection kept, which this body cannot.
  say(`GET / HTTP/${version}\r\nHost: a\r\n${version === "1.0" ? "Connection: keep-alive\r\n" : ""}\r\n`);
  await settled();
  expect(seen.text).toEndWith(end);
  expect([seen.isEnded, seen.text.includes("Connection: close"), seen.isDestroyed]).toEqual([isEnded, isEnded, false]);
  expect(seen.text.includes("chunked")).toBe(end.includes("chunked"));
});

test("a body is not read for HEAD, nor further for a client that has gone, and one that fails is cut off", async () => {
  const head = { isCancelled: false };
  const asked = answering(() => ({ status: 200, headers: {}, body: bodyOf(["abc"], head) }));
  asked.say("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  await settled();
  expect([head.isCancelled, asked.seen.text.endsWith("\r\n\r\n"), asked.seen.text.includes("abc")]).toEqual([
    true,
    true,
    false,
  ]);
  // The next request is answered as usual.
  expect(asked.say(GET.toString()).split("HTTP/1.1 200 OK")).toHaveLength(3);

  const gone = { isCancelled: false };
  const endless = new ReadableStream<Uint8Array>({ cancel: () => void Object.assign(gone, { isCancelled: true }) });
  const { connection, say } = answering(() => ({ status: 200, headers: {}, body: endless }));
  say(GET.toString());
  await settled();
  expect(gone.isCancelled).toBe(false);
  connection.closed();
  expect(gone.isCancelled).toBe(true);

  const failing = answering(() => ({ status: 200, headers: {}, body: bodyOf(["abc"], {}, new Error("it fails")) }));
  failing.say(GET.toString());
  await settled();
  expect(failing.seen.isDestroyed).toBe(true);
  expect(failing.seen.text).not.toEndWith("0\r\n\r\n");
});

test("a header whose value has a line break is not sent, and its connection ends", async () => {
  for (const value of ["a\r\nX-Other: b", "a\nb", "a\rb"]) {
    const response = async () => ({ status: 200, headers: { "X-Name": value }, body: "" });
    const app = { respond: response, refuse: () => ({ status: 400, headers: {}, body: "" }) };
    const { seen, say } = conversation({ shared: { app, opening: () => undefined, second: 0 } });
    say(GET.toString());
    await settled();
    expect([seen.text, seen.isDestroyed]).toEqual(["", true]);
  }
});

test("who answers a request knows when its client has gone, whether it asks before or after", () => {
  for (const end of ["ended", "closed"] as const) {
    const { connection, say } = conversation({ isSlow: true });
    say(GET.toString());
    const { signal } = connection;
    expect(signal.aborted).toBe(false);
    connection[end]();
    expect(signal.aborted).toBe(true);
    const later = conversation({ isSlow: true });
    later.say(GET.toString());
    later.connection[end]();
    expect(later.connection.signal.aborted).toBe(true);
  }
});
