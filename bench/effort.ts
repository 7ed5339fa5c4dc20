/** The durations and repetitions of a run. Durations are whole seconds: wrk accepts no others. */
export type Effort = {
  name: "full" | "quick";
  rounds: number;
  /** The load on each subject in a round, and once before the first round. */
  seconds: number;
  warmUp: number;
  /** The load at a constant rate in a round. */
  constantRate: number;
  /** The load before the memory is read. */
  memoryLoad: number;
  /** Whether a benchmark that misses its target fails. Short rounds, possibly on a busy machine, only report it. */
  isStrict: boolean;
};

export const FULL: Effort = {
  name: "full",
  rounds: 7,
  seconds: 3,
  warmUp: 2,
  constantRate: 8,
  memoryLoad: 60,
  isStrict: true,
};

export const QUICK: Effort = {
  name: "quick",
  rounds: 3,
  seconds: 2,
  warmUp: 1,
  constantRate: 3,
  memoryLoad: 20,
  isStrict: false,
};
