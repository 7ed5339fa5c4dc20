import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "../support/client.ts";
import { states } from "../support/markdown.ts";
import { startService } from "../support/service.ts";
import { startPetstore, Workplace } from "./petstore.ts";

const staging = { PETSTORE_DEPLOYMENT: "staging" };
/** As many as a reset takes. */
const MANY = 10_000;
const KILLS = 12;
/** How many files alternate: each has pets of one name. */
const NAMES = ["Rex", "Mia"];

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, number) => total + number, 0);

/** The names of a page, and how many pets there are. */
async function seenBy(client: Client): Promise<{ names: string[]; count: number }> {
  const page = await client.get("/v1/pets?limit=100");
  const { body } = await client.get("/v1/store/inventory");
  expect([page.status]).toEqual([200]);
  return { names: [...new Set<string>(page.body.map(({ name }: { name: string }) => name))], count: sum(body) };
}

describe.each(["sqlite", "postgres"] as const)("a reset of staging on %s", (engine) => {
  test("is seen whole or not at all, and one that is killed changes all or nothing", async () => {
    states(
      "docs/data.md",
      "It is one transaction, while the service runs, on any number of nodes: clients see what was there before, or what is there afterwards, also if the command is interrupted.",
    );
    const service = await startService({ store: engine, env: staging });
    const client = await service.withKey();
    const petstore = new Workplace(service);
    for (const name of NAMES) {
      writeFileSync(petstore.path(`${name}.csv`), `name,categoryId\n${`${name},1\n`.repeat(MANY)}`);
    }
    const args = (name: string) => ["staging", "reset", "--seed", `${name}.csv`, "--yes"];
    const startedAt = performance.now();
    expect((await petstore.run(args("Rex"), { env: staging })).code).toBe(0);
    const duration = performance.now() - startedAt;

    let isOver = false;
    const unlike: unknown[] = [];
    const reading = (async () => {
      while (!isOver) {
        const { names, count } = await seenBy(client);
        if (names.length !== 1 || count !== MANY) unlike.push({ names, count });
        await pause(5);
      }
    })();
    let killed = 0;
    for (let round = 0; round < KILLS; round++) {
      const child = startPetstore(service.store, args(String(NAMES[round % 2])), staging);
      const ended = once(child, "exit");
      // Most of the time goes to the start of the command: the second half has the transaction.
      const kill = setTimeout(() => child.kill("SIGKILL"), duration * (0.5 + (0.6 * round) / KILLS));
      await ended;
      clearTimeout(kill);
      if (child.signalCode !== null) killed += 1;
      const { names, count } = await seenBy(client);
      expect({ names: names.length, count }).toEqual({ names: 1, count: MANY });
    }
    isOver = true;
    await reading;
    expect(unlike).toEqual([]);
    expect(killed).toBeGreaterThan(0);
    // PostgreSQL may still be at the one that was killed last: another waits for it.
    expect((await petstore.run(args("Mia"), { env: staging })).code).toBe(0);
    const created = await client.post("/v1/pets", { name: "After", categoryId: 1 });
    expect(created.status).toBe(201);
    const newest = (await client.get("/v1/pets?order=desc&limit=2")).body;
    expect(newest.map(({ name }: { name: string }) => name)).toEqual(["After", expect.any(String)]);
    await service.remove();
  });
});
