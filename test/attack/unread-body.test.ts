import { beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { states } from "../support/markdown.ts";
import { attack, SOON, useTarget } from "./target.ts";
import { parseAnswers, type WireAnswer } from "./wire.ts";

const target = useTarget();

const JSON_TYPE = "Content-Type: application/json\r\n";
const CHUNKED = "Transfer-Encoding: chunked\r\n\r\n";
const CHUNK = `10000\r\n${" ".repeat(0x10000)}\r\n`;
/** More than the service takes of any body, in bytes. */
const MOST_TAKEN = 16 * 1024 * 1024;

/** Sends chunks until the other end closes the connection or has taken too many. Reads the whole time. */
async function sendEndlessly(url: string, head: string): Promise<{ taken: number; answers: WireAnswer[] }> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let received = "";
  socket.on("error", () => {}).setEncoding("latin1");
  socket.on("data", (text: string) => {
    received += text;
  });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await once(socket, "connect");
  const clientPort = Number(socket.localPort);
  socket.write(head);
  let taken = 0;
  while (socket.writable && taken < MOST_TAKEN) {
    if (!socket.write(CHUNK)) await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
    if (socket.bytesWritten < MOST_TAKEN) taken = socket.bytesWritten;
    else taken = Math.max(taken, socket.bytesWritten - heldBySockets([clientPort, Number(port)]));
  }
  socket.destroy();
  return { taken, answers: parseAnswers(received, "POST").answers };
}

/**
 * The bytes of the connection between two ports that its sockets hold, which the other end has not taken: on Linux they may
 * be 36 MiB. All, if the connection is over; none on systems that do not say. Source: proc_pid_net(5), tcp.
 */
function heldBySockets(ports: [number, number]): number {
  if (!existsSync("/proc/net/tcp")) return 0;
  const ends = ports.map((port) => `:${port.toString(16).toUpperCase().padStart(4, "0")}`);
  const queues = readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, ...addresses]) => ends.every((end) => addresses.slice(0, 2).some((address) => address.endsWith(end))))
    .map(([, , , , sizes = ""]) => sizes.split(":").map((size) => Number.parseInt(size, 16)));
  return queues.length < 2 ? Number.POSITIVE_INFINITY : queues.flat().reduce((sum, size) => sum + size, 0);
}

async function takenOf(url: string, head: string): Promise<number> {
  return (await sendEndlessly(url, head)).taken;
}

let exhausted = "";
beforeAll(async () => {
  const { secret } = await target.service.createKey({ limits: { perMinute: 1, perDay: 1_000 } });
  exhausted = `Host: x\r\nAuthorization: Bearer ${secret}\r\n`;
  expect((await target.service.withSecret(secret).get("/v1/pets")).status).toBe(200);
});

const refused: [number, () => string][] = [
  [401, () => `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${JSON_TYPE}`],
  [404, () => `POST /v1/nothing HTTP/1.1\r\n${target.headers}${JSON_TYPE}`],
  [405, () => `PUT /v1/pets HTTP/1.1\r\n${target.headers}${JSON_TYPE}`],
  [413, () => `POST /v1/pets HTTP/1.1\r\n${target.headers}${JSON_TYPE}`],
  [429, () => `POST /v1/pets HTTP/1.1\r\n${exhausted}${JSON_TYPE}`],
  [404, () => "POST /nothing HTTP/1.1\r\nHost: x\r\n"],
];

describe("a body without end ends its connection when it is refused with", () => {
  test("is what the documents say", () => {
    states(
      "docs/errors.md",
      "body over 64 KiB that the operation does not take | 400 `invalid_parameter`, and the connection is closed",
    );
  });
  test.concurrent.each(refused)("%d", async (_, head) => {
    expect(await takenOf(target.service.url, head() + CHUNKED)).toBeLessThan(MOST_TAKEN);
  });

  test.concurrent("401 of the administration listener", async () => {
    const head = `POST /admin/v1/keys HTTP/1.1\r\nHost: x\r\n${JSON_TYPE}${CHUNKED}`;
    expect(await takenOf(target.service.adminUrl, head)).toBeLessThan(MOST_TAKEN);
  });

  test.concurrent("400, because GET has none", async () => {
    const head = `GET /v1/pets HTTP/1.1\r\n${target.headers}${CHUNKED}`;
    expect(await takenOf(target.service.url, head)).toBeLessThan(MOST_TAKEN);
  });
});

test("a refused body that trickles in holds its connection for as long as a body may take", async () => {
  const { hostname, port } = new URL(target.service.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("error", () => {}).resume();
  socket.write(`POST /v1/pets HTTP/1.1\r\nHost: x\r\n${JSON_TYPE}${CHUNKED}`);
  const startedAt = performance.now();
  const trickle = setInterval(() => socket.write("1\r\n \r\n"), 20);
  await closed;
  clearInterval(trickle);
  // It would go on trickling.
  expect(performance.now() - startedAt).toBeLessThan(30_000);
});

describe("a client that is still sending a megabyte gets its response,", () => {
  test.concurrent.each(refused)("%d, and the end of its connection", async (status, head) => {
    states(
      "docs/interface.md",
      "If the service answers before it has read a body that may be larger than 64 KiB, the response has `Connection: close`:",
    );
    const { answers } = await attack(target, head() + CHUNKED + CHUNK.repeat(16), (connection) =>
      connection.untilClosed(SOON),
    );
    expect(answers.map((answer) => answer.status)).toEqual([status]);
    expect(answers[0]?.headers.get("Connection")).toBe("close");
  });
});

describe("each of 50 clients that are still sending reads its 413,", () => {
  const head = () => `POST /v1/pets HTTP/1.1\r\n${target.headers}${JSON_TYPE}`;
  const statuses = (answers: WireAnswer[]) => answers.map(({ status }) => status);

  test("with a body of a megabyte", async () => {
    const send = () =>
      attack(target, `${head()}Content-Length: 1000000\r\n\r\n${" ".repeat(1_000_000)}`, (connection) =>
        connection.untilClosed(SOON),
      );
    for (const { answers } of await Promise.all(Array.from({ length: 50 }, send))) {
      expect(statuses(answers)).toEqual([413]);
    }
  });

  test("with a body without end", async () => {
    const send = () => sendEndlessly(target.service.url, head() + CHUNKED);
    let read = 0;
    // The connection of one that never stops is reset after a while: on a busy machine some read too late, and at times many.
    for (let round = 0; round < 3 && read < 45; round++) {
      const all = await Promise.all(Array.from({ length: 50 }, send));
      read = all.filter(({ answers }) => statuses(answers).join() === "413").length;
      expect(all.filter(({ answers }) => !["413", ""].includes(statuses(answers).join()))).toEqual([]);
    }
    expect(read).toBeGreaterThanOrEqual(45);
  });
});

test("a body that ends leaves its connection open, also when it is not read", async () => {
  const { hostname, port } = new URL(target.service.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const head = `POST /v1/nothing HTTP/1.1\r\n${target.headers}${JSON_TYPE}`;
  socket.write(`${head}Content-Length: 2\r\n\r\n{}`);
  const [text] = await once(socket.setEncoding("latin1"), "data");
  socket.destroy();
  expect(parseAnswers(String(text), "GET").answers[0]?.headers.get("Connection")).not.toBe("close");
});
