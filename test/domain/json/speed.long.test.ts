import { expect, test } from "bun:test";
import { parseJson } from "../../../src/domain/json/parse.ts";
import { shapeOf } from "../../../src/domain/json/shape.ts";
import { NewPet } from "../../../src/domain/pets/pet.ts";
import { largestBodies } from "./largest-bodies.ts";

const LEAST_RUNS = 501;
/** Other tests run beside this one, and may slow it down for seconds: so long it looks for a fast run, in ms. */
const PATIENCE = 10_000;
/** The most that a body may keep other requests waiting, in ms. */
const MOST = 1;
/** The same as a multiple of the time of a simple loop over the body: on a slow or shared core it is more than that. */
const LOOPS = 9;

const shape = shapeOf(NewPet);

test.each(largestBodies)(
  "the largest body, of %s, is parsed within a millisecond",
  (_, text) => {
    const bytes = new TextEncoder().encode(text);
    const began = performance.now();
    let [fastest, loop] = [Infinity, Infinity];
    const most = () => Math.max(MOST, LOOPS * loop);
    for (let run = 0; run < LEAST_RUNS || (fastest >= most() && performance.now() - began < PATIENCE); run += 1) {
      fastest = Math.min(
        fastest,
        timeOf(() => parseJson(bytes, "The body", shape)),
      );
      loop = Math.min(
        loop,
        timeOf(() => hashOf(bytes)),
      );
    }
    expect(fastest).toBeLessThan(most());
  },
  2 * PATIENCE,
);

function timeOf(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function hashOf(bytes: Uint8Array): number {
  let hash = 0;
  for (let i = 0; i < bytes.length; i += 1) hash = (hash * 31 + Number(bytes[i])) | 0;
  return hash;
}
