import type { Registry } from "prom-client";
import Gauge from "prom-client/lib/gauge.js";

/** Numbers that the store knows, the same on each node. Undefined as long as the store has not answered. */
export type StoreStatistics = {
  keys: Record<string, number> | undefined;
  pets: Record<string, number> | undefined;
  orders: Record<string, number> | undefined;
  /** In bytes. */
  databaseSize: number | undefined;
  /** When the store last answered all of it, in Unix ms; 0 before. */
  readAt: number;
};

/** Adds gauges of the store. `statistics` resolves in time for a scrape, with what is known. */
export function addStoreStatistics(registry: Registry, statistics: () => Promise<StoreStatistics>): void {
  const registers = [registry];
  const counts = (name: "keys" | "pets" | "orders", label: string, help: string) =>
    new Gauge({
      name: `petstore_${name}`,
      help,
      labelNames: [label],
      registers,
      async collect() {
        const counted = (await statistics())[name] ?? {};
        for (const [value, count] of Object.entries(counted)) this.set({ [label]: value }, count);
      },
    });
  counts("keys", "state", "API keys by state.");
  counts("pets", "status", "Pets by status.");
  counts("orders", "status", "Orders by status.");
  new Gauge({
    name: "petstore_database_size_bytes",
    help: "Size of the database: of the SQLite file and its write-ahead log, or of the database in PostgreSQL.",
    registers,
    async collect() {
      const { databaseSize } = await statistics();
      if (databaseSize === undefined) this.remove();
      else this.set(databaseSize);
    },
  });
  new Gauge({
    name: "petstore_store_statistics_timestamp_seconds",
    help: "When the store last answered with keys, pets, orders and its size, in Unix seconds; 0 before.",
    registers,
    async collect() {
      this.set((await statistics()).readAt / 1_000);
    },
  });
}
