import { expect, test } from "bun:test";
import { parseJson, shapeOf } from "../../src/domain/json.ts";
import { NewPet } from "../../src/domain/pets.ts";
import { collidingBodies, largestBodies, timeOf, withoutCollisions } from "./json-speed.ts";

/**
 * The fastest of RUNS is compared, because other processes only slow a run down. Below SHORTEST, in ms, JSON.parse is over before
 * its time says anything: a slow machine takes a millisecond for a body of escapes, over which JSON.parse passes at once.
 */
const SHORTEST = 0.25;
const MOST_TIMES = 8;
const RUNS = 400;

const shape = shapeOf(NewPet);

test.each(largestBodies)("the largest body, of %s, takes no more than a few times what JSON.parse takes", (_, text) => {
  const parse = parserOf(text);
  expect(ratioOf(parse, () => JSON.parse(text))).toBeLessThan(MOST_TIMES);
});

// After the bodies with escaped keys, for which Bun compiles the parser in another way.
test.each(collidingBodies)("%s take no more than a few times what others take", (_, text) => {
  expect(ratioOf(parserOf(text), parserOf(withoutCollisions(text)))).toBeLessThan(MOST_TIMES);
});

function parserOf(text: string): () => unknown {
  const bytes = new TextEncoder().encode(text);
  return () => parseJson(bytes, "The body", shape);
}

/** The time of `run` as a multiple of that of `reference`. */
function ratioOf(run: () => unknown, reference: () => unknown): number {
  const times = { run: Infinity, reference: Infinity };
  // The fastest of all runs, which the compiler needs; fewer are enough once the ratio is at half the bound.
  for (let i = 0; i < RUNS && !(times.run / Math.max(SHORTEST, times.reference) < MOST_TIMES / 2); i++) {
    times.reference = Math.min(times.reference, timeOf(reference));
    times.run = Math.min(times.run, timeOf(run));
  }
  return times.run / Math.max(SHORTEST, times.reference);
}
