import { readdirSync, readFileSync } from "node:fs";
import { Counter, Gauge, type Registry } from "prom-client";

/** What a process knows of itself. */
export type ProcessFigures = {
  /** Processor time so far, in seconds. */
  cpu(): { user: number; system: number };
  /** Resident memory, in bytes. */
  memory(): number;
  /** When it started, in Unix seconds. */
  startedAt: number;
};

/**
 * The process's figures under the names that every Prometheus client gives them. prom-client's `collectDefaultMetrics`
 * brings Node's internals along, which mean nothing on Bun, and timers that keep an idle process awake.
 */
export function addProcessFigures(registry: Registry, figures: ProcessFigures): void {
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
  seconds("process_cpu_user_seconds_total", "User processor time, in seconds.", () => figures.cpu().user);
  seconds("process_cpu_system_seconds_total", "System processor time, in seconds.", () => figures.cpu().system);
  seconds("process_cpu_seconds_total", "Processor time, in seconds.", () => {
    const { user, system } = figures.cpu();
    return user + system;
  });
  new Gauge({
    name: "process_resident_memory_bytes",
    help: "Resident memory, in bytes.",
    registers,
    collect() {
      this.set(figures.memory());
    },
  });
  new Gauge({
    name: "process_start_time_seconds",
    help: "When the process started, in Unix seconds.",
    registers,
    aggregator: "min",
  }).set(figures.startedAt);
  addFileDescriptors(registry);
}

/** On Linux alone. */
function addFileDescriptors(registry: Registry): void {
  const most = mostFileDescriptors();
  if (most === undefined) return;
  const registers = [registry];
  new Gauge({
    name: "process_open_fds",
    help: "File descriptors that are open.",
    registers,
    collect() {
      this.set(openFileDescriptors() ?? most);
    },
  });
  new Gauge({ name: "process_max_fds", help: "File descriptors that may be open.", registers }).set(most);
}

/** Undefined where none is left to read them with. */
function openFileDescriptors(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length - 1; // without the one that reads them
  } catch {
    return undefined;
  }
}

function mostFileDescriptors(): number | undefined {
  try {
    const most = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return most === undefined ? undefined : Number(most);
  } catch {
    return undefined;
  }
}
