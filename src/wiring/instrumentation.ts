import manifest from "../../package.json" with { type: "json" };
import { Metrics } from "../adapters/prometheus/metrics.ts";
import type { ProcessFigures } from "../adapters/prometheus/process-figures.ts";
import type { Instrumentation } from "../domain/instrumentation.ts";
import type { Config, TracingConfig } from "./config.ts";
import type { Log } from "./log.ts";

const { version } = manifest;

/** What the process knows of itself; `runtime` is the name and version of what runs it. */
export type Self = { runtime: string; figures: ProcessFigures };

/** What is measured of a running service: figures always, traces where there is a collector for them; `watches` does both. */
export async function openInstrumentation(config: Config, self: Self, log: Log) {
  const metrics = newMetrics(config, self);
  const tracing = config.tracing && (await openTracing(config.tracing, config, log));
  const watches: Instrumentation[] = tracing === undefined ? [metrics.stores] : [tracing, metrics.stores];
  return { metrics, tracing, watches };
}

export function newMetrics({ deployment }: Config, { runtime, figures }: Self): Metrics {
  return new Metrics({ version, runtime, deployment }, figures);
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
