import { expect, test } from "bun:test";
import { UsageBuffer } from "../../src/adapters/memory/usage.ts";
import type { Answered } from "../../src/domain/usage/counting.ts";
import { usageInterval } from "../../src/wiring/background-tasks.ts";

/** A request of a key at this minute. */
const request = (key: number, operation: Answered["operation"], minute: number): Answered => ({
  keyId: `key_${key}`,
  plan: "free",
  operation,
  method: "GET",
  status: 200,
  duration: 1,
  at: minute * 60_000,
  decision: undefined,
});

test("usage is written every two seconds, less often the more counts a write has, and every ten seconds at least", () => {
  const buffer = new UsageBuffer("test");
  let minute = 0;
  const intervalAfter = (keys: number) => {
    for (let key = 0; key < keys; key++) {
      buffer.record(request(key, "listPets", minute));
      buffer.record(request(key, "getPet", minute));
    }
    minute += 1;
    for (let key = 0; key < keys; key++) buffer.record(request(key, "getPet", minute));
    minute += 1;
    buffer.rotate();
    while (buffer.next() !== undefined) buffer.written();
    return usageInterval(buffer.rowsOfRotation);
  };
  expect([0, 1, 100, 1_000, 10_000].map(intervalAfter)).toEqual([2_000, 2_001.5, 2_150, 3_500, 10_000]);
  expect(intervalAfter(0)).toBe(2_000);
});
