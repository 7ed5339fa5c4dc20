import { Counter, type Registry } from "prom-client";
import { observed } from "../../domain/awaitable.ts";
import { type Instrumentation, type InstrumentedCall, isFailure } from "../../domain/instrumentation.ts";
import { Durations } from "./durations.ts";

/** Records how long the calls of stores take, and how many fail. */
export class StoreCalls implements Instrumentation {
  readonly #durations: Durations<"store" | "operation">;
  readonly #failures: Counter<"store" | "operation">;

  constructor(registry: Registry) {
    const labelNames: ["store", "operation"] = ["store", "operation"];
    this.#durations = new Durations({
      name: "petstore_store_duration_seconds",
      help: "How long calls of the store took, also those that failed.",
      labelNames,
      registry,
    });
    this.#failures = new Counter({
      name: "petstore_store_errors_total",
      help: "Calls of the store that failed; a refused request is no failure.",
      labelNames,
      registers: [registry],
    });
  }

  of(store: string, operation: string): InstrumentedCall {
    const series = this.#durations.add({ store, operation });
    this.#failures.inc({ store, operation }, 0);
    return (call) => {
      const startedAt = performance.now();
      return observed(call, (thrown) => {
        series.observe(performance.now() - startedAt);
        if (thrown !== undefined && isFailure(thrown.error)) this.#failures.inc({ store, operation });
      });
    };
  }
}
