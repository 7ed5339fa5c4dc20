/** Starts two services in memory, has each add a pet, and prints the names and ids that each has. */
import { IN_MEMORY } from "../../src/adapters/sqlite/errors.ts";
import { thisRuntime } from "../../src/commands/program.ts";
import { readConfig } from "../../src/wiring/config.ts";
import { createLog } from "../../src/wiring/log.ts";
import { startService } from "../../src/wiring/service.ts";

const variables = { PORT: "0", PETSTORE_ADMIN_PORT: "off", PETSTORE_DEPLOYMENT: "staging" };
const config = { ...readConfig(variables), database: { engine: "sqlite" as const, path: IN_MEMORY } };
const runtime = await thisRuntime();
const log = await createLog("warn", false);
const start = () => startService(config, log, runtime);

async function namesAfterAdding(name: string, { baseUrl, firstKey }: Awaited<ReturnType<typeof start>>) {
  const headers = { Authorization: `Bearer ${firstKey?.secret}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ name, categoryId: 1 });
  await fetch(`${baseUrl}/pets`, { method: "POST", headers, body });
  const pets: { name: string; id: number }[] = await (await fetch(`${baseUrl}/pets`, { headers })).json();
  return pets.map((pet) => `${pet.name} ${pet.id}`);
}

const services = await Promise.all([start(), start()]);
const [one, another] = services;
console.log(JSON.stringify([await namesAfterAdding("Rex", one), await namesAfterAdding("Tom", another)]));
await Promise.all(services.map((service) => service.stop()));
