import type { Listen } from "../adapters/listen/listener.ts";
import type { ProcessFigures } from "../adapters/prometheus/process-figures.ts";

/** What runs the service. */
export type Runtime = {
  /** Name and version, such as `Bun 1.4.5`. */
  name: string;
  listen: Listen;
  process: ProcessFigures;
};
