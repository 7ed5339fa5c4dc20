import { expect, test } from "bun:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ConnectionLost, KeepAliveConnection, requestText } from "../support/keep-alive.ts";
import { states } from "../support/markdown.ts";
import { countedBefore } from "./counted.ts";
import { Program } from "./program.ts";
import { createKey, StoreDirectory } from "./store-directory.ts";

/** What a crash may lose at most (docs/limits.md), in ms. */
const MOST_LOST = 1_000;
const BETWEEN_REQUESTS = 2;

test("a crash at any moment loses at most the last second's counts", async () => {
  states("docs/upgrading.md", "Counters, bans, last use | at most the last second is lost");
  using directory = new StoreDirectory();
  const secret = await createKey(directory.path);
  const before = await Program.start({ directory: directory.path });
  const answeredAt: number[] = [];
  const requests = async () => {
    const connection = await KeepAliveConnection.open(before.url);
    for (;;) {
      await connection.request(requestText("GET", "/v1/pets", secret));
      answeredAt.push(performance.now());
      await sleep(BETWEEN_REQUESTS);
    }
  };
  const ended = requests().catch(ignoreLoss);
  await sleep(2_000 + Math.random() * 1_000);
  const killedAt = performance.now();
  await before.kill();
  await ended;

  const after = await Program.start({ directory: directory.path });
  const kept = await countedBefore(after.url, secret);
  await after.kill();
  expect(kept).toBeWithin(answeredAt.filter((at) => at < killedAt - MOST_LOST).length, answeredAt.length + 2);
});

function ignoreLoss(error: unknown): void {
  if (!(error instanceof ConnectionLost)) throw error;
}
