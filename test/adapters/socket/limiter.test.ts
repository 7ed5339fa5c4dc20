import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { MemoryLimiter } from "../../../src/adapters/memory/limiter.ts";
import { mapFile } from "../../../src/adapters/socket/bun.ts";
import { onLines, SocketLimiter, serveLimiter } from "../../../src/adapters/socket/limiter.ts";
import { KnownCounts, SHARED_BYTES, SharedCounts, SharingLimiter } from "../../../src/adapters/socket/shared-counts.ts";
import type { Limiter } from "../../../src/domain/limits/limiter.ts";
import type { Subject } from "../../../src/domain/limits/limits.ts";
import { limiterConformance } from "../../conformance/limiter.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/ports.ts";

let directory: string;
let sockets = 0;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "petstore-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

function nextPath(): string {
  sockets += 1;
  return join(directory, String(sockets));
}

/** Half as many as elsewhere, for each of the two. */
const SEQUENCES = 20;

limiterConformance(
  "A limiter behind a socket",
  async (clock) => {
    const path = nextPath();
    const server = await serveLimiter(new MemoryLimiter(clock), path);
    const [limiter, other] = [new SocketLimiter(path), new SocketLimiter(path)];
    return {
      limiter,
      other,
      restart() {
        limiter.close();
        return new SocketLimiter(path);
      },
      close: () => server[Symbol.asyncDispose](),
    };
  },
  SEQUENCES,
);

limiterConformance(
  "A limiter in shared memory",
  async (clock) => {
    const path = nextPath();
    const file = `${path}.counts`;
    writeFileSync(file, new Uint8Array(SHARED_BYTES));
    const counts = () => new SharedCounts(mapFile(file));
    const parent = new SharingLimiter(clock, new MemoryLimiter(clock), counts());
    const server = await serveLimiter(parent, path);
    const worker = () => {
      const known = new KnownCounts(clock, counts());
      return new SocketLimiter(path, known);
    };
    /** Two workers in turn, and now and then the background tasks of the parent. */
    const workers = (): Limiter => {
      const both: [Limiter, Limiter] = [worker(), worker()];
      let calls = 0;
      const next = () => {
        calls += 1;
        if (calls % 5 === 0) parent.drain();
        if (calls % 7 === 0) parent.sweep();
        return both[calls % 3 === 0 ? 1 : 0];
      };
      return { take: (subject, cost) => next().take(subject, cost), status: (subject) => next().status(subject) };
    };
    return {
      limiter: workers(),
      other: worker(),
      restart: workers,
      close: () => server[Symbol.asyncDispose](),
    };
  },
  SEQUENCES,
);

const subject = { id: "key_1", limits: { perMinute: 5, perDay: 50 } };
const handover = {
  process: "a-process",
  number: 1,
  minute: { count: 2, resetAt: 60 },
  day: { count: 2, resetAt: 86_400 },
};

test.each([false, true])("what a worker counted alone is added once; in shared memory: %p", async (isShared) => {
  const path = nextPath();
  const file = `${path}.counts`;
  writeFileSync(file, new Uint8Array(SHARED_BYTES));
  const clock = () => 0;
  const local = new MemoryLimiter(clock);
  const parent = isShared ? new SharingLimiter(clock, local, new SharedCounts(mapFile(file))) : local;
  await using _server = await serveLimiter(parent, path);
  const limiter = new SocketLimiter(path, new KnownCounts(clock, new SharedCounts(mapFile(file))));
  await limiter.take(subject);
  for (let i = 0; i < 2; i++) {
    const decision = await limiter.reconcile({ subject, seen: undefined, handover });
    expect(decision).toMatchObject({ outcome: "allowed", shown: { remaining: 2 } });
  }
  // Other keys, other processes and later handovers of this one are other ones.
  const other = { ...subject, id: "key_other" };
  for (let i = 0; i < 2; i++) {
    const decision = await limiter.reconcile({ subject: other, seen: undefined, handover });
    expect(decision).toMatchObject({ outcome: "allowed", shown: { remaining: 3 } });
  }
  await limiter.reconcile({ subject, seen: undefined, handover: { ...handover, process: "another" } });
  expect((await limiter.take(subject)).outcome).toBe("rate_limit_exceeded");
  const ban = { since: 1, until: 300, step: 0 };
  const banned = await limiter.reconcile({ subject, seen: undefined, handover: { ...handover, number: 2, ban } });
  expect(banned).toMatchObject({ outcome: "key_banned", shown: { resetAt: 300 } });
  limiter.close();
});

test("calls are rejected when the connection is lost, and succeed when there is a server again", async () => {
  const path = nextPath();
  const counts = new MemoryLimiter(() => 0);
  const first = await serveLimiter(counts, path);
  const limiter = new SocketLimiter(path);
  expect((await limiter.take(subject)).shown.remaining).toBe(4);
  const lost = limiter.take(subject);
  await first[Symbol.asyncDispose]();
  await expect(lost).rejects.toThrow("the connection was closed");
  await expect(limiter.take(subject)).rejects.toThrow("the connection was closed");
  await using _second = await serveLimiter(counts, path);
  expect((await limiter.take(subject)).shown.remaining).toBe(3);
  limiter.close();
});

test("a result is never that of another call, whenever the connection is lost", async () => {
  const path = nextPath();
  const limitOf = ({ subject }: { subject: Subject }) => ({ result: { day: { limit: subject.limits.perDay } } });
  let lines = 0;
  const server = createServer((socket) => {
    onLines(
      socket.on("error", () => {}),
      (line) => {
        lines += 1;
        if (lines % 3 === 0) socket.destroy();
        else socket.write(`${JSON.stringify(JSON.parse(line).map(limitOf))}\n`);
      },
    );
  });
  await once(server.listen(path), "listening");
  const limiter = new SocketLimiter(path);
  const calls: Promise<number | string>[] = [];
  for (let perDay = 1; perDay <= 300; perDay++) {
    const status = limiter.status({ id: "key_1", limits: { perMinute: 1, perDay } });
    calls.push(
      status.then(
        ({ day }) => day.limit - perDay,
        (error: Error) => error.message,
      ),
    );
    await nextTurn();
  }
  expect(new Set(await Promise.all(calls))).toEqual(new Set([0, "the connection was closed"]));
  limiter.close();
  server.close();
});

test("lines that arrive byte by byte are whole, and in order", async () => {
  const received: string[] = [];
  const server = createServer((socket: Socket) => onLines(socket, (line) => received.push(line)));
  const port = await freePort();
  await once(server.listen(port, "127.0.0.1"), "listening");
  const sender = connect({ port, host: "127.0.0.1", noDelay: true });
  const lines = ['{"a":1}', '{"name":"Mimi 🐈"}', "", '{"b":[2,3]}'];
  for (const byte of Buffer.from(lines.map((line) => `${line}\n`).join(""))) {
    sender.write(Uint8Array.of(byte));
    await pause(1);
  }
  await eventually(() => received.length === lines.length);
  expect(received).toEqual(lines);
  sender.destroy();
  server.close();
});
