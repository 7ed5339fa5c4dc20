import type { Listen } from "../adapters/listen/listener.ts";
import type { ProcessStats } from "../adapters/prometheus/process-metrics.ts";

/** The JavaScript runtime of this process. */
export type Runtime = {
  /** Name and version, such as `Bun 1.4.5`. */
  name: string;
  listen: Listen;
  process: ProcessStats;
};
