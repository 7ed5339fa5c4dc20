import type { Registry } from "prom-client";
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";

export type BackupSource = {
  /** The interval of the schedule in seconds; 0 without one. */
  every: number;
  /** When the last good backup was made, in Unix ms, and its size; undefined before the first since the start. */
  latest: () => { at: number; bytes: number } | undefined;
  /** How many attempts have failed since the start. */
  failures: () => number;
};

/** Adds the metrics of backups. A good one is written, checked, and copied to the bucket if there is one. */
export function addBackupMetrics(registry: Registry, { every, latest, failures }: BackupSource): void {
  const registers = [registry];
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      aggregator: "max",
      collect() {
        this.set(value());
      },
    });
  gauge("petstore_backup_interval_seconds", "The interval of scheduled backups; 0 without a schedule.", () => every);
  gauge(
    "petstore_backup_last_success_timestamp_seconds",
    "When the last good backup was made, in Unix seconds; 0 if none is known since the start.",
    () => (latest()?.at ?? 0) / 1000,
  );
  gauge("petstore_backup_size_bytes", "The size of the last good backup.", () => latest()?.bytes ?? 0);
  new Counter({
    name: "petstore_backup_failures_total",
    help: "Backups that could not be written, checked or copied to the bucket.",
    registers,
    collect() {
      this.reset();
      this.inc(failures());
    },
  });
}
