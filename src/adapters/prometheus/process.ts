import { readdirSync, readFileSync } from "node:fs";
import type { Registry } from "prom-client";
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import type { Awaitable } from "../../domain/awaitable.ts";

/** Adds a counter whose value is read with each scrape. */
export function addCounter(registry: Registry, name: string, help: string, value: () => number): void {
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

/** Adds a gauge whose value is read with each scrape: undefined for none. `aggregator`: how the values of processes become one. */
export function addGauge(
  registry: Registry,
  name: string,
  help: string,
  value: () => Awaitable<number | undefined>,
  aggregator: "sum" | "max" | "min" | "average" = "sum",
): void {
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
  addCounter(registry, "process_cpu_user_seconds_total", "User CPU time in seconds.", () => cpu().user);
  addCounter(registry, "process_cpu_system_seconds_total", "System CPU time in seconds.", () => cpu().system);
  addCounter(registry, "process_cpu_seconds_total", "CPU time in seconds.", () => {
    const { user, system } = cpu();
    return user + system;
  });
  addGauge(registry, "process_resident_memory_bytes", "Resident memory in bytes.", memory);
  const help = "Start time of the process in Unix seconds.";
  addGauge(registry, "process_start_time_seconds", help, () => startedAt, "min");
  addFileDescriptors(registry);
}

/** Only on Linux. */
function addFileDescriptors(registry: Registry): void {
  const max = maxFileDescriptors();
  if (max === undefined) return;
  addGauge(registry, "process_open_fds", "Open file descriptors.", () => openFileDescriptors() ?? max);
  addGauge(registry, "process_max_fds", "The limit of open file descriptors.", () => max);
}

/** Returns undefined when no descriptor is left to read the directory with. */
function openFileDescriptors(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length - 1; // without the one that reads the directory
  } catch {
    return undefined;
  }
}

function maxFileDescriptors(): number | undefined {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}
