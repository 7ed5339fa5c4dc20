import { beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { besideLoad } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import type { Outcome } from "./connection.ts";
import { attack, useTarget } from "./target.ts";

/** The longest time without progress on a connection, in ms. */
const LONGEST = 18_000;
/** How much longer all of this may take on a busy machine, in ms. */
const PATIENCE = 60_000;
/** How often a slow client sends the next few bytes, in ms. */
const DRIP = 1_000;

type Slow = { first: string; drip?: string };

const HEADERS = "Host: x\r\nContent-Type: application/json\r\n";

/** Incomplete requests, and the statuses of their responses; 0 stands for no response. */
const CLIENTS: Record<string, Slow & { statuses: number[] }> = {
  "says nothing": { first: "", statuses: [0, 408] },
  "stops in its request line": { first: "GET /v1/p", statuses: [0, 408] },
  "sends its request line byte by byte": { first: "GET /v1/p", drip: "a", statuses: [0, 408] },
  "stops in a header": { first: `GET /v1/pets HTTP/1.1\r\n${HEADERS}X-A: `, statuses: [0, 408] },
  "sends a header byte by byte": { first: `GET /v1/pets HTTP/1.1\r\n${HEADERS}X-A: `, drip: "a", statuses: [0, 408] },
  "sends header after header": { first: `GET /v1/pets HTTP/1.1\r\n${HEADERS}`, drip: "X-A: a\r\n", statuses: [0, 408] },
  "says nothing more after its answer": { first: `GET /livez HTTP/1.1\r\n${HEADERS}\r\n`, statuses: [200] },
  "sends byte by byte what nobody reads": {
    first: `POST /v1/pets HTTP/1.1\r\n${HEADERS}Content-Length: 100\r\n\r\n{`,
    drip: " ",
    statuses: [401],
  },
};

/** The same for bodies with a key, which must arrive within 10 s. */
const BODIES: Record<string, Slow> = {
  "stops in its body": { first: "Content-Length: 100\r\n\r\n{" },
  "sends its body byte by byte": { first: "Content-Length: 100\r\n\r\n{", drip: " " },
  "stops in a chunk": { first: "Transfer-Encoding: chunked\r\n\r\n5\r\n{" },
  "sends chunk after chunk": { first: "Transfer-Encoding: chunked\r\n\r\n", drip: "1\r\n \r\n" },
  "sends a chunk's size byte by byte": { first: "Transfer-Encoding: chunked\r\n\r\n", drip: "0" },
  "sends a chunk's extension byte by byte": { first: "Transfer-Encoding: chunked\r\n\r\n5;", drip: "0" },
  "announces a chunk of 2^64 - 1 bytes": { first: "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{" },
};

/** Clients that send requests and read nothing: how many, how many requests each, and the least size of a response, in bytes. */
const READERS = 100;
const REQUESTS = 500;
const PAGE = { path: "/docs/errors", size: 64 * 1024 };

type Ended = Outcome & { after: number };

const target = useTarget();
/** All clients run at once, so that together they take as long as the slowest. */
const ended = new Map<string, Promise<Ended>>();

async function hold({ first, drip }: Slow): Promise<Ended> {
  const started = performance.now();
  return attack(target, first, async (connection) => {
    const dripping = drip === undefined ? undefined : setInterval(() => connection.send(drip), DRIP);
    try {
      return { ...(await connection.untilClosed(LONGEST)), after: performance.now() - started };
    } finally {
      clearInterval(dripping);
    }
  });
}

beforeAll(async () => {
  for (const [name, client] of Object.entries(CLIENTS)) ended.set(name, hold(client));
  for (const [name, { first, ...rest }] of Object.entries(BODIES)) {
    const request = `POST /v1/pets HTTP/1.1\r\n${target.headers}Content-Type: application/json\r\n${first}`;
    ended.set(name, hold({ first: request, ...rest }));
  }
});

async function outcomeOf(name: string): Promise<Ended> {
  const outcome = await ended.get(name);
  if (outcome === undefined) throw new Error(`there is no client that ${name}`);
  return outcome;
}

test("other clients are answered at once meanwhile", async () => {
  const times: number[] = [];
  for (let request = 0; request < 5; request++) {
    const sent = performance.now();
    expect((await target.service.withSecret(target.secret).get("/v1/pets?limit=1")).status).toBe(200);
    times.push(performance.now() - sent);
  }
  // The median: a busy machine may stand still once.
  expect(times.toSorted((one, other) => one - other)[2]).toBeLessThan(besideLoad(500));
});

describe("a client does not hold its connection when it", () => {
  for (const [name, { statuses }] of Object.entries(CLIENTS)) {
    test(
      name,
      async () => {
        states("docs/interface.md", "The service also closes a connection that is idle");
        const { answers, isClosed } = await outcomeOf(name);
        expect(isClosed).toBe(true);
        expect(statuses).toContain(answers[0]?.status ?? 0);
        expect(answers.length).toBeLessThanOrEqual(1);
      },
      LONGEST + 5_000,
    );
  }

  for (const name of Object.keys(BODIES)) {
    test(
      `${name}: 400 after 10 s, or at once`,
      async () => {
        states(
          "docs/interface.md",
          "A body that does not arrive within 10 seconds is refused with 400 `invalid_json`, and the connection is closed.",
        );
        states(
          "docs/errors.md",
          "or did not arrive completely within 10 seconds.",
          "body that is malformed, incomplete, or takes more than 10 seconds | 400 `invalid_json`, and the connection is closed",
        );
        const { answers, after } = await outcomeOf(name);
        expect(answers.map(({ status }) => status)).toEqual([400]);
        expect(after).toBeLessThan(LONGEST);
        const [answer] = answers;
        if (answer === undefined) return;
        expect(JSON.parse(answer.body)).toMatchObject({ code: "invalid_json" });
        expect(answer.headers.get("Connection")).toBe("close");
      },
      LONGEST + 5_000,
    );
  }
});

/** The resident memory of the service in bytes, on Linux. */
function residentMemory(): number {
  const file = `/proc/${target.service.process.pid}/status`;
  return existsSync(file) ? Number(/VmRSS:\s*(\d+)/.exec(readFileSync(file, "utf8"))?.[1]) * 1024 : 0;
}

/** How many sockets the service has, on Linux: none elsewhere. */
function openSockets(): number {
  const directory = `/proc/${target.service.process.pid}/fd`;
  if (!existsSync(directory)) return 0;
  const isSocket = (name: string) => {
    try {
      return readlinkSync(`${directory}/${name}`).startsWith("socket:");
    } catch {
      return false;
    }
  };
  return readdirSync(directory).filter(isSocket).length;
}

test(
  "clients that read nothing take little memory, hold up no other, and are cut off",
  async () => {
    states(
      "docs/errors.md",
      "A client that does not read an answer within 10 seconds, and a second more for each 16 KiB of it, is cut off.",
      "Until then the service handles no further request of the connection.",
    );
    const { port } = new URL(target.service.url);
    await fetch(`${target.service.url}/livez`);
    const before = residentMemory();
    const openBefore = openSockets();
    const sockets = Array.from({ length: READERS }, () => connect(Number(port), "127.0.0.1").pause());
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    for (const socket of sockets) {
      // A reset is one way to cut a client off.
      socket.on("error", () => {});
      socket.write(`GET ${PAGE.path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(REQUESTS));
    }
    let memory = 0;
    // A client that does not read does not see that it is cut off. One that is not yet would read all of its responses below.
    const began = performance.now();
    const isOver = () => performance.now() - began > LONGEST && openSockets() <= openBefore;
    for (; !isOver() && performance.now() - began < LONGEST + PATIENCE; await pause(500)) {
      memory = Math.max(memory, residentMemory());
      expect((await fetch(`${target.service.url}/livez`)).status).toBe(200);
    }
    // The service itself grows with its first pages of the documentation.
    expect(memory - before).toBeLessThan((READERS * REQUESTS * PAGE.size) / 10);
    const received = sockets.map(async (socket) => {
      const closed = once(socket, "close");
      let bytes = 0;
      socket.on("data", (data) => {
        bytes += data.length;
      });
      socket.resume();
      await closed;
      return bytes;
    });
    expect(Math.max(...(await Promise.all(received)))).toBeLessThan(REQUESTS * PAGE.size);
  },
  LONGEST + 2 * PATIENCE,
);
