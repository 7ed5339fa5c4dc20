import type { Registry } from "prom-client";
import Counter from "prom-client/lib/counter.js";
import { observed } from "../../domain/awaitable.ts";
import { type Instrumentation, type InstrumentedCall, isFailure } from "../../domain/instrumentation.ts";
import { Durations } from "./durations.ts";

/** Records the durations and failures of calls of stores. */
export class StoreCalls implements Instrumentation {
  readonly #durations: Durations<"store" | "operation">;
  readonly #failures: Counter<"store" | "operation">;

  constructor(registry: Registry) {
    const labelNames: ["store", "operation"] = ["store", "operation"];
    this.#durations = new Durations({
      name: "petstore_store_duration_seconds",
      help: "Duration of calls of the store, including failed ones.",
      labelNames,
      registry,
    });
    this.#failures = new Counter({
      name: "petstore_store_errors_total",
      help: "Failed calls of the store. A refused request is not a failure.",
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
