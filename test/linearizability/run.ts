/**
 * `npm run test:linearizability`: a mixed load over three nodes and PostgreSQL with a standby, which are killed meanwhile.
 * Porcupine checks that each call had its effect at one moment between its request and its answer. Needs Go. Options:
 *   --operations N   so many calls, by default 50,000
 *   --planted        the nodes have a race (serve-racing.ts), which the check must detect
 */
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { violations } from "../durability/invariants.ts";
import { MixedLoad } from "../support/mixed-load.ts";
import { startNodes } from "../support/nodes.ts";
import { type Postgres, startStandby } from "../support/postgres.ts";
import { removeTemporaryDirectories, temporaryDirectory } from "../support/temporary.ts";
import { History } from "./history.ts";
import { outages } from "./outages.ts";

const RACING = fileURLToPath(new URL("serve-racing.ts", import.meta.url));
/** A server is killed after so many calls. */
const BETWEEN_OUTAGES = 2_500;

const { values } = parseArgs({
  options: { operations: { type: "string", default: "50000" }, planted: { type: "boolean", default: false } },
});
const operations = Number(values.operations);
if (!Number.isInteger(operations) || operations < 1) {
  console.error(`--operations must be a whole number above 0, not ${values.operations}`);
  process.exit(2);
}

process.exitCode = 1;
const history = new History(temporaryDirectory());
const broken = await record();
for (const violation of broken) console.log(violation);
const isLinearizable = await history.isLinearizable();
if (values.planted)
  console.log(isLinearizable ? "The planted race was not detected." : "The planted race was detected.");
const isAsExpected = values.planted ? !isLinearizable : isLinearizable && broken.length === 0;
if (isAsExpected) {
  removeTemporaryDirectories();
  process.exitCode = 0;
}

/** Records the history. Returns what is wrong in the store at the end. */
async function record(): Promise<string[]> {
  await using stack = new AsyncDisposableStack();
  const { nodes, standby } = await startReplicated();
  stack.defer(() => nodes.remove());
  stack.defer(() => standby.remove());
  const urls = nodes.nodes.map(({ url }) => url);
  const { secret } = await nodes.createKey();
  const load = new MixedLoad({ secret, record: (entry) => history.add(entry) });
  const failures = values.planted ? [] : outages(nodes, standby, Math.floor(operations / BETWEEN_OUTAGES));
  const share = operations / (failures.length + 1);

  const began = performance.now();
  let failed = 0;
  const fail = async () => {
    for (const outage of failures) {
      while (load.answered < share * (failed + 1)) await pause(20);
      await outage();
      failed += 1;
    }
  };
  await Promise.all([load.run(urls, () => load.answered >= operations && failed === failures.length), fail()]);
  const seconds = Math.round((performance.now() - began) / 1000);
  const statuses = [...load.statuses].sort().map(([status, count]) => `${count} × ${status}`);
  console.log(`${load.answered} calls answered in ${seconds} s, through ${failed} outages: ${statuses.join(", ")}`);
  const [url = ""] = urls;
  await load.readAll(url);
  // Without `await` the nodes would stop first.
  return await violations(url, secret);
}

/** Three nodes on PostgreSQL with a synchronous standby, which takes over when the nodes cannot reach the primary. */
async function startReplicated() {
  let standby: Postgres | undefined;
  const nodes = await startNodes({
    count: 3,
    program: values.planted ? RACING : undefined,
    postgres: { synchronous_standby_names: "*" },
    urls: async (primary) => {
      standby = await startStandby(primary, { wal_retrieve_retry_interval: "100ms" });
      return { DATABASE_URL: primary.url.replace(/127.0.0.1:\d+/, `$&,127.0.0.1:${standby.port}`) };
    },
  });
  if (standby === undefined) throw new Error("the standby was not started");
  return { nodes, standby };
}
