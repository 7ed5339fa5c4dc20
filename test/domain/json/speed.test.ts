import { expect, test } from "bun:test";
import { parseJson } from "../../../src/domain/json/parse.ts";
import { shapeOf } from "../../../src/domain/json/shape.ts";
import { NewPet } from "../../../src/domain/pets.ts";
import { largestBodies } from "./largest-bodies.ts";

/**
 * The fastest of many runs is compared, because other processes only slow a run down: of more runs, while they still do. Below
 * SHORTEST, in ms, JSON.parse is over before its time says anything.
 */
const SHORTEST = 0.1;
const MOST_TIMES = 8;
const RUNS = 41;
const MOST_RUNS = 400;

const shape = shapeOf(NewPet);

test.each(largestBodies)("the largest body, of %s, takes no more than a few times what JSON.parse takes", (_, text) => {
  const bytes = new TextEncoder().encode(text);
  const times = { plain: [] as number[], exact: [] as number[] };
  const ratio = () => Math.min(...times.exact) / Math.max(SHORTEST, Math.min(...times.plain));
  for (let i = 0; i < RUNS || (i < MOST_RUNS && ratio() >= MOST_TIMES); i++) {
    times.plain.push(timeOf(() => JSON.parse(text)));
    times.exact.push(timeOf(() => parseJson(bytes, "The body", shape)));
  }
  expect(ratio()).toBeLessThan(MOST_TIMES);
});

function timeOf(run: () => unknown): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}
