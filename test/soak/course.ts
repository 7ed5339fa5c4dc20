import { percentile } from "../support/load.ts";

/** A period of a service's run. */
export type Sample = { memory: number; descriptors: number; p99: number };

type Rule = { name: keyof Sample; unit: string; per: number; factor: number; more: number };

/** The last quarter may exceed the second by this factor, and by so much more, in the unit of the figure. */
const rules: Rule[] = [
  { name: "memory", unit: "MB", per: 1_048_576, factor: 1.1, more: 32 * 1_048_576 },
  { name: "descriptors", unit: "file descriptors", per: 1, factor: 1, more: 8 },
  { name: "p99", unit: "ms", per: 1, factor: 1.5, more: 20 },
];

const median = (numbers: number[]) => percentile(numbers, 0.5);

/** Compares the medians of the second quarter, after the start, with those of the last one. Returns a line per figure. */
export function judge(samples: Sample[]): { line: string; isFlat: boolean }[] {
  const quarter = Math.floor(samples.length / 4);
  return rules.map(({ name, unit, per, factor, more }) => {
    const before = median(samples.slice(quarter, 2 * quarter).map((sample) => sample[name]));
    const after = median(samples.slice(-quarter).map((sample) => sample[name]));
    const isFlat = after <= before * factor + more;
    const [from, to] = [before, after].map((figure) => (figure / per).toFixed(per === 1 && name === "p99" ? 1 : 0));
    return { line: `${name}: ${from} to ${to} ${unit}${isFlat ? "" : ", which is not flat"}`, isFlat };
  });
}
