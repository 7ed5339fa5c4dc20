/** How long and how often things are measured. Durations are whole seconds, which is all that wrk takes. */
export type Effort = {
  name: "full" | "quick";
  rounds: number;
  /** How long each subject is under load in a round, and once before the first round. */
  seconds: number;
  warmUp: number;
  /** How long the list is asked for at a constant rate in a round. */
  constantRate: number;
  /** How long the service is under load before its memory is read. */
  memoryLoad: number;
  /** Whether a measure that misses its bar fails. Rounds that are too short, on a machine that may be busy, only show it. */
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
