import { expect, test } from "bun:test";
import pino from "pino";
import { ClockComparison } from "../../src/wiring/health.ts";

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

test("of several servers, the one that differs most counts", async () => {
  const servers = { near: async () => NOW - 5_000, far: async () => NOW + 40_000 };
  const comparison = new ClockComparison(servers, () => NOW, pino({ level: "silent" }));
  await comparison.compare();
  expect(comparison.seconds).toBe(-40);
});

test("without a server there is nothing to compare", async () => {
  const comparison = new ClockComparison({}, () => NOW, pino({ level: "silent" }));
  await comparison.compare();
  expect(comparison.seconds).toBe(0);
  comparison.requireAgreement();
});
