import manifest from "../package.json" with { type: "json" };
import type { Config } from "./config.ts";
import type { Log } from "./log.ts";
import type { Tracing } from "./opentelemetry/tracing.ts";
import { Measures } from "./prometheus/measures.ts";
import type { ProcessFigures } from "./prometheus/process-figures.ts";
import type { Watch } from "./watch.ts";

/** What is measured of a running service: figures always, traces where there is a collector for them. */
export type Measuring = { measures: Measures; tracing: Tracing | undefined; watches: Watch[] };

const { version } = manifest;

/** What the process knows of itself; `runtime` is the name and version of what runs it. */
export type Self = { runtime: string; figures: ProcessFigures };

export async function openMeasuring(config: Config, self: Self, log: Log): Promise<Measuring> {
  const { deployment, tracing: traced } = config;
  const measures = newMeasures(config, self);
  if (traced === undefined) return { measures, tracing: undefined, watches: [measures.stores] };
  // Loaded only here: without a collector nobody pays for it.
  const { Tracing } = await import("./opentelemetry/tracing.ts");
  const tracing = new Tracing(
    { ...traced, version, deployment },
    {
      onAway: (err) => log.warn({ err }, "traces cannot be sent and are dropped until the collector takes them"),
      onReturn: () => log.info("the collector takes traces again"),
    },
  );
  return { measures, tracing, watches: [tracing, measures.stores] };
}

export function newMeasures({ deployment }: Config, { runtime, figures }: Self): Measures {
  return new Measures({ version, runtime, deployment }, figures);
}
