import { expect, test } from "bun:test";
import type { Instrumentation } from "../../src/domain/instrumentation.ts";
import { instrumented, instrumenter } from "../../src/wiring/instrumentation.ts";

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
