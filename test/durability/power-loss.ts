/** `npm run test:power-loss`: what a loss of power leaves of the database at any moment. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { states } from "../support/markdown.ts";
import { runtimes } from "../support/runtimes.ts";
import { replay } from "./power-loss/replay.ts";
import { replayBackup } from "./power-loss/replay-backup.ts";
import { obstacle } from "./power-loss/trace.ts";

/** For a machine that others use: thousands of states are opened, and each of them is checked, in ms. */
const TIMEOUT = 1_800_000;

const reason = obstacle();
if (reason !== undefined) console.log(`skipped, the loss of power: ${reason}`);

describe.skipIf(reason !== undefined)("a loss of power at any moment", () => {
  let directory = "";
  beforeAll(() => {
    // In memory if possible: thousands of states are opened.
    directory = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "petstore-power-"));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test.each([
    ...runtimes.map((runtime) => [runtime, "in another thread", "ALONE"] as const),
    // SQLite syncs by itself: the runtime has no part in it.
    ["bun", "by each commit", "FULL"] as const,
  ])(
    "on %s, synced %s, loses no acknowledged pet and no count that was reported as written, and gives no id twice",
    async (runtime, place, synchronous) => {
      states(
        "docs/reliability.md",
        "Every acknowledged pet and every count that was reported as written is there, and no id is given twice.",
      );
      const {
        states: tried,
        lost,
        uncounted,
        givenTwice,
        falseAlarms,
        beside,
      } = await replay(directory, runtime, synchronous);
      console.log(`on ${runtime}, synced ${place}: ${tried} states of the disk, ${beside} syncs beside others`);
      // Fewer the slower the machine is: tens, or seven.
      if (synchronous === "ALONE") expect(beside).toBeGreaterThan(0);
      expect(falseAlarms).toBe(0);
      expect(tried).toBeGreaterThan(500);
      expect([...lost]).toEqual([]);
      expect(uncounted).toBe(0);
      expect(givenTwice).toEqual([]);
    },
    TIMEOUT,
  );

  test.each(runtimes)(
    "on %s, leaves a backup that is replaced as it was or as it becomes, and keeps it once the command has ended",
    async (runtime) => {
      const { during, after } = await replayBackup(directory, runtime);
      expect([...during].sort()).toEqual([1, 2]);
      expect(after).toBe(2);
    },
    TIMEOUT,
  );

  test(
    "with synchronous=NORMAL loses acknowledged pets, but gives no id twice",
    async () => {
      states(
        "docs/reliability.md",
        "and one with `synchronous=NORMAL` that of a loss of power, which shows that the tests detect it.",
      );
      const { lost, givenTwice } = await replay(directory, "bun", "NORMAL");
      expect(lost.size).toBeGreaterThan(0);
      expect(givenTwice).toEqual([]);
    },
    TIMEOUT,
  );
});
