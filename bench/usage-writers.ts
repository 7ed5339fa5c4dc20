import { setTimeout as pause } from "node:timers/promises";
import { UsageBuffer } from "../src/adapters/memory/usage.ts";
import { Database } from "../src/adapters/postgres/database.ts";
import { migrate } from "../src/adapters/postgres/migrate.ts";
import { PostgresUsage } from "../src/adapters/postgres/usage.ts";
import { lengthOf, startOf, TOTAL } from "../src/domain/usage/counting.ts";
import { usageInterval } from "../src/wiring/background-tasks.ts";
import { type Postgres, startPostgres } from "../test/support/postgres.ts";
import { logProgress, scriptOptions, table } from "./figures.ts";

const USAGE = `bun bench/usage-writers.ts [--keys N] [--seconds N] [--shared]

Benchmarks the usage that 1, 20 and 45 processes write to one PostgreSQL at once, each of 1,000 keys unless --keys says
otherwise: of its own, or with --shared the same for all. First without a pause, then as the service does.`;

const PROCESSES = [1, 20, 45];

const values = scriptOptions(USAGE, {
  keys: { type: "string", default: "1000" },
  seconds: { type: "string", default: "15" },
  shared: { type: "boolean", default: false },
});
const [keys, seconds] = [Number(values.keys), Number(values.seconds)];
const rows: string[][] = [];
for (const isPaced of [false, true]) for (const count of PROCESSES) rows.push(await measure(count, isPaced));
console.log(
  table(["Processes", "pace", "writes per second", "longest lag, s", "failures", "HOT, %", "log per write, kB"], rows),
);

/** What a process counted, wrote and waited for. */
type Process = { database: Database; store: PostgresUsage; buffer: UsageBuffer; counted: number };
type Figures = { writes: number; failures: number; lag: number };

async function measure(count: number, isPaced: boolean): Promise<string[]> {
  logProgress(`${count} processes, ${isPaced ? "as the service" : "without a pause"}`);
  const postgres = await startPostgres({ settings: { max_connections: "400", fsync: "on", shared_buffers: "256MB" } });
  const first = new Database(postgres.url, 3, () => {});
  await migrate(first, "production");
  await first.close();
  const processes = Array.from({ length: count }, (_, i): Process => {
    const database = new Database(postgres.url, 3, () => {});
    return { database, store: new PostgresUsage(database), buffer: new UsageBuffer(`writer ${i}`), counted: 0 };
  });
  try {
    const figures: Figures = { writes: 0, failures: 0, lag: 0 };
    const [before, begun] = [await walOf(postgres), performance.now()];
    await Promise.all(
      processes.map((one, i) => run(one, { number: i, end: begun + seconds * 1_000, isPaced, figures })),
    );
    const elapsed = (performance.now() - begun) / 1_000;
    const written = (await walOf(postgres)) - before;
    await requireExact(processes);
    const hot = await hotShare(postgres);
    return [
      String(count),
      isPaced ? "as the service" : "none",
      (figures.writes / elapsed).toFixed(0),
      (figures.lag / 1_000).toFixed(1),
      String(figures.failures),
      (hot * 100).toFixed(1),
      (written / 1_000 / figures.writes).toFixed(0),
    ];
  } finally {
    await Promise.all(processes.map(({ database }) => database.close()));
    await postgres.remove();
  }
}

async function run(
  process: Process,
  { number, end, isPaced, figures }: { number: number; end: number; isPaced: boolean; figures: Figures },
): Promise<void> {
  const { buffer, store } = process;
  let since = performance.now();
  // Processes do not start together.
  if (isPaced) await pause(Math.random() * 2_000);
  while (performance.now() < end) {
    const next = performance.now();
    for (let key = 0; key < keys; key++) {
      const keyId = values.shared ? `key_${key}` : `key_${number}_${key}`;
      const at = Date.now();
      buffer.record({
        keyId,
        plan: "free",
        operation: "listPets",
        method: "GET",
        status: 200,
        duration: 1,
        at,
        decision: undefined,
      });
      process.counted += 1;
    }
    buffer.rotate();
    for (let write = buffer.next(); write !== undefined; ) {
      try {
        await store.add(write);
      } catch (error) {
        console.error(error instanceof Error ? error.cause : error);
        figures.failures += 1;
        continue;
      }
      buffer.written();
      figures.writes += 1;
      write = buffer.next();
    }
    // From the first request that the write before did not have.
    figures.lag = Math.max(figures.lag, performance.now() - since);
    since = next;
    if (isPaced) await pause(usageInterval(buffer.rowsOfRotation));
  }
}

/** @throws when a request is missing or counted twice */
async function requireExact(processes: Process[]): Promise<void> {
  const counted = processes.reduce((sum, process) => sum + process.counted, 0);
  const now = Date.now();
  const day = [startOf("day", now - lengthOf.hour), startOf("day", now)];
  const stored = await processes[0]?.store.usageOf(TOTAL, { day: [...new Set(day)] });
  const sum = (stored ?? []).reduce((total, { counts }) => total + (counts[0] ?? 0), 0);
  if (sum !== counted) throw new Error(`${counted} requests were counted, ${sum} are stored`);
}

async function walOf(postgres: Postgres): Promise<number> {
  const [row] = await postgres.query("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes");
  return Number(row?.bytes);
}

/** The share of changes of rows of usage that stayed on their page. */
async function hotShare(postgres: Postgres): Promise<number> {
  // Sessions report what they did when they are idle for a second.
  await pause(2_000);
  const [row] = await postgres.query(
    `SELECT sum(n_tup_hot_upd)::float8 / nullif(sum(n_tup_upd), 0)::float8 AS share FROM pg_stat_user_tables
     WHERE relname IN ('usage', 'usage_latency', 'usage_rankings')`,
  );
  return Number(row?.share);
}
