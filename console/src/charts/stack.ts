import type { AlignedData } from "uplot";

/** Counts of one kind by time. `colour` is a CSS custom property, without its dashes. */
export type Series = { name: string; colour: string; values: number[] };

/**
 * The data of a stacked chart with the first series at the bottom. The highest sums come first, so that the plot paints
 * each over the one before. `times` are Unix seconds.
 */
export function stacked(times: number[], series: Series[]): AlignedData {
  const sums: number[][] = [];
  const total = times.map(() => 0);
  for (const { values } of series) {
    values.forEach((value, index) => {
      total[index] = (total[index] ?? 0) + value;
    });
    sums.push([...total]);
  }
  return [times, ...sums.reverse()];
}
