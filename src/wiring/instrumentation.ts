import manifest from "../../package.json" with { type: "json" };
import { Metrics } from "../adapters/prometheus/metrics.ts";
import type { Deployment } from "../domain/deployment.ts";
import type { Instrumentation } from "../domain/instrumentation.ts";
import type { Config, TracingConfig } from "./config.ts";
import type { Log } from "./log.ts";
import type { Runtime } from "./runtime.ts";

const { version } = manifest;

/** Opens metrics, and traces if a collector is configured. `instrumentations` records calls of dependencies for both. */
export async function openInstrumentation(
  { deployment, tracing }: Pick<Config, "deployment" | "tracing">,
  runtime: Runtime,
  log: Log,
) {
  const metrics = newMetrics(deployment, runtime);
  if (tracing === undefined) return { metrics, tracing: undefined, instrumentations: [metrics.stores] };
  const traces = await openTracing(tracing, deployment, log);
  const instrumentations: Instrumentation[] = [traces, metrics.stores];
  return { metrics, tracing: traces, instrumentations };
}

export function newMetrics(deployment: Deployment, runtime: Runtime): Metrics {
  return new Metrics({ version, runtime: runtime.name, deployment }, runtime.process);
}

async function openTracing(tracing: TracingConfig, deployment: Deployment, log: Log) {
  // Loaded only with a collector: it takes time and memory.
  const { Tracing } = await import("../adapters/opentelemetry/tracing.ts");
  return new Tracing(
    { ...tracing, version, deployment },
    {
      onFailure: (err) => log.warn({ err }, "traces cannot be sent and are dropped until the collector takes them"),
      onRecovery: () => log.info("the collector takes traces again"),
    },
  );
}
