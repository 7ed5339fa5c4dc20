import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { IN_MEMORY } from "../../src/adapters/sqlite/errors.ts";
import type { Instrumentation } from "../../src/domain/instrumentation.ts";
import { readConfig } from "../../src/wiring/config.ts";
import { instrumented, instrumenter } from "../../src/wiring/instrumentation.ts";
import { openStores } from "../../src/wiring/stores.ts";

import { states } from "../support/markdown.ts";

class Names {
  readonly #names = ["Rex"];

  list(limit: number): string[] {
    return this.#names.slice(0, limit);
  }

  async add(name: string): Promise<void> {
    this.#names.push(name);
  }

  revision(): number {
    return this.#names.length;
  }
}

class MoreNames extends Names {}

test("calls of the methods that are named are recorded by each instrumentation, the first outermost", async () => {
  const calls: string[] = [];
  const recorder = (name: string): Instrumentation => ({
    of: (engine, operation) => (call) => {
      calls.push(`${name} ${engine} ${operation}`);
      return call();
    },
  });
  const instrument = instrumenter("sqlite", [recorder("traces"), recorder("metrics")]);
  const names = instrumented(new MoreNames(), "names", ["list", "add"], instrument);
  expect(names.list(5)).toEqual(["Rex"]);
  expect(calls).toEqual(["traces sqlite names.list", "metrics sqlite names.list"]);
  await names.add("Tom");
  expect(names.revision()).toBe(2);
  expect(calls).toHaveLength(4);
});

test("each call of a store that an operation of clients makes is recorded, and what is written in the background", async () => {
  states("docs/monitoring.md", "Duration of calls to a store: `sqlite` or `postgresql`, and `redis`.");
  const folder = join(import.meta.dir, "../../src/adapters/http/operations");
  const called = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(/\b(?:pets|categories|orders)\.\w+(?=\()/g)].map(
      ([name]) => name,
    ),
  );
  // A number in memory, by which it is decided whether a list is asked for at all.
  const needed = new Set(called.filter((name) => name !== "pets.revision"));
  const others = ["pets.list", "categories.list", "orders.list", "orders.counts", "keys.findBySecret"];
  for (const name of [...others, "counters.save", "usage.add"]) needed.add(name);
  expect(needed).toContain("pets.createAll");
  const recorded: string[] = [];
  const instrumentation: Instrumentation = {
    of: (engine, operation) => {
      recorded.push(`${engine} ${operation}`);
      return (call) => call();
    },
  };
  const config = { ...readConfig({}), database: { engine: "sqlite" as const, path: IN_MEMORY } };
  const stores = await openStores(config, () => {}, [instrumentation]);
  await stores.close();
  expect([...needed].filter((name) => !recorded.includes(`sqlite ${name}`))).toEqual([]);
});
