import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  FallbackCounts,
  type Handover,
  type KeyHandover,
  reconciled,
  type SeenState,
} from "../../../src/domain/limits/fallback-counts.ts";
import { type Decision, decisionOf, type LimitState, type Subject, take } from "../../../src/domain/limits/limits.ts";
import { holds } from "../../support/holds.ts";
import { states } from "../../support/markdown.ts";

const START = Date.UTC(2026, 11, 2, 10);
const FREE: Subject = { id: "key_1", limits: { perMinute: 60, perDay: 1_000 } };

/** What Redis does: it counts, learns, forgets, and knows the last handover of each process. */
class Server {
  state: LimitState | undefined;
  readonly #handovers = new Map<string, number>();

  take(subject: Subject, seen: SeenState | undefined, now: number, cost = 1): Decision {
    const { state, decision } = take(reconciled(this.state, { subject, seen }, now), subject, now, cost);
    this.state = state;
    return decision;
  }

  reconcile({ subject, seen, handover }: KeyHandover, now: number): Decision {
    const { process, number } = handover;
    const isNew = number > (this.#handovers.get(process) ?? 0);
    this.#handovers.set(process, Math.max(number, this.#handovers.get(process) ?? 0));
    // What was seen before a handover may be more than is counted since.
    this.state = reconciled(this.state, { subject, ...(isNew && { seen, handover }) }, now);
    const { ban } = this.state.banState ?? {};
    const active = ban !== undefined && ban.until * 1000 > now ? { until: ban.until, begins: false } : undefined;
    return decisionOf(active ? "key_banned" : "allowed", this.state, subject.limits, now, active);
  }

  forget(): void {
    this.state = undefined;
    this.#handovers.clear();
  }
}

/** How a server takes a message: both ways, or without an answer that comes in time, or at all. */
type Passage = "answered" | "late" | "unanswered" | "lost";

/** A node as the limiter with a fallback runs it. */
class Node {
  readonly counts: FallbackCounts;
  readonly #server: Server;
  #awaySince: number | undefined;
  #late: [Decision, cost: number][] = [];

  constructor(server: Server, number: number, nodes: number) {
    this.#server = server;
    this.counts = new FallbackCounts({ process: `node-${number}`, nodes });
  }

  take(subject: Subject, now: number, passage: Passage, cost = 1): Decision {
    if (this.#awaySince === undefined && !this.#handOver(subject.id, now, passage)) this.#awaySince = now;
    if (this.#awaySince !== undefined) return this.counts.take(subject, this.#awaySince, now, cost);
    const { id } = subject;
    const decision = passage === "lost" ? undefined : this.#server.take(subject, this.counts.seenOf(id), now, cost);
    if (decision !== undefined && passage === "answered") {
      this.counts.observe(id, decision, now);
      return decision;
    }
    this.#awaySince = now;
    if (decision !== undefined && passage === "late") this.#late.push([decision, cost]);
    return this.counts.take(subject, now, now, cost);
  }

  /** The server answers again: first what it owes, then a probe and the handovers. `isTwice`: a network repeats the last. */
  return(now: number, passage: Passage, isTwice: boolean): void {
    if (this.#awaySince === undefined) return;
    for (const [decision, cost] of this.#late.splice(0)) this.counts.observeLate(FREE.id, decision, cost);
    const open = isTwice ? this.counts.handoverOf(FREE.id) : undefined;
    if (!this.#handOver(FREE.id, now, passage)) return;
    if (open !== undefined) this.#server.reconcile(open, now);
    this.#awaySince = undefined;
  }

  /** Whether the server has, as far as the node knows, what the node counted alone. */
  #handOver(id: string, now: number, passage: Passage): boolean {
    for (let open = this.counts.handoverOf(id); open !== undefined; open = this.counts.handoverOf(id)) {
      const decision = passage === "lost" ? undefined : this.#server.reconcile(open, now);
      if (decision === undefined || passage !== "answered") return false;
      this.counts.accept(id, open.handover, decision, now);
    }
    return true;
  }
}

const passage = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Passage>("answered") },
  { weight: 1, arbitrary: fc.constantFrom<Passage>("late", "unanswered", "lost") },
);
const node = fc.nat(4);
const pause = fc.oneof(fc.constant(0), fc.nat(400), fc.nat(3_000));
const requests = fc.record({
  node,
  pause,
  passage,
  count: fc.oneof(fc.nat(3), fc.nat(40)),
  cost: fc.oneof({ weight: 2, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.nat(60) }),
});
const returning = fc.record({ node, pause, passage, isTwice: fc.boolean() });
const forgetting = fc.constant("forget" as const);
/** They take less than a minute, so that all happen in one window. */
const course = (isForgetful: boolean) =>
  fc.array(
    fc.oneof(
      { weight: 4, arbitrary: requests },
      { weight: 2, arbitrary: returning },
      ...(isForgetful ? [forgetting] : []),
    ),
    {
      maxLength: 19,
    },
  );

type Course = typeof course extends (...args: never[]) => fc.Arbitrary<infer T> ? T : never;

/**
 * Runs a course on so many nodes. Returns the requests that passed, how long it took, and whether the server counts them.
 * `rest`: how much of the minute remains at the beginning, in ms; one request of each node opened it.
 */
function run(events: Course, count: number, rest = 60_000) {
  const server = new Server();
  const nodes = Array.from({ length: count }, (_, i) => new Node(server, i, count));
  const nodeOf = (number: number) => nodes[number % count] as Node;
  let now = START + 250;
  let allowed = 0;
  if (rest < 60_000) {
    for (const node of nodes) if (node.take(FREE, now - 60_000 + rest, "answered").outcome === "allowed") allowed += 1;
  }
  for (const event of events) {
    if (event === "forget") {
      server.forget();
      continue;
    }
    now += event.pause;
    if ("isTwice" in event) nodeOf(event.node).return(now, event.passage, event.isTwice);
    else
      for (let i = 0; i < event.count; i++) {
        const { outcome, shown } = nodeOf(event.node).take(
          FREE,
          now,
          i === event.count - 1 ? event.passage : "answered",
          event.cost,
        );
        expect(shown.limit).toBe(shown.name === "minute" ? 60 : 1_000);
        if (outcome === "allowed") allowed += event.cost;
      }
  }
  for (const node of nodes) node.return(now, "answered", false);
  const { minute, day } = server.state ?? {};
  return { allowed, counted: [minute?.count ?? 0, day?.count ?? 0] as const, seconds: (now - START) / 1000 };
}

describe("when a server pauses, forgets, answers late, or answers twice", () => {
  test("a single node never allows more than the limit", () => {
    states("docs/reliability.md", "So a client whose requests all reach one node never gets more than its limit.");
    holds(
      fc.property(course(true), (events) => {
        expect(run(events, 1).allowed).toBeLessThanOrEqual(60);
      }),
    );
  });

  test("a single node never allows more than the limit in each of two minutes", () => {
    holds(
      fc.property(course(true), fc.nat(20_000), (events, rest) => {
        expect(run(events, 1, rest).allowed).toBeLessThanOrEqual(2 * 60);
      }),
    );
  });

  test("so many nodes allow in two minutes no more than the limits, a tenth and the plan's rate each beside them", () => {
    states("docs/reliability.md", "also if a minute ends in the pause.");
    holds(
      fc.property(course(false), fc.integer({ min: 2, max: 5 }), fc.nat(20_000), (events, count, rest) => {
        const { allowed, seconds } = run(events, count, rest);
        expect(allowed).toBeLessThanOrEqual(2 * 60 + count * (6 + seconds));
      }),
    );
  });

  test("so many nodes allow no more than a tenth of the limit and the plan's rate each beside it, and hand over all of it", () => {
    states("docs/reliability.md", "it gets at most N × (L/10 + T × L/60) more, with T at most 10");
    holds(
      fc.property(course(false), fc.integer({ min: 2, max: 5 }), (events, count) => {
        const { allowed, counted, seconds } = run(events, count);
        expect(allowed).toBeLessThanOrEqual(60 + count * (6 + seconds));
        expect(Math.min(...counted)).toBeGreaterThanOrEqual(allowed);
      }),
    );
  });

  test("the server counts in the end what was allowed, no more and no less, if it answers each request, however late", () => {
    states("docs/development/stores.md", "in the end Redis counts exactly what was allowed.");
    states(
      "docs/reliability.md",
      "A batch that Redis counted, and the node refused because the answer came too late, may stay counted until its window ends.",
    );
    const isSure = (event: Course[number]) =>
      event !== "forget" && ("isTwice" in event || event.passage !== "unanswered");
    holds(
      fc.property(course(false), fc.integer({ min: 1, max: 5 }), (events, count) => {
        // A batch that a node refused, and the server counted, may stay counted where another node saw it: that is never too little.
        const single = events
          .filter(isSure)
          .map((one) => (one !== "forget" && "cost" in one ? { ...one, cost: 1 } : one));
        const { allowed, counted } = run(single, count);
        expect(counted).toEqual([allowed, allowed]);
      }),
    );
  });
});

/** A node that saw `used` requests of a key at START, and has been alone since. */
function aloneAfter(used: number, nodes: number, { limits = FREE.limits } = {}) {
  const counts = new FallbackCounts({ process: "node", nodes });
  const server = new Server();
  const subject = { ...FREE, limits };
  for (let i = 0; i < used; i++) counts.observe(subject.id, server.take(subject, undefined, START), START);
  /** Sends `count` requests at once after so many seconds. Returns how many were allowed, and the last decision. */
  const send = (count: number, seconds: number) => {
    const decisions = Array.from({ length: count }, () => counts.take(subject, START, START + seconds * 1000));
    return { allowed: decisions.filter(({ outcome }) => outcome === "allowed").length, last: decisions.at(-1) };
  };
  return { counts, server, subject, send };
}

test("a window that was used up stays used up until it ends", () => {
  states(
    "docs/reliability.md",
    "What is used up stays used up. A minute or a day that the node has seen used up stays so until it ends",
  );
  const { send } = aloneAfter(60, 2);
  for (const seconds of [0, 5, 20, 59.9]) {
    const { allowed, last } = send(100, seconds);
    expect(allowed).toBe(0);
    expect(last).toMatchObject({ shown: { limit: 60, remaining: 0 } });
    expect(last?.retryAfter).toBeUndefined();
  }
});

test("a ban stays until it ends, and is handed over if it began alone", () => {
  states("docs/reliability.md", "and so does a ban.");
  const { counts, send, server, subject } = aloneAfter(60, 2);
  send(1, 0);
  expect(send(100, 2).last).toMatchObject({
    outcome: "key_banned",
    beginsBan: true,
    shown: { resetAt: START / 1000 + 302 },
  });
  const open = counts.handoverOf("key_1");
  if (open === undefined) throw new Error("nothing is handed over");
  expect(open.handover.ban?.until).toBe(START / 1000 + 302);
  counts.accept("key_1", open.handover, server.reconcile(open, START + 3_000), START + 3_000);
  expect(counts.isOpen("key_1")).toBe(false);
  expect(server.take(subject, undefined, START + 4_000).outcome).toBe("key_banned");
  expect(send(1, 301.9).last?.outcome).toBe("key_banned");
  expect(send(1, 302).last?.outcome).toBe("allowed");
});

test("a seen ban is a ban for a node alone, unless it was lifted since it began", () => {
  const { counts, subject } = aloneAfter(1, 2);
  const none = { count: 0, resetAt: 0 };
  const banned = (begins: boolean, now: number) =>
    decisionOf("key_banned", { minute: none, day: none }, FREE.limits, now, { until: START / 1000 + 300, begins });
  counts.observe("key_1", banned(true, START), START);
  counts.observe("key_1", banned(false, START + 2_000), START + 2_000);
  const take = (pardonedAt?: number) =>
    counts.take({ ...subject, ...(pardonedAt && { pardonedAt }) }, START + 2_000, START + 3_000).outcome;
  expect(take()).toBe("key_banned");
  // The server has it from another node: there is nothing to hand over.
  expect(counts.isOpen("key_1")).toBe(false);
  expect(take(START - 1)).toBe("key_banned");
  expect(take(START + 1_000)).toBe("allowed");
});

test("what is known without the server, a ban too, counts for a node alone", () => {
  const counts = new FallbackCounts({ process: "node", nodes: 2 });
  const second = START / 1000;
  const minute = { count: 58, resetAt: second + 30 };
  const day = { count: 58, resetAt: second + 86_000 };
  counts.learn("key_1", { minute, day }, START);
  const outcomes = () => [0, 0, 0].map(() => counts.take(FREE, START, START).outcome);
  expect(outcomes()).toEqual(["allowed", "allowed", "rate_limit_exceeded"]);
  const ban = { since: START, until: second + 300, step: 0 };
  counts.learn("key_1", { minute, day, banState: { strikes: [], ban } }, START);
  expect(outcomes()).toEqual(["key_banned", "key_banned", "key_banned"]);
});

test.each([-90_000, 90_000])("windows follow the clock of the server, which is %i ms ahead", (ahead) => {
  const counts = new FallbackCounts({ process: "node", nodes: 2 });
  const server = new Server();
  const until = START + ahead;
  for (let i = 0; i < 60; i++) counts.observe("key_1", server.take(FREE, undefined, until), START);
  expect(counts.take(FREE, START, START + 59_000)).toMatchObject({
    outcome: "rate_limit_exceeded",
    now: until + 59_000,
  });
  expect(counts.status(FREE, START + 59_000).minute).toMatchObject({ used: 60, resetAt: until / 1000 + 60 });
  expect([...counts.seenStates(START + 86_399_000)]).toHaveLength(1);
  expect([...counts.seenStates(START + 86_400_000)]).toHaveLength(0);
  expect(counts.take(FREE, START + 59_000, START + 60_000).outcome).toBe("allowed");
});

test("what was seen of a key is remembered as long as its day or its ban, and while it is counted alone", () => {
  const counts = new FallbackCounts({ process: "node", nodes: 2, mostSeen: 2 });
  const server = new Server();
  const banned = decisionOf(
    "key_banned",
    { minute: { count: 0, resetAt: 0 }, day: { count: 0, resetAt: 0 } },
    FREE.limits,
    START,
    {
      until: START / 1000 + 300,
      begins: true,
    },
  );
  counts.observe("key_1", server.take(FREE, undefined, START), START);
  counts.observe("key_2", banned, START);
  const idsAt = (seconds: number) => [...counts.seenStates(START + seconds * 1000)].map(([id]) => id).toSorted();
  expect(idsAt(299)).toEqual(["key_1", "key_2"]);
  expect(idsAt(300)).toEqual(["key_1"]);
  counts.take(FREE, START, START);
  for (const id of ["key_3", "key_4"]) counts.observe(id, banned, START);
  expect(counts.seenOf("key_1")).toMatchObject({ minute: { count: 1 }, day: { count: 1 } });
  expect(counts.seenOf("key_2")).toBeUndefined();
});

test("the end of a day asks for the longest wait, also when the minute ends sooner", () => {
  states(
    "docs/limits.md",
    "A 429 with requests remaining, unless it is a batch's, comes from a node that cannot ask how many other nodes have allowed",
    "`Retry-After` is then at most 5.",
  );
  const { send } = aloneAfter(0, 4, { limits: { perMinute: 60, perDay: 4 } });
  expect(send(1, 0).allowed).toBe(1);
  const { last } = send(1, 57);
  expect(last).toMatchObject({ outcome: "quota_exceeded", retryAfter: 5, shown: { name: "day", remaining: 3 } });
});

test("a key passes at its plan's rate, with a burst of a tenth, and is asked to wait for at most five seconds without a strike", () => {
  states(
    "docs/reliability.md",
    "At first, a key passes at its plan's rate, with a burst of a tenth of its limit",
    "Refusals that only this explains ask for a wait of at most 5 seconds, and are no strikes.",
  );
  const { counts, send, subject } = aloneAfter(1, 50);
  expect(send(20, 0)).toMatchObject({ allowed: 6, last: { shown: { limit: 60, remaining: 53 }, retryAfter: 1 } });
  expect(send(20, 3)).toMatchObject({ allowed: 3 });
  for (let i = 0; i < 500; i++) send(1, 3 + i / 1000);
  expect(counts.status(subject, START + 4_000)).toMatchObject({ strikes: 0, ban: undefined, minute: { limit: 60 } });
  const slow = aloneAfter(1, 2, { limits: { perMinute: 2, perDay: 10 } });
  expect(slow.send(3, 0)).toMatchObject({ allowed: 1 });
  const slower = aloneAfter(1, 2, { limits: { perMinute: 3, perDay: 10 } });
  expect(slower.send(3, 0)).toMatchObject({ allowed: 1, last: { outcome: "rate_limit_exceeded", retryAfter: 5 } });
});

test("an honest client is never refused within ten seconds alone, among fifty nodes", () => {
  const { send } = aloneAfter(1, 50);
  for (let second = 0; second < 10; second++) expect(send(1, second).allowed).toBe(1);
});

test.each([50, 55, 58, 59, 59.9, 60.5, 61, 64])(
  "an honest client is not refused within ten seconds alone that begin %d s after its minute, among fifty nodes",
  (begins) => {
    const counts = new FallbackCounts({ process: "node", nodes: 50 });
    const server = new Server();
    const since = START + begins * 1000;
    let second = 0;
    for (; second <= begins; second++) {
      const now = START + second * 1000;
      // Its next request comes in the pause.
      if (now > since - 1_000 && now !== since) break;
      counts.observe(FREE.id, server.take(FREE, undefined, now), now);
    }
    for (; second * 1000 + START < since + 10_000; second++) {
      expect(counts.take(FREE, since, Math.max(since, START + second * 1000)).outcome).toBe("allowed");
    }
  },
);

test("the minute that begins in the first ten seconds alone is divided after them, and one that begins later at once", () => {
  states("docs/reliability.md", "A minute or day that begins in these 10 seconds has the whole limit");
  const allowedFrom = (begins: number) => {
    const { counts } = aloneAfter(1, 2);
    const since = START + begins * 1000;
    let allowed = 0;
    for (let second = 60; second < 120; second++) {
      for (let i = 0; i < 10; i++)
        if (counts.take(FREE, since, START + second * 1000).outcome === "allowed") allowed += 1;
    }
    return allowed;
  };
  // A tenth, and a second's request until 10 s are over: then half of the rest.
  expect(allowedFrom(59)).toBe(6 + 8 + 23);
  expect(allowedFrom(51)).toBe(6 + 0 + 27);
  expect(allowedFrom(49)).toBe(30);
  // A window that ended long before the pause says nothing.
  const { counts } = aloneAfter(1, 2);
  let allowed = 0;
  for (let second = 71; second < 130; second++)
    if (counts.take(FREE, START + 71_000, START + second * 1000).outcome === "allowed") allowed += 1;
  expect(allowed).toBe(30);
});

test("after ten seconds alone, the rest is divided by the nodes, but a tenth of the limit is left to each", () => {
  states(
    "docs/settings.md",
    "While Redis is away for more than 10 seconds, each node allows its share of what a key has left: that divided by this number, but at least a tenth of the limit.",
  );
  states(
    "docs/reliability.md",
    "After 10 seconds alone, a node allows what remains divided by `PETSTORE_NODES`, but at least a tenth of the limit.",
  );
  const few = aloneAfter(10, 2);
  let allowed = 0;
  for (let second = 10; second < 59; second++) allowed += few.send(10, second).allowed;
  expect(allowed).toBe(25);
  const many = aloneAfter(10, 50);
  allowed = 0;
  for (let second = 10; second < 59; second++) allowed += many.send(10, second).allowed;
  expect(allowed).toBe(6);
  expect(many.send(1, 58)).toMatchObject({ last: { retryAfter: 2, shown: { remaining: 44 } } });
  const last = aloneAfter(58, 50);
  expect(last.send(10, 20)).toMatchObject({ allowed: 2 });
});

test.each([
  [60, 1, 60],
  [60, 50, 2],
  [100, 3, 34],
])("a key of %i that %i nodes have not seen in this window has %i on each", (perMinute, nodes, share) => {
  states(
    "docs/reliability.md",
    "A key that the node has not seen in this minute or day otherwise has the limit divided by `PETSTORE_NODES`, rounded up, in all.",
  );
  const { send } = aloneAfter(0, nodes, { limits: { perMinute, perDay: 100_000 } });
  let allowed = 0;
  for (let second = 0; second < 60; second++) allowed += send(10, second).allowed;
  expect(allowed).toBe(share);
  // The next window was not seen either.
  expect(send(1, 60).allowed).toBe(1);
});

test("a handover is the same until it is accepted, and what was counted since is another one", () => {
  states(
    "docs/development/stores.md",
    "When Redis answers again, it first gets what was counted, each handover with a number that the script remembers for the process, so that none counts twice.",
  );
  states(
    "docs/reliability.md",
    "When Redis answers again, a node first adds what it counted alone, once however often it has to try; then it uses the answers of Redis.",
  );
  const { counts, send, server } = aloneAfter(10, 2);
  send(3, 0);
  const first = counts.handoverOf("key_1");
  send(2, 4);
  expect(counts.handoverOf("key_1")).toEqual(first);
  if (first === undefined) throw new Error("nothing is handed over");
  server.reconcile(first, START + 4_000);
  expect(server.state?.minute.count).toBe(13);
  counts.accept("key_1", first.handover, server.reconcile(first, START + 4_000), START + 4_000);
  expect(counts.status(FREE, START + 4_000).minute.used).toBe(15);
  const second = counts.handoverOf("key_1");
  expect(second).toMatchObject({ handover: { number: 2, minute: { count: 2 } } });
  if (second === undefined) throw new Error("nothing is handed over");
  counts.accept("key_1", second.handover, server.reconcile(second, START + 4_000), START + 4_000);
  expect(server.state?.minute.count).toBe(15);
  expect(counts.isOpen("key_1")).toBe(false);
});

test("a handover has the latest plan of the key, and is open until its own number is accepted", () => {
  const { counts, send, server } = aloneAfter(10, 2);
  const limits = { perMinute: 300, perDay: 10_000 };
  send(1, 0);
  counts.take({ ...FREE, limits }, START, START);
  const first = counts.handoverOf("key_1");
  if (first === undefined) throw new Error("nothing is handed over");
  expect(first.subject.limits).toEqual(limits);
  const decision = server.reconcile(first, START);
  counts.accept("key_1", first.handover, decision, START);
  send(1, 1);
  const second = counts.handoverOf("key_1");
  // The answer to the first one comes twice.
  counts.accept("key_1", first.handover, decision, START);
  expect(counts.handoverOf("key_1")?.handover).toEqual(second?.handover as Handover);
});

test("an answer that is late for a handover is taken back in the next one, in both windows", () => {
  states(
    "docs/development/stores.md",
    "An answer that comes too late takes its request back from what was counted alone",
  );
  const { counts, send, server } = aloneAfter(10, 2);
  send(1, 0);
  const first = counts.handoverOf("key_1");
  if (first === undefined) throw new Error("nothing is handed over");
  counts.observeLate("key_1", server.take(FREE, undefined, START));
  counts.accept("key_1", first.handover, server.reconcile(first, START), START);
  const second = START / 1000;
  expect(counts.handoverOf("key_1")?.handover).toMatchObject({
    minute: { count: -1, resetAt: second + 60 },
    day: { count: -1, resetAt: second + 86_400 },
  });
});

test("strikes and a ban that began alone outlast what is seen meanwhile", () => {
  const { counts, send, server, subject } = aloneAfter(60, 2);
  const see = () => counts.observeLate("key_1", server.take(FREE, undefined, START + 2_000));
  send(1, 0);
  send(50, 2);
  see();
  expect(counts.status(subject, START + 2_000).strikes).toBe(50);
  send(1, 3);
  expect(send(50, 5).last?.outcome).toBe("key_banned");
  expect(counts.handoverOf("key_1")?.handover.ban).toBeDefined();
  see();
  expect(send(1, 6).last?.outcome).toBe("key_banned");
});

test("the server learns a ban that began after the last pardon, and keeps its strikes", () => {
  const window = { count: 1, resetAt: START / 1000 + 60 };
  const strikes: [number, number][] = [[START / 1000, 3]];
  const learn = (since: number) =>
    reconciled(
      { minute: window, day: window, banState: { strikes } },
      {
        subject: { ...FREE, pardonedAt: START - 1_000 },
        seen: { minute: window, day: window, ban: { since, until: START / 1000 + 300, step: 0 } },
      },
      START,
    ).banState;
  expect(learn(START - 1_000)).toEqual({ strikes });
  expect(learn(START - 999)).toMatchObject({ strikes, ban: { until: START / 1000 + 300 } });
});

test("windows that ended meanwhile are dropped", () => {
  states("docs/reliability.md", "What a node counted in a window that has ended meanwhile is dropped.");
  const { counts, send, server } = aloneAfter(10, 2);
  send(3, 0);
  const open = counts.handoverOf("key_1");
  if (open === undefined) throw new Error("nothing is handed over");
  server.reconcile(open, START + 70_000);
  expect(server.state).toMatchObject({ minute: { count: 0 }, day: { count: 13 } });
  const again = aloneAfter(10, 2);
  again.send(3, 0);
  again.send(2, 61);
  expect(again.counts.handoverOf("key_1")?.handover).toMatchObject({ minute: { count: 2 }, day: { count: 5 } });
});

test("sweep forgets what has no effect any more", () => {
  const { counts, send } = aloneAfter(1, 2);
  send(1, 0);
  counts.sweep(START + 3_600_000);
  expect(counts.openKeys()).toEqual(["key_1"]);
  counts.sweep(START + 86_400_000);
  expect(counts.openKeys()).toEqual([]);
});

test("sweep keeps a ban that is to be handed over until it ends", () => {
  const { counts, send } = aloneAfter(1, 2, { limits: { perMinute: 60, perDay: 1 } });
  send(1, 86_390);
  expect(send(100, 86_393).last?.outcome).toBe("key_banned");
  counts.sweep(START + 86_460_000);
  expect(counts.openKeys()).toEqual(["key_1"]);
  counts.sweep(START + 86_700_000);
  expect(counts.openKeys()).toEqual([]);
});

test("sweep keeps the burst of a key in mind until it is over", () => {
  const { counts, send, server } = aloneAfter(1, 2);
  expect(send(20, 0).allowed).toBe(6);
  const open = counts.handoverOf("key_1");
  if (open === undefined) throw new Error("nothing is handed over");
  counts.accept("key_1", open.handover, server.reconcile(open, START), START);
  counts.sweep(START);
  expect(send(20, 0).allowed).toBe(0);
  counts.sweep(START + 6_000);
  expect(send(20, 6).allowed).toBe(6);
});
