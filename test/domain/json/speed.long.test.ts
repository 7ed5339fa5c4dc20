import { expect, test } from "bun:test";
import { parseJson } from "../../../src/domain/json/parse.ts";
import { shapeOf } from "../../../src/domain/json/shape.ts";
import { NewPet } from "../../../src/domain/pets/pet.ts";
import { largestBodies } from "./largest-bodies.ts";

const RUNS = 501;
/** The most that a body may keep other requests waiting, in ms. */
const MOST = 1;

const shape = shapeOf(NewPet);

test.each(largestBodies)("the largest body, of %s, is parsed within a millisecond", (_, text) => {
  const bytes = new TextEncoder().encode(text);
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    parseJson(bytes, "The body", shape);
    return performance.now() - start;
  });
  // The fastest: other tests run beside this one.
  expect(Math.min(...times)).toBeLessThan(MOST);
});
