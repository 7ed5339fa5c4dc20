import manifest from "../../package.json" with { type: "json" };
import { Measures } from "../adapters/prometheus/measures.ts";
import type { ProcessFigures } from "../adapters/prometheus/process-figures.ts";
import type { Watch } from "../domain/watch.ts";
import type { Config, TracingConfig } from "./config.ts";
import type { Log } from "./log.ts";

const { version } = manifest;

/** What the process knows of itself; `runtime` is the name and version of what runs it. */
export type Self = { runtime: string; figures: ProcessFigures };

/** What is measured of a running service: figures always, traces where there is a collector for them; `watches` does both. */
export async function openMeasuring(config: Config, self: Self, log: Log) {
  const measures = newMeasures(config, self);
  const tracing = config.tracing && (await openTracing(config.tracing, config, log));
  const watches: Watch[] = tracing === undefined ? [measures.stores] : [tracing, measures.stores];
  return { measures, tracing, watches };
}

export function newMeasures({ deployment }: Config, { runtime, figures }: Self): Measures {
  return new Measures({ version, runtime, deployment }, figures);
}

async function openTracing(tracing: TracingConfig, { deployment }: Config, log: Log) {
  // Loaded only here: without a collector nobody pays for it.
  const { Tracing } = await import("../adapters/opentelemetry/tracing.ts");
  return new Tracing(
    { ...tracing, version, deployment },
    {
      onAway: (err) => log.warn({ err }, "traces cannot be sent and are dropped until the collector takes them"),
      onReturn: () => log.info("the collector takes traces again"),
    },
  );
}
