import type { Decision } from "../limits/limiter.ts";

/** The name for requests to no operation, from wrong paths to preflights. */
export const OTHER = "other";

/** A request under /v1 and the status of its response. */
export type Answered = {
  /** Undefined without a valid key. */
  keyId: string | undefined;
  /** The name of its operation, or `OTHER`. */
  operation: string;
  method: string;
  status: number;
  /** From its arrival until its answer was made, in ms. */
  duration: number;
  /** When it was answered, in Unix milliseconds. */
  at: number;
  /** What the limits decided; undefined where the request was not counted. */
  decision: Decision | undefined;
};

/** Records every request under /v1, once, after its response is made. Each request waits for it: it only counts. */
export interface RequestRecorder {
  record(request: Answered): void;
}
