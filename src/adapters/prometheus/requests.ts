import type { Registry } from "prom-client";
import Counter from "prom-client/lib/counter.js";
import type { Decision, Outcome } from "../../domain/limits/limits.ts";
import type { Simulation } from "../../domain/simulation.ts";
import {
  type Answered,
  columnOf,
  countedPlans,
  PlanCounts,
  type RequestRecorder,
  statusClasses,
} from "../../domain/usage/counting.ts";
import { Durations, type Series } from "./durations.ts";

/** Methods with their own label. All others share one, so that clients cannot create series. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other"];

/** The outcomes of each limit. Anonymous clients have no daily quota and are not banned. */
const OUTCOMES = {
  key: ["allowed", "rate_limit_exceeded", "quota_exceeded", "key_banned"],
  address: ["allowed", "rate_limit_exceeded"],
} as const satisfies Record<string, Outcome[]>;
type Limit = keyof typeof OUTCOMES;

/** Records the requests under /v1, their durations, their plans, and the decisions of the limits. */
export class RequestMetrics implements RequestRecorder {
  readonly #durations: Durations<"operation" | "method" | "status">;
  /** By operation, then by method and status in one number. */
  readonly #series = new Map<string, Map<number, Series<"operation" | "method" | "status">>>();
  readonly #plans = new PlanCounts(statusClasses.length);
  /** By limit, then by outcome. Each request counts here: prom-client's `inc` takes 0.1 µs. */
  readonly #decisions: Record<Limit, Map<Outcome, number>> = { key: zeros("key"), address: zeros("address") };
  readonly #bans: Counter;
  readonly #simulated: Counter<"operation" | "simulation">;

  constructor(registry: Registry) {
    const labelNames: ["operation", "method", "status"] = ["operation", "method", "status"];
    const registers = [registry];
    const series = this.#series;
    new Counter({
      name: "petstore_http_requests_total",
      help: "Requests under /v1.",
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const ofOperation of series.values()) {
          for (const { labels, count } of ofOperation.values()) this.inc(labels, count);
        }
      },
    });
    this.#durations = new Durations({
      name: "petstore_http_request_duration_seconds",
      help: "Time from the arrival of a request under /v1 until its response was created.",
      labelNames,
      registry,
    });
    const plans = this.#plans;
    new Counter({
      name: "petstore_plan_requests_total",
      help: "Requests under /v1 by the plan that their key had then, or none, and by the class of their status.",
      labelNames: ["plan", "class"],
      registers,
      collect() {
        this.reset();
        for (const plan of countedPlans) {
          const counts = plans.get(plan);
          for (const [i, name] of statusClasses.entries()) this.inc({ plan, class: name }, counts[i]);
        }
      },
    });
    const decisions = this.#decisions;
    new Counter({
      name: "petstore_limiter_decisions_total",
      help: "Decisions of the limits: for requests with a valid key, and for others by client address.",
      labelNames: ["limit", "outcome"],
      registers,
      collect() {
        this.reset();
        for (const limit of ["key", "address"] as const) {
          for (const [outcome, count] of decisions[limit]) this.inc({ limit, outcome }, count);
        }
      },
    });
    this.#simulated = new Counter({
      name: "petstore_simulated_requests_total",
      help: "Requests under /v1 on staging whose response was simulated. No other metric of requests counts them.",
      labelNames: ["operation", "simulation"],
      registers,
    });
    this.#bans = new Counter({ name: "petstore_bans_total", help: "Bans of API keys.", registers });
  }

  record({ operation, method, status, duration, keyId, plan, decision, simulation }: Answered): void {
    if (simulation === undefined) {
      this.#seriesOf(operation, method, status).observe(duration);
      this.#plans.increment(plan, columnOf(status));
    } else this.#simulated.inc({ operation, simulation: kindOf(simulation) });
    if (decision !== undefined) this.#recordDecision(keyId === undefined ? "address" : "key", decision);
  }

  #seriesOf(operation: Answered["operation"], method: string, status: number) {
    const known = METHODS.indexOf(method);
    const methodAt = known === -1 ? METHODS.length - 1 : known;
    const ofOperation = this.#series.get(operation) ?? new Map();
    if (ofOperation.size === 0) this.#series.set(operation, ofOperation);
    const at = methodAt * 1_000 + status;
    let series = ofOperation.get(at);
    if (series === undefined) {
      series = this.#durations.add({ operation, method: METHODS[methodAt] ?? "other", status });
      ofOperation.set(at, series);
    }
    return series;
  }

  #recordDecision(limit: Limit, { outcome, beginsBan }: Decision): void {
    const counts = this.#decisions[limit];
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    if (beginsBan) this.#bans.inc();
  }
}

/** The label of a simulation: its error code or its cut, otherwise the first of its other elements. */
function kindOf({ code, cut, now }: Simulation): string {
  return code ?? cut ?? (now === undefined ? "delay" : "now");
}

function zeros(limit: Limit): Map<Outcome, number> {
  return new Map(OUTCOMES[limit].map((outcome) => [outcome, 0]));
}
