/**
 * `npm run test:soak -- --minutes 30`: runs services with everything on, one with SQLite and two with PostgreSQL, Redis and
 * traces, and checks that memory, file descriptors and latency stay flat and that nothing fails.
 */
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { OperatorAdministration } from "../../src/domain/operators.ts";
import { readConfig } from "../../src/wiring/config.ts";
import { openStores } from "../../src/wiring/stores.ts";
import { TESTER } from "../support/author.ts";
import { percentile } from "../support/load.ts";
import { metricsAt } from "../support/metrics.ts";
import { createKeyIn, Node } from "../support/nodes.ts";
import { freePort } from "../support/ports.ts";
import { startPostgres } from "../support/postgres.ts";
import { startRedis } from "../support/redis.ts";
import { sqliteIn } from "../support/store.ts";
import { temporaryDirectory } from "../support/temporary.ts";
import { Clients, type Secrets } from "./clients.ts";
import { startCollector } from "./collector.ts";
import { judge, type Sample } from "./course.ts";

const SAMPLES = 40;
const CLIENTS = 4;

const { values } = parseArgs({ options: { minutes: { type: "string", default: "30" } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  console.error(`--minutes must be a number above 0, not ${values.minutes}`);
  process.exit(2);
}

await using stack = new AsyncDisposableStack();
const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
stack.defer(() => postgres.remove());
stack.defer(() => redis.remove());
const collector = stack.use(await startCollector());
const sqlite = sqliteIn(temporaryDirectory());
stack.defer(() => sqlite.remove());

const shared = { DATABASE_URL: postgres.url, REDIS_URL: redis.url, PETSTORE_NODES: "2" };
const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
const services = await Promise.all(
  [
    { name: "SQLite", env: { DATABASE_URL: sqlite.url, ...traces } },
    { name: "PostgreSQL and Redis, node 1", env: { ...shared, ...traces } },
    { name: "PostgreSQL and Redis, node 2", env: { ...shared, ...traces } },
  ].map(async ({ name, env }) => {
    const node = new Node(await freePort(), env);
    await node.start();
    stack.defer(() => node.kill());
    const clients = new Clients({ url: node.url, adminUrl: node.adminUrl, ...(await createSecrets(env)) }, CLIENTS);
    const samples: Sample[] = [];
    return { name, node, clients, samples };
  }),
);

const began = performance.now();
const isFlat = () => services.every(({ samples }) => judge(samples).every((figure) => figure.isFlat));
// Other programs may slow the machine down for a while: what grows is still growing in twice the time.
for (let i = 0; i < SAMPLES || (i < 2 * SAMPLES && !isFlat()); i++) {
  await pause((minutes * 60_000) / SAMPLES);
  for (const { node, clients, samples } of services) {
    const metrics = await metricsAt(node.adminUrl);
    samples.push({
      memory: metrics.value("process_resident_memory_bytes"),
      descriptors: metrics.value("process_open_fds"),
      p99: percentile(clients.drain(), 0.99),
    });
  }
}

const duration = (performance.now() - began) / 60_000;
let isSound = true;
for (const { name, node, clients, samples } of services) {
  await clients.stop();
  const code = await node.stop();
  const judgements = judge(samples);
  const logged = Map.groupBy(
    node.log.filter(({ level }) => Number(level) >= 40),
    ({ msg }) => msg,
  );
  const count = clients.statuses.values().reduce((sum, some) => sum + some, 0);
  console.log(`${name}: ${count} requests in ${duration.toFixed(1)} minutes, exit code ${code}`);
  for (const { line } of judgements) console.log(`  ${line}`);
  console.log(`  statuses: ${JSON.stringify(Object.fromEntries(clients.statuses))}`);
  for (const failure of clients.failures.slice(0, 5)) console.log(`  failure: ${failure}`);
  for (const [message, lines] of logged) console.log(`  logged ${lines.length} times: ${message}`);
  isSound &&= code === 0 && clients.failures.length === 0 && judgements.every(({ isFlat }) => isFlat);
}
console.log(isSound ? "Everything stayed flat, and nothing failed." : "Something grew or failed.");
process.exitCode = isSound ? 0 : 1;

/** Creates two keys and an operator in the store of a service. */
async function createSecrets(env: Record<string, string>): Promise<Secrets> {
  const stores = await openStores(readConfig(env), () => {});
  try {
    const { secret: key } = await createKeyIn(stores.keys);
    const { secret: limitedKey } = await createKeyIn(stores.keys, { perMinute: 60, perDay: 1_000_000 });
    const { token } = await new OperatorAdministration(stores.operators, TESTER).create("Ada", "admin", Date.now());
    return { key, limitedKey, token };
  } finally {
    await stores.close();
  }
}
