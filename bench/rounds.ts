import type { Effort } from "./effort.ts";
import type { Run } from "./load.ts";

/** Something that is measured by how much it does a second. */
export type Contender = { name: string; run(seconds: number): Promise<Run> };

/** What every contender gave, a run a round. */
export type Runs<Id extends string> = Record<Id, Run[]>;

/**
 * Measures every contender once a round, after one round to warm up that does not count. Machines get faster
 * and slower from minute to minute: what is compared is measured close together, every other round backwards.
 */
export async function measureRounds<Id extends string>(
  contenders: Record<Id, Contender>,
  { rounds, seconds, warmUp }: Effort,
  tell: (progress: string) => void,
): Promise<Runs<Id>> {
  const ids = Object.keys(contenders) as Id[];
  const runs = Object.fromEntries(ids.map((id) => [id, []])) as unknown as Runs<Id>;
  tell("warming up");
  for (const id of ids) await contenders[id].run(warmUp);
  for (let round = 1; round <= rounds; round++) {
    tell(`round ${round} of ${rounds}`);
    for (const id of round % 2 === 1 ? ids : ids.toReversed()) runs[id].push(await contenders[id].run(seconds));
  }
  return runs;
}

/** The middle one of the ratios that the rounds gave. */
export function ratio(above: Run[], below: Run[]): number {
  return median(above.map(({ perSecond }, round) => perSecond / (below[round]?.perSecond ?? Number.NaN)));
}

/** The middle of what the rounds gave, a second. */
export function rate(runs: Run[]): number {
  return median(runs.map(({ perSecond }) => perSecond));
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}
