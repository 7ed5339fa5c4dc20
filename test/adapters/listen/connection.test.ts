import { describe, expect, test } from "bun:test";
import type { HttpResponse } from "../../../src/adapters/http/request.ts";
import { HttpConnection, type Shared, type Socket } from "../../../src/adapters/listen/connection.ts";

const MEBIBYTE = 1024 * 1024;
const GET = Buffer.from("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
/** What a client has in any case, and for each mebibyte that it has not read, in seconds. */
const LEAST = 10;
const PER_MEBIBYTE = 64;

/** A connection whose client reads nothing until it is `drained`, after a request with this response. */
function connected(response: () => HttpResponse) {
  const seen = { isDestroyed: false, bytes: 0 };
  const socket: Socket = {
    address: "::1",
    write(data, more = "") {
      seen.bytes += data.length + more.length;
      return false;
    },
    destroy() {
      seen.isDestroyed = true;
    },
    end() {},
    pause() {},
    resume() {},
  };
  const app = { respond: response, refuse: response };
  const shared: Shared = { app, opening: () => undefined, second: 0 };
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
/** Lets what is ready go on. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

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
