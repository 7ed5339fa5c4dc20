import { expect, test } from "bun:test";
import pino from "pino";
import { type CheckDatabase, ClockComparison, DamageReport } from "../../src/wiring/health.ts";
import { states } from "../support/markdown.ts";

const NOW = Date.UTC(2026, 11, 2, 10);

/** A comparison with a server whose clock is at `state.server`, and the messages that it logs. */
function newComparison() {
  const state = { own: NOW, server: NOW };
  const messages: string[] = [];
  const log = pino({ level: "info" }, { write: (line) => void messages.push(JSON.parse(line).msg) });
  const comparison = new ClockComparison({ server: async () => state.server }, () => state.own, log);
  return { state, messages, comparison };
}

test.each([
  [2_000, true, 0],
  [2_001, true, 1],
  [30_000, true, 1],
  [30_001, false, 1],
  [600_000, false, 1],
])("a difference of %d ms, ahead or behind: ready %p, messages %d", async (difference, isReady, count) => {
  states("docs/running.md", "It warns above 2 s, and is not ready above 30 s.");
  for (const sign of [1, -1]) {
    const { state, messages, comparison } = newComparison();
    state.own += sign * difference;
    await comparison.compare();
    await comparison.compare();
    expect(comparison.seconds).toBe((sign * difference) / 1_000);
    if (isReady) comparison.requireAgreement();
    else expect(() => comparison.requireAgreement()).toThrow(expect.objectContaining({ code: "service_unavailable" }));
    expect(messages).toHaveLength(count);
  }
});

test("each change is logged once, and a corrected clock is ready again", async () => {
  states(
    "CHANGELOG.md",
    "nodes compare their clock with those of PostgreSQL and Redis, at the start and every minute. They warn above a difference of 2 s, and are not ready above 30 s.",
  );
  states(
    "docs/monitoring.md",
    "`this node's clock differs from the servers'`, `this node's clock is wrong: it is not ready` | warn, error | The clock differs by more than 2 or 30 s from that of PostgreSQL or Redis:",
  );
  states("docs/monitoring.md", "Logged with each change; `this node's clock agrees with the servers' again` follows.");
  const { state, messages, comparison } = newComparison();
  for (const difference of [0, 5_000, 6_000, 600_000, 500_000, 0, 0]) {
    state.own = NOW + difference;
    await comparison.compare();
  }
  comparison.requireAgreement();
  expect(messages).toEqual([
    "this node's clock differs from the servers'",
    "this node's clock is wrong: it is not ready",
    "this node's clock agrees with the servers' again",
  ]);
});

test("the log says how far the clock is ahead, and of which servers", async () => {
  states("docs/monitoring.md", "`seconds` says how far it is ahead.");
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level: "info" }, { write: (line) => void logged.push(JSON.parse(line)) });
  const servers = { postgres: async () => NOW + 5_500, redis: async () => NOW };
  await new ClockComparison(servers, () => NOW, log).compare();
  expect(logged).toMatchObject([{ level: 40, seconds: -5.5, servers: ["postgres", "redis"] }]);
});

test("of several servers, the one that differs most counts", async () => {
  states(
    "docs/monitoring.md",
    "How far the node's clock is ahead of that of PostgreSQL or Redis, whichever differs more;",
  );
  const servers = { near: async () => NOW - 5_000, far: async () => NOW + 40_000 };
  const comparison = new ClockComparison(servers, () => NOW, pino({ level: "silent" }));
  await comparison.compare();
  expect(comparison.seconds).toBe(-40);
});

test("of several nodes, all say that a server's clock is wrong, and one alone that its own is", async () => {
  states(
    "docs/upgrading.md",
    "`/readyz` is 503; the log says `this node's clock is wrong` | The clock of the node, of PostgreSQL or of Redis is wrong: if all nodes say so, it is a server's. | Synchronise it (NTP).",
  );
  const saying = async (postgres: number, nodes: number[]) => {
    const messages: string[] = [];
    const log = pino({ level: "info" }, { write: (line) => void messages.push(JSON.parse(line).msg) });
    for (const node of nodes) await new ClockComparison({ postgres: async () => postgres }, () => node, log).compare();
    return messages.filter((message) => message.startsWith("this node's clock is wrong")).length;
  };
  expect(await saying(NOW + 60_000, [NOW, NOW, NOW])).toBe(3);
  expect(await saying(NOW, [NOW, NOW - 60_000, NOW])).toBe(1);
});

test("without a server there is nothing to compare", async () => {
  states("docs/monitoring.md", "0 with SQLite alone.");
  const comparison = new ClockComparison({}, () => NOW, pino({ level: "silent" }));
  await comparison.compare();
  expect(comparison.seconds).toBe(0);
  comparison.requireAgreement();
});

/** A report, and the lines that it logs. */
function newReport() {
  const lines: string[] = [];
  const report = new DamageReport(pino({ base: null }, { write: (line: string) => void lines.push(line) }));
  return { report, logged: () => lines.map((line) => JSON.parse(line)) };
}

/** A check that ends only when it is aborted. */
const endless: CheckDatabase = (signal) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

test("a check that reaches its time limit is reported, with what to do", async () => {
  states("docs/monitoring.md", "A warning instead: the check did not end.");
  states("docs/monitoring.md", "A warning instead: the check did not end.");
  const { report, logged } = newReport();
  await report.check(endless, 20);
  expect(logged()).toMatchObject([
    {
      level: 40,
      seconds: 0.02,
      msg: "the last stop was unclean, and the check of the database did not end: run `petstore database check`",
    },
  ]);
  expect(report.isDamaged).toBe(false);
});

test("a check that fails is reported with the reason", async () => {
  const { report, logged } = newReport();
  await report.check(() => Promise.reject(new Error("no process can be started")));
  expect(logged()).toMatchObject([{ level: 40, err: { message: "no process can be started" } }]);
});

test("a start that reports a loss does not call the database intact afterwards", async () => {
  states("docs/monitoring.md", "`… the check found no other damage` if the start reported lost pets.");
  states("docs/monitoring.md", "`lost` has the range of ids");
  states("docs/monitoring.md", "`… the check found no other damage` if the start reported lost pets.");
  const { report, logged } = newReport();
  report.reportLost({ from: 6, to: 25 });
  await report.check(() => Promise.resolve({ problems: [], lost: { from: 6, to: 25 } }));
  expect(logged()).toMatchObject([
    { level: 50, lost: { from: 6, to: 25 }, msg: expect.stringContaining("acknowledged pets are lost") },
    { level: 30, msg: "the last stop was unclean; the check found no other damage" },
  ]);
  expect(report.isDamaged).toBe(true);
});

test("damage that a request meets is reported once, and other failures of the database are not", () => {
  states("docs/monitoring.md", "Or a request met it: `err` has SQLite's error.");
  states("docs/upgrading.md", "and so is the first damaged page that a request meets.");
  const { report, logged } = newReport();
  const failure = (message: string, errcode: number) => Object.assign(new Error(message), { errcode });
  report.notice(failure("database is locked", 5));
  report.notice(new Error("the disk is full"));
  expect(report.isDamaged).toBe(false);
  for (let i = 0; i < 2; i++) report.notice(failure("database disk image is malformed", 11));
  expect(report.isDamaged).toBe(true);
  expect(logged()).toMatchObject([
    {
      level: 50,
      err: { message: "database disk image is malformed" },
      msg: expect.stringContaining("the database is damaged"),
    },
  ]);
});

test("a file that is no database any more is damage, too", () => {
  const { report, logged } = newReport();
  report.notice(Object.assign(new Error("file is not a database"), { errcode: 26 }));
  expect([report.isDamaged, logged().length]).toEqual([true, 1]);
});

test("a stop ends a check without a line", async () => {
  const { report, logged } = newReport();
  const ended = report.check(endless);
  report[Symbol.dispose]();
  await ended;
  expect(logged()).toEqual([]);
});
