import { fileURLToPath } from "node:url";
import { Workplace } from "../commands/petstore.ts";
import { bearer, Client } from "../support/client.ts";
import { startNodes } from "../support/nodes.ts";
import { hasRedis } from "../support/redis.ts";
import { commandFor } from "../support/runtime.ts";
import { startWorkers } from "../support/workers.ts";

if (!hasRedis) console.log("skipped: there is no redis-server on this machine, which the nodes use here");

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const env = { PETSTORE_DEPLOYMENT: "staging" };
/** Processes of one staging service: their addresses, and a client of its administration. */
export type StagingSystem = { urls: string[]; admin: Client; remove: () => Promise<void> };

async function nodesOnPostgres(): Promise<StagingSystem> {
  const nodes = await startNodes({ count: 3, env });
  const [admin = new Client({ url: "", headers: {} })] = (await nodes.withOperator()).clients;
  return { urls: nodes.nodes.map(({ url }) => url), admin, remove: () => nodes.remove() };
}

async function workersOnSqlite(): Promise<StagingSystem> {
  const petstore = new Workplace();
  const workers = await startWorkers(commandFor(MAIN), 3, { ...env, DATABASE_URL: petstore.store.url });
  const { json } = await petstore.run(["operators", "create", "--name", "Ada", "--role", "admin", "--json"], { env });
  const remove = async () => {
    await workers.remove();
    petstore.remove();
  };
  const admin = Client.ofOperator({ url: workers.adminUrl, headers: bearer(json.token) });
  return { urls: [workers.url], admin, remove };
}

export const stagingSystems = [
  { name: "three nodes on PostgreSQL", start: nodesOnPostgres, isHere: hasRedis },
  { name: "three workers on a SQLite file", start: workersOnSqlite, isHere: true },
].filter(({ isHere }) => isHere);
