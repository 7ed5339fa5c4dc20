import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { states } from "../support/markdown.ts";
import { commandFor } from "../support/runtime.ts";
import { crashRounds } from "./crash-rounds.ts";

const EARLY = fileURLToPath(new URL("serve-acknowledging-early.ts", import.meta.url));

test("the same crashes detect a store that acknowledges before it commits", async () => {
  states("docs/reliability.md", "which shows that the tests detect it.");
  states("docs/reliability.md", "A store that acknowledges before it commits fails the first test");
  const lost: string[] = [];
  // On a busy machine a crash may come before the first pet is acknowledged.
  for await (const { findings } of crashRounds(3, commandFor(EARLY))) lost.push(...findings.lost);
  expect(lost).not.toBeEmpty();
});
