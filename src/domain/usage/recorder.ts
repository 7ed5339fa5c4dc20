import type { Decision } from "../limits/limiter.ts";
import type { Plan } from "../limits/plans.ts";
import type { Simulation } from "../simulation/simulation.ts";

/** The operation of requests that match none, such as wrong paths and preflights. */
export const OTHER = "other";
/** The operation in whose place the usage of simulated requests is counted. */
export const SIMULATED = "simulated";

/** A request under /v1 and the status of its response. */
export type Answered = {
  /** Undefined without a valid key. */
  keyId: string | undefined;
  /** The plan of its key at this time. */
  plan?: Plan | undefined;
  /** The id of its operation, or `OTHER`. */
  operation: string;
  method: string;
  status: number;
  /** From its arrival until its response was created, in ms. */
  duration: number;
  /** The time of its response in Unix milliseconds. */
  at: number;
  /** What the limits decided; undefined where the request was not counted. */
  decision: Decision | undefined;
  /** What the request rehearsed. */
  simulation?: Simulation | undefined;
};

/** Records every request under /v1 once, after its response was created. Each request waits for this: keep it fast. */
export interface RequestRecorder {
  record(request: Answered): void;
}
