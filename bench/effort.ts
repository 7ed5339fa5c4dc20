/** How long and how often things are measured. Durations are whole seconds, which is all that wrk takes. */
export type Effort = {
  /** Every contender is measured once a round. */
  rounds: number;
  seconds: number;
  warmUp: number;
  /** How long the list is asked for at a constant rate. */
  constantRate: number;
  /** How long the service is under load before its memory is read. */
  memoryLoad: number;
  starts: number;
};

export const FULL: Effort = { rounds: 5, seconds: 4, warmUp: 2, constantRate: 15, memoryLoad: 60, starts: 5 };
export const QUICK: Effort = { rounds: 2, seconds: 2, warmUp: 1, constantRate: 4, memoryLoad: 10, starts: 5 };
