import { Counter, type Registry } from "prom-client";
import type { Decision, Outcome } from "../../domain/limits/limiter.ts";
import type { Answered, RequestRecorder } from "../../domain/usage/recorder.ts";
import { Durations, type Series } from "./durations.ts";

/** Methods that have a label of their own: all others share one, so that clients cannot add new ones. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "other"];

/** How often the limits decided what. Anonymous clients have no day's quota, and are not banned. */
type Decisions = Partial<Record<Outcome, number>>;
const OF_KEYS: Decisions = { allowed: 0, rate_limit_exceeded: 0, quota_exceeded: 0, key_banned: 0 };
const OF_ADDRESSES: Decisions = { allowed: 0, rate_limit_exceeded: 0 };

/** Counts the requests under /v1, how long they took, and what the limits made of them. */
export class RequestMetrics implements RequestRecorder {
  readonly #durations: Durations<"operation" | "method" | "status">;
  /** By operation, then by method and status in one number. */
  readonly #series = new Map<string, Map<number, Series<"operation" | "method" | "status">>>();
  readonly #decisions = { key: { ...OF_KEYS }, address: { ...OF_ADDRESSES } };
  #bans = 0;

  constructor(registry: Registry) {
    const labelNames: ["operation", "method", "status"] = ["operation", "method", "status"];
    const registers = [registry];
    const series = this.#series;
    new Counter({
      name: "petstore_http_requests_total",
      help: "Requests under /v1 that were answered.",
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
      help: "From the arrival of a request under /v1 until its answer was made.",
      labelNames,
      registry,
    });
    const decisions = Object.entries(this.#decisions);
    new Counter({
      name: "petstore_limiter_decisions_total",
      help: "What the limits made of requests: of those with a valid key, and of anonymous clients by their address.",
      labelNames: ["limit", "outcome"],
      registers,
      collect() {
        this.reset();
        for (const [limit, counts] of decisions) {
          for (const [outcome, count] of Object.entries(counts)) this.inc({ limit, outcome }, count);
        }
      },
    });
    const bans = () => this.#bans;
    new Counter({
      name: "petstore_bans_total",
      help: "Bans of API keys that began.",
      registers,
      collect() {
        this.reset();
        this.inc(bans());
      },
    });
  }

  record({ operation, method, status, duration, keyId, decision }: Answered): void {
    const place = METHODS.indexOf(method);
    const methodAt = place === -1 ? METHODS.length - 1 : place;
    const ofOperation = this.#series.get(operation) ?? new Map();
    if (ofOperation.size === 0) this.#series.set(operation, ofOperation);
    const at = methodAt * 1_000 + status;
    let series = ofOperation.get(at);
    if (series === undefined) {
      series = this.#durations.add({ operation, method: METHODS[methodAt] ?? "other", status });
      ofOperation.set(at, series);
    }
    series.observe(duration);
    if (decision !== undefined)
      this.#decided(keyId === undefined ? this.#decisions.address : this.#decisions.key, decision);
  }

  #decided(decisions: Decisions, { outcome, beginsBan }: Decision): void {
    decisions[outcome] = (decisions[outcome] ?? 0) + 1;
    if (beginsBan) this.#bans += 1;
  }
}
