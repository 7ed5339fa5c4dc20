import { readdirSync, readFileSync } from "node:fs";
import type { Registry } from "prom-client";
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import type { Awaitable } from "../../domain/awaitable.ts";

/** Adds counters, by name, whose values are read with each scrape. */
export function addCounters(registry: Registry, counters: Record<string, [help: string, value: () => number]>): void {
  for (const [name, [help, value]] of Object.entries(counters)) {
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  }
}

/** A gauge whose value is read with each scrape: undefined for none. `aggregator`: how the values of processes become one, by default their sum. */
type ReadGauge = [
  help: string,
  value: () => Awaitable<number | undefined>,
  aggregator?: "sum" | "max" | "min" | "average",
];

export function addGauges(registry: Registry, gauges: Record<string, ReadGauge>): void {
  for (const [name, [help, value, aggregator = "sum"]] of Object.entries(gauges)) {
    new Gauge({
      name,
      help,
      registers: [registry],
      aggregator,
      async collect() {
        const read = await value();
        if (read === undefined) this.remove();
        else this.set(read);
      },
    });
  }
}

export type ProcessStats = {
  /** CPU time so far, in seconds. */
  cpu(): { user: number; system: number };
  /** Resident memory, in bytes. */
  memory(): number;
  /** The start time in Unix seconds. */
  startedAt: number;
};

/**
 * Adds the standard process metrics of Prometheus clients. prom-client's `collectDefaultMetrics` also adds internals of
 * Node, which mean nothing on Bun, and timers that wake an idle process.
 */
export function addProcessMetrics(registry: Registry, stats: ProcessStats): void {
  const { cpu, memory, startedAt } = stats;
  addCounters(registry, {
    process_cpu_user_seconds_total: ["User CPU time in seconds.", () => cpu().user],
    process_cpu_system_seconds_total: ["System CPU time in seconds.", () => cpu().system],
    process_cpu_seconds_total: ["CPU time in seconds.", () => cpu().user + cpu().system],
  });
  addGauges(registry, {
    process_resident_memory_bytes: ["Resident memory in bytes.", memory],
    process_start_time_seconds: ["Start time of the process in Unix seconds.", () => startedAt, "min"],
  });
  const maxOpen = maxFileDescriptors();
  if (maxOpen === undefined) return;
  addGauges(registry, {
    process_open_fds: ["Open file descriptors.", () => openFileDescriptors() ?? maxOpen],
    process_max_fds: ["The limit of open file descriptors.", () => maxOpen],
  });
}

/** Returns undefined when no descriptor is left to read the directory with. */
function openFileDescriptors(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length - 1; // without the one that reads the directory
  } catch {
    return undefined;
  }
}

/** Undefined except on Linux. */
function maxFileDescriptors(): number | undefined {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}
