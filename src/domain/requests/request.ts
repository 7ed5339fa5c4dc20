import type { Answered } from "../usage/recorder.ts";

/** A request under /v1 with what the request history keeps of it beside its counts. `error` is the code of its response. */
export type AnsweredRequest = Answered & { requestId: string; path: string; error: string | undefined };

/** Records every request under /v1 once, after its response was created. Each request waits for this: keep it fast. */
export interface RequestHistoryRecorder {
  record(request: AnsweredRequest): void;
}

/** What a window had left after a request. */
export type WindowLeft = { limit: number; remaining: number };

/**
 * A request as the history has it: neither its query, nor headers, bodies, addresses or secrets. `at` is the time of its
 * response in Unix ms, `duration` is in ms.
 */
export type PastRequest = {
  /** Where it is in the history. It is also its place in the order of a list. */
  id: string;
  requestId: string;
  at: number;
  /** Undefined without a valid key. */
  keyId: string | undefined;
  /** The id of its operation, or `OTHER`. */
  operation: string;
  method: string;
  path: string;
  status: number;
  error: string | undefined;
  duration: number;
  /** What it rehearsed, as its response says it in Petstore-Simulated. */
  simulated: string | undefined;
  /** The windows of its key, or that of its address without a valid key; undefined where it was not counted. */
  minute: WindowLeft | undefined;
  day: WindowLeft | undefined;
};
