/** Parses each of the largest bodies often, one after another, and prints the fastest times as JSON. */
import { parseJson } from "../../../src/domain/json/parse.ts";
import { shapeOf } from "../../../src/domain/json/shape.ts";
import { NewPet } from "../../../src/domain/pets.ts";
import { largestBodies } from "./largest-bodies.ts";

/** By content, in ms: the time of parsing the body, and that of a simple loop over it. */
export type Times = Record<string, { parse: number; loop: number }>;

const RUNS = 501;
const shape = shapeOf(NewPet);

if (import.meta.main) console.log(JSON.stringify(timesOfAll()));

function timesOfAll(): Times {
  return Object.fromEntries(largestBodies.map(([content, text]) => [content, timesOf(text)]));
}

function timesOf(text: string): { parse: number; loop: number } {
  const bytes = new TextEncoder().encode(text);
  const times = { parse: Infinity, loop: Infinity };
  for (let run = 0; run < RUNS; run += 1) {
    times.parse = Math.min(
      times.parse,
      timeOf(() => parseJson(bytes, "The body", shape)),
    );
    times.loop = Math.min(
      times.loop,
      timeOf(() => hashOf(bytes)),
    );
  }
  return times;
}

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
