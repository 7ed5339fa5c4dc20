import type { AlignedData } from "uplot";

/** One kind of what is counted: its name, the custom property of its colour, and its counts by moment. */
export type Series = { name: string; colour: string; values: number[] };

/**
 * Series upon each other, the first one lowest, as the chart draws them: the highest sum first, so that each is painted
 * over by those below it. `times` are Unix seconds.
 */
export function stacked(times: number[], series: Series[]): AlignedData {
  const sums: number[][] = [];
  const reached = times.map(() => 0);
  for (const { values } of series) {
    values.forEach((value, at) => {
      reached[at] = (reached[at] ?? 0) + value;
    });
    sums.push([...reached]);
  }
  return [times, ...sums.reverse()];
}
