import { expect, test } from "bun:test";
import { Batches } from "../../../src/adapters/postgres/batches.ts";

/** Batches of at most `size`, and the runs so far; each run ends when `finish` is called. */
function newBatches(size: number) {
  const runs: { items: number[]; finish: (error?: Error) => void }[] = [];
  const run = (items: number[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<string[]>();
    const results = items.map((item) => `result of ${item}`);
    runs.push({ items, finish: (error) => (error === undefined ? resolve(results) : reject(error)) });
    return promise;
  };
  const batches = new Batches<number, string>(run, { maxSize: size });
  return { batches, runs };
}

/** Lets the batches of this turn of the event loop begin. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

test("items share batches of bounded size, and two batches run at a time", async () => {
  const { batches, runs } = newBatches(3);
  const results = [0, 1, 2, 3, 4].map((item) => batches.add(item));
  await turn();
  expect(runs.map(({ items }) => items)).toEqual([[0, 1, 2]]);
  results.push(batches.add(5), batches.add(6));
  await turn();
  results.push(batches.add(7));
  await turn();
  const two = [
    [0, 1, 2],
    [3, 4, 5],
  ];
  expect(runs.map(({ items }) => items)).toEqual(two);
  runs[1]?.finish();
  await turn();
  expect(runs.map(({ items }) => items)).toEqual([...two, [6, 7]]);
  for (const { finish } of runs) finish();
  expect(await Promise.all(results)).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((item) => `result of ${item}`));
  const next = batches.add(8);
  await turn();
  runs[3]?.finish();
  expect(await next).toBe("result of 8");
});

test("a failed batch fails its items and those that wait, and no later ones", async () => {
  const { batches, runs } = newBatches(2);
  const results = [0, 1, 2].map((item) => batches.add(item));
  await turn();
  runs[0]?.finish(new Error("no server"));
  const outcomes = await Promise.allSettled(results);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  const next = batches.add(3);
  await turn();
  runs[1]?.finish();
  expect(await next).toBe("result of 3");
});
