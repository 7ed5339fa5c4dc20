import { expect, test } from "bun:test";
import fc from "fast-check";
import { MemoryLimiter } from "../../../src/adapters/memory/limiter.ts";
import { SqliteCounters } from "../../../src/adapters/sqlite/counters.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { noActivity } from "../../../src/domain/keys/store.ts";
import type { Clock } from "../../../src/domain/time.ts";
import { limiterConformance, type OpenedLimiter } from "../../conformance/limiter.ts";
import { limits, pause } from "../../domain/limits/schedules.ts";
import { idsOf } from "../../support/changed-states.ts";
import { holds } from "../../support/holds.ts";
import { temporaryFile } from "../sqlite/temporary.ts";

/** Counting in memory, kept in a SQLite file while it does not run: what a single node does. */
function open(clock: Clock): OpenedLimiter {
  const file = temporaryFile();
  let limiter = new MemoryLimiter(clock);
  return {
    limiter,
    async restart() {
      limiter.sweep();
      const database = new Database(file);
      const counters = new SqliteCounters(database);
      await counters.save(limiter.drain(), noActivity());
      limiter = new MemoryLimiter(clock, await counters.load());
      database.close();
      return limiter;
    },
    close: () => file.remove(),
  };
}

limiterConformance("Memory", open);

const subject = { id: "key_1", limits: { perMinute: 5, perDay: 50 } };

test("takeAtOnce decides as take where it allows the request, with or without open windows, and counts nothing otherwise", () => {
  holds(
    fc.property(fc.array(pause, { minLength: 1, maxLength: 40, size: "max" }), limits, (pauses, limits) => {
      let now = 0;
      const [atOnce, usual] = [new MemoryLimiter(() => now), new MemoryLimiter(() => now)];
      for (const pause of pauses) {
        now += pause;
        const before = structuredClone(atOnce.stateOf("key_1"));
        const decision = atOnce.takeAtOnce({ id: "key_1", limits });
        const expected = usual.take({ id: "key_1", limits });
        expect(decision).toEqual(expected.outcome === "allowed" ? expected : undefined);
        if (decision === undefined) {
          expect(atOnce.stateOf("key_1")).toEqual(before);
          expect(atOnce.take({ id: "key_1", limits })).toEqual(expected);
        }
      }
      const [ours, theirs] = [atOnce.drain(), usual.drain()];
      expect(ours.places).toEqual(theirs.places);
      expect([...ours.states]).toEqual([...theirs.states]);
    }),
  );
});

test("drain returns what changed since the last call, and again what was requeued", () => {
  const limiter = new MemoryLimiter(() => 0);
  limiter.take(subject);
  const drained = limiter.drain();
  expect(idsOf(drained)).toEqual(["key_1"]);
  expect(limiter.drain().places).toEqual([]);
  limiter.requeue(drained.places);
  expect(idsOf(limiter.drain())).toEqual(["key_1"]);
  limiter.take(subject);
  const changed = limiter.drain();
  expect(idsOf(changed)).toEqual(["key_1"]);
  expect(changed.states.get("key_1")?.minute.count).toBe(2);
});

test("sweep removes the state of a key after its day, and drain returns the key", () => {
  let now = 0;
  const limiter = new MemoryLimiter(() => now);
  limiter.take(subject);
  limiter.drain();
  now = 86_400_000 - 1;
  limiter.sweep();
  expect(limiter.drain().places).toEqual([]);
  now = 86_400_000;
  limiter.sweep();
  expect(idsOf(limiter.drain())).toEqual(["key_1"]);
  expect(limiter.stateOf("key_1")).toBeUndefined();
});

test("sweeps look at 2,000 keys each, and go on where the last one ended", () => {
  let now = 0;
  const limiter = new MemoryLimiter(() => now);
  for (let i = 0; i < 5_000; i++) limiter.take({ ...subject, id: `key_${i}` });
  limiter.drain();
  now = 86_400_000;
  const removed = () => {
    limiter.sweep();
    return limiter.drain().places.length;
  };
  expect([removed(), removed(), removed(), removed()]).toEqual([2_000, 2_000, 1_000, 0]);
  limiter.take(subject);
  limiter.drain();
  now *= 2;
  expect(removed()).toBe(1);
});
