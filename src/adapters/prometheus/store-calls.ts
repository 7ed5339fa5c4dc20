import { Counter, type Registry } from "prom-client";
import { observed } from "../../domain/awaitable.ts";
import { type Instrumentation, type InstrumentedCall, isFailure } from "../../domain/instrumentation.ts";
import { Durations } from "./durations.ts";

type Failures = { store: string; operation: string; count: number };

/** How long the calls of stores take, and how many fail. */
export class StoreCalls implements Instrumentation {
  readonly #durations: Durations<"store" | "operation">;
  readonly #failures: Failures[] = [];

  constructor(registry: Registry) {
    const labelNames: ["store", "operation"] = ["store", "operation"];
    this.#durations = new Durations({
      name: "petstore_store_duration_seconds",
      help: "How long calls of the store took, also those that failed.",
      labelNames,
      registry,
    });
    const all = this.#failures;
    new Counter({
      name: "petstore_store_errors_total",
      help: "Calls of the store that failed; what a request is refused for is no failure.",
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        for (const { store, operation, count } of all) this.inc({ store, operation }, count);
      },
    });
  }

  of(store: string, operation: string): InstrumentedCall {
    const series = this.#durations.add({ store, operation });
    const failures = { store, operation, count: 0 };
    this.#failures.push(failures);
    return (call) => {
      const began = performance.now();
      return observed(call, (thrown) => {
        series.observe(performance.now() - began);
        if (thrown !== undefined && isFailure(thrown.error)) failures.count += 1;
      });
    };
  }
}
