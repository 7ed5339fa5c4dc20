import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { metricsAt } from "../support/metrics.ts";
import { type Nodes, startNodes } from "../support/nodes.ts";
import { hasRedis } from "../support/redis.ts";

if (!hasRedis) console.log("skipped: there is no redis-server on this machine");

const NODES = 3;
/** The pauses of Redis, in ms, that nodes wait for. */
const SHORT = [50, 100];
/** Those that they do not wait for. */
const LONG = [300, 2_000];

let nodes: Nodes;

/** Counts the answers to a key's requests, on all nodes of a group. */
class Sender {
  readonly statuses: Record<string, number> = {};
  /** The longest Retry-After of a refusal, in seconds. */
  longestWait = 0;
  readonly #secret: string;
  readonly #group: Nodes;
  #isOver = false;
  #work: Promise<unknown> = Promise.resolve();

  constructor(secret: string, group: Nodes) {
    this.#secret = secret;
    this.#group = group;
  }

  get allowed(): number {
    return this.statuses["200"] ?? 0;
  }

  /** Sends `count` requests, alternately to each node or all to one, with this many ms between them. */
  async send(count: number, { node, every = 0 }: { node?: number; every?: number } = {}): Promise<void> {
    const begun = performance.now();
    for (let i = 0; i < count && !this.#isOver; i++) {
      await pause(Math.max(0, begun + i * every - performance.now()));
      await this.#request(this.#group.node(node ?? i % NODES).url);
    }
  }

  /** Sends requests to each node, or to these, with this many ms between them, until `stop`. */
  start(every = 20, to = nodes.nodes.map((_, node) => node)): void {
    this.#work = Promise.all(to.map((node) => this.send(Number.POSITIVE_INFINITY, { node, every })));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#work;
    this.#isOver = false;
  }

  async #request(url: string): Promise<void> {
    const response = await fetch(`${url}/v1/pets?limit=1`, { headers: { Authorization: `Bearer ${this.#secret}` } });
    const { code = "200" } = response.status === 200 ? {} : ((await response.clone().json()) as { code?: string });
    await response.text();
    this.statuses[code] = (this.statuses[code] ?? 0) + 1;
    this.longestWait = Math.max(this.longestWait, Number(response.headers.get("Retry-After")));
    // Where the store cannot be asked for a key, the headers show the limit of the address.
    if (response.status === 503) return;
    expect(["60", "100", "1000", "5", "1"]).toContain(response.headers.get("X-RateLimit-Limit") ?? "none");
    expect(response.headers.get("RateLimit-Policy")).toMatch(/^"minute";q=(60|100|1);w=60, "day";q=(1000|5);w=86400$/);
  }
}

async function senderWith(perMinute: number, perDay: number, group = nodes): Promise<Sender> {
  return new Sender((await group.createKey({ perMinute, perDay })).secret, group);
}

/** Pauses Redis for so many ms, at a random moment of the next half second, and waits until the nodes use it again. */
async function pauseRedis(length: number, group = nodes): Promise<void> {
  await pause(Math.random() * 500);
  group.redis.freeze();
  await pause(length);
  group.redis.thaw();
  await eventually(async () => {
    for (const { adminUrl } of group.nodes)
      if ((await metricsAt(adminUrl)).value("petstore_limiter_fallback_active") === 1) return false;
    return true;
  });
}

describe.skipIf(!hasRedis).each([NODES, 50])(
  "three nodes, with PETSTORE_NODES=%i, while Redis pauses for",
  (announced) => {
    let honest: Sender;
    let began: number;
    beforeAll(async () => {
      nodes = await startNodes({ count: NODES, env: { PETSTORE_NODES: String(announced) } });
      honest = await senderWith(60, 1_000);
      began = performance.now();
      // Less than once a second, also if a request takes longer than another.
      honest.start(1_050, [0]);
    });
    afterAll(() => nodes.remove());

    test.each([...SHORT, ...LONG])("%i ms", async (length) => {
      states(
        "docs/scaling.md",
        "A pause of Redis of less than 0.25 seconds is no matter. In a longer one each node counts on alone, from what it last saw.",
      );
      const [minute, day, banned, half, unseen] = await Promise.all([
        senderWith(60, 1_000),
        senderWith(100, 5),
        senderWith(1, 1_000),
        senderWith(60, 1_000),
        senderWith(60, 1_000),
      ]);
      await Promise.all([minute.send(66), day.send(9), half.send(30), banned.send(2 * NODES)]);
      await pause(2_000);
      await banned.send(110);
      expect(banned.statuses.key_banned).toBeGreaterThanOrEqual(NODES);
      expect([minute.allowed, day.allowed, banned.allowed, half.allowed]).toEqual([60, 5, 1, 30]);
      const senders = [minute, day, banned, half];
      for (const sender of senders) sender.start();
      await Promise.all([pauseRedis(length), pause(600).then(() => unseen.start())]);
      await Promise.all([...senders, unseen].map((sender) => sender.stop()));
      // A busy machine has sent fewer than remained.
      await Promise.all([unseen.send(120), half.send(60)]);

      expect([minute.allowed, day.allowed, banned.allowed]).toEqual([60, 5, 1]);
      const alone = SHORT.includes(length) ? 0 : NODES * (6 + length / 1_000 + 1);
      expect(half.allowed).toBeWithin(60, 60 + alone + 1);
      expect(unseen.allowed).toBeWithin(60, 60 + NODES);
      console.log(`PETSTORE_NODES=${announced}, ${length} ms: ${half.allowed} and ${unseen.allowed} of 60 allowed`);
    });

    test("0.9 seconds again and again, a client on one connection gets no more than its limit", async () => {
      states("docs/scaling.md", "one connection, and so one node: it gets no more than its limit.");
      const sender = await senderWith(60, 1_000);
      const sending = sender.send(300, { node: 0, every: 40 });
      for (let i = 0; i < 5; i++) await pauseRedis(900);
      await sending;
      expect(sender.allowed).toBeLessThanOrEqual(60);
    });

    test("two seconds while its minute ends, and all of these, an honest client on one connection is not refused", async () => {
      states(
        "docs/scaling.md",
        "If it keeps to its plan's rate, it is refused nothing in a pause of up to 10 seconds.",
      );
      await pause(Math.max(0, began + 58_500 - performance.now()));
      await pauseRedis(2_000);
      await honest.stop();
      expect(Object.keys(honest.statuses)).toEqual(["200"]);
      expect(honest.allowed).toBeGreaterThan(40);
    });
  },
);

describe.skipIf(!hasRedis)("three nodes", () => {
  const burners: ChildProcess[] = [];
  beforeAll(async () => {
    nodes = await startNodes({ count: NODES });
  });
  afterEach(() => {
    for (const burner of burners.splice(0)) burner.kill("SIGKILL");
  });
  afterAll(() => nodes.remove());

  test("on a machine that is busy, with a healthy Redis, allow one client no more than its limit", async () => {
    for (let i = 0; i < 4; i++) burners.push(spawn("sh", ["-c", "while :; do :; done"]));
    for (let i = 0; i < 5; i++) {
      const sender = await senderWith(60, 1_000);
      await sender.send(100);
      // A request that PostgreSQL did not answer in time is 503, and may be counted.
      const { service_unavailable: unanswered = 0 } = sender.statuses;
      expect(sender.allowed).toBeWithin(60 - unanswered, 60 + 1);
    }
  });

  test("and three of fifty, while Redis pauses for 70 seconds, keep what is used up, and share the next minute", async () => {
    states("docs/scaling.md", "Each refusal asks for a wait of at most 5 seconds, and none is a strike.");
    const fifty = await startNodes({ count: NODES, env: { PETSTORE_NODES: "50" } });
    try {
      await Promise.all([pauseForLong(nodes, NODES), pauseForLong(fifty, 50)]);
    } finally {
      await fifty.remove();
    }
  });

  /** Pauses the Redis of nodes that divide limits among `announced`, for 70 seconds. */
  async function pauseForLong(group: Nodes, announced: number): Promise<void> {
    const [minute, day, half, honest] = await Promise.all([
      senderWith(60, 1_000, group),
      senderWith(100, 5, group),
      senderWith(60, 1_000, group),
      senderWith(60, 1_000, group),
    ]);
    await Promise.all([minute.send(66), day.send(9), half.send(30)]);
    const ended = pause(60_000);
    // So slowly that nobody is banned.
    for (const sender of [minute, day, half]) sender.start(1_000);
    honest.start(1_050, [0]);
    const paused = pauseRedis(70_000, group);
    await pause(50_000);
    expect([minute.allowed, day.allowed]).toEqual([60, 5]);
    const inFirstMinute = half.allowed;
    // Each node: a tenth and ten seconds at the plan's rate, then a share of the rest, at least a tenth.
    expect(inFirstMinute).toBeLessThanOrEqual(30 + NODES * (6 + 10 + Math.max(6, Math.ceil(42 / announced))));
    // Ten seconds at its rate, and a tenth of its limit.
    expect(honest.allowed).toBeWithin(9 + 6, 50);
    await ended;
    await paused;
    await Promise.all([minute, day, half, honest].map((sender) => sender.stop()));
    expect(minute.allowed).toBeWithin(60 + 1, 60 + 60 + NODES);
    expect(day.allowed).toBe(5);
    expect(half.allowed - inFirstMinute).toBeLessThanOrEqual(60 + NODES);
    expect(Object.keys(honest.statuses).toSorted()).toEqual(["200", "rate_limit_exceeded"]);
    expect(honest.longestWait).toBeLessThanOrEqual(5);
    const of = `${honest.allowed} of ${honest.allowed + (honest.statuses.rate_limit_exceeded ?? 0)}`;
    console.log(
      `70 s, PETSTORE_NODES=${announced}: ${inFirstMinute} of 60, then ${half.allowed - inFirstMinute} of 60 allowed; an honest client's ${of}`,
    );
  }

  test.each([
    [
      "killed, and comes back without its data",
      async () => {
        await nodes.redis.kill();
        await pause(500);
        await nodes.redis.start();
      },
    ],
    ["emptied by FLUSHALL", () => nodes.redis.call("FLUSHALL")],
  ])("while Redis is %s, keep what is used up", async (_, forget) => {
    const [minute, day] = await Promise.all([senderWith(60, 1_000), senderWith(100, 5)]);
    await Promise.all([minute.send(66), day.send(9)]);
    for (const sender of [minute, day]) sender.start();
    await forget();
    await pause(2_000);
    await Promise.all([minute, day].map((sender) => sender.stop()));
    expect([minute.allowed, day.allowed]).toEqual([60, 5]);
  });
});
