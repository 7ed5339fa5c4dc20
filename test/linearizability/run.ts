/**
 * `npm run test:linearizability`: a mixed load on one node with SQLite, then on three with PostgreSQL, which are killed
 * meanwhile. Porcupine checks that each call had its effect at one moment between its request and its answer. Needs Go.
 *   --operations N   so many calls each, by default 50,000
 *   --planted        three nodes with a race (serve-racing.ts), which the check must detect
 */
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { violations } from "../durability/invariants.ts";
import { MixedLoad } from "../support/mixed-load.ts";
import { removeTemporaryDirectories, temporaryDirectory } from "../support/temporary.ts";
import { History } from "./history.ts";
import { startOneNode } from "./one-node.ts";
import type { System } from "./system.ts";
import { startThreeNodes } from "./three-nodes.ts";

const RACING = fileURLToPath(new URL("serve-racing.ts", import.meta.url));
/** A server is killed after so many calls. */
const BETWEEN_KILLS = 2_500;

const { values } = parseArgs({
  options: { operations: { type: "string", default: "50000" }, planted: { type: "boolean", default: false } },
});
const operations = Number(values.operations);
if (!Number.isInteger(operations) || operations < 1) {
  console.error(`--operations must be a whole number above 0, not ${values.operations}`);
  process.exit(2);
}

process.exitCode = 1;
if (values.planted ? await isRaceDetected() : await areSound()) {
  process.exitCode = 0;
  removeTemporaryDirectories();
}

async function isRaceDetected(): Promise<boolean> {
  const history = new History(temporaryDirectory());
  await using system = await startThreeNodes(0, RACING);
  await record({ ...system, outages: [] }, history);
  const isDetected = (await history.isLinearizable()) === false;
  console.log(isDetected ? "The planted race was detected." : "The planted race was not detected.");
  return isDetected;
}

async function areSound(): Promise<boolean> {
  const kills = Math.floor(operations / BETWEEN_KILLS);
  let sound = 0;
  const starts = [startOneNode, startThreeNodes];
  for (const start of starts) if (await isSound(() => start(kills))) sound += 1;
  return sound === starts.length;
}

/** Where it takes too long to decide, another history is recorded. */
async function isSound(start: () => Promise<System>, tries = 3): Promise<boolean> {
  const history = new History(temporaryDirectory());
  const broken = await recordOn(start, history);
  for (const violation of broken) console.log(violation);
  const isLinearizable = await history.isLinearizable();
  if (isLinearizable === undefined && broken.length === 0 && tries > 1) return isSound(start, tries - 1);
  return isLinearizable === true && broken.length === 0;
}

async function recordOn(start: () => Promise<System>, history: History): Promise<string[]> {
  await using system = await start();
  return await record(system, history);
}

/** Records calls through all outages, at last a read of everything. Returns what is wrong in the store then. */
async function record({ name, urls, secret, outages }: Omit<System, symbol>, history: History): Promise<string[]> {
  const load = new MixedLoad({ secret, record: (entry) => history.add(entry) });
  const began = performance.now();
  let ended = 0;
  const fail = async () => {
    for (const outage of outages) {
      while (load.answered < (operations * (ended + 1)) / (outages.length + 1)) await pause(20);
      await outage();
      ended += 1;
    }
  };
  const isOver = () => load.answered >= operations && ended === outages.length;
  await Promise.all([load.run(urls, isOver), fail()]);
  const seconds = Math.round((performance.now() - began) / 1000);
  const statuses = [...load.statuses].sort().map(([status, count]) => `${count} × ${status}`);
  console.log(`${name}: ${load.answered} calls answered in ${seconds} s, ${ended} outages; ${statuses.join(", ")}`);
  const [url = ""] = urls;
  await load.readAll(url);
  return violations(url, secret);
}
