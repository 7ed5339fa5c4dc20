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
  /** The share of its bar from which a measure passes: short runs are noisy. */
  passesFrom: number;
};

export const FULL: Effort = {
  name: "full",
  rounds: 7,
  seconds: 3,
  warmUp: 2,
  constantRate: 8,
  memoryLoad: 60,
  passesFrom: 1,
};

export const QUICK: Effort = {
  name: "quick",
  rounds: 3,
  seconds: 2,
  warmUp: 1,
  constantRate: 3,
  memoryLoad: 20,
  passesFrom: 0.7,
};
