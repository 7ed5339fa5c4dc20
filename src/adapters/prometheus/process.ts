import { readdirSync, readFileSync } from "node:fs";
import type { Registry } from "prom-client";
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";

/** Statistics of this process. */
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
  const registers = [registry];
  const seconds = (name: string, help: string, value: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(value());
      },
    });
  seconds("process_cpu_user_seconds_total", "User CPU time in seconds.", () => stats.cpu().user);
  seconds("process_cpu_system_seconds_total", "System CPU time in seconds.", () => stats.cpu().system);
  seconds("process_cpu_seconds_total", "CPU time in seconds.", () => {
    const { user, system } = stats.cpu();
    return user + system;
  });
  new Gauge({
    name: "process_resident_memory_bytes",
    help: "Resident memory in bytes.",
    registers,
    collect() {
      this.set(stats.memory());
    },
  });
  new Gauge({
    name: "process_start_time_seconds",
    help: "Start time of the process in Unix seconds.",
    registers,
    aggregator: "min",
  }).set(stats.startedAt);
  addFileDescriptors(registry);
}

/** Only on Linux. */
function addFileDescriptors(registry: Registry): void {
  const max = maxFileDescriptors();
  if (max === undefined) return;
  const registers = [registry];
  new Gauge({
    name: "process_open_fds",
    help: "Open file descriptors.",
    registers,
    collect() {
      this.set(openFileDescriptors() ?? max);
    },
  });
  new Gauge({ name: "process_max_fds", help: "The limit of open file descriptors.", registers }).set(max);
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
