import type { Registry } from "prom-client";
import { Durations } from "./durations.ts";

/** The interval of the timer whose delay is observed, in ms. */
const INTERVAL = 100;

/**
 * Observes how much later than asked for a timer fires: so long does a request wait for the event loop. A histogram, which
 * processes can add up and which any number of scrapes can read. `monitorEventLoopDelay` has neither property, and includes
 * the interval of its timer on Node but not on Bun.
 */
export class EventLoopDelay implements Disposable {
  readonly #timer: NodeJS.Timeout;

  constructor(registry: Registry) {
    const durations = new Durations({
      name: "petstore_event_loop_delay_seconds",
      help: "How much later than asked for a timer of 100 ms fires: so long do requests wait for the process.",
      labelNames: [],
      registry,
    });
    const series = durations.add({});
    let startedAt = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      series.observe(Math.max(0, now - startedAt - INTERVAL));
      startedAt = now;
    }, INTERVAL).unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
