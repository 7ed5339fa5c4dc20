import { fileURLToPath } from "node:url";
import { runtimeCommand } from "../bin/runtime.js";
import { type Catalogue, createCatalogue, firstPageText, petText } from "./catalogue.ts";
import { nginxConfig } from "./contenders/nginx.ts";
import type { Engines } from "./engines.ts";
import { pathOf } from "./tools.ts";
import type { Server, Workplace } from "./workplace.ts";

export type Service = Server & Catalogue;

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** npm brings both runtimes, so that the same ones are compared everywhere. */
export const BUN = runtimeCommand("bun");
export const NODE = runtimeCommand("node");

/** What `npm start` runs, and what that leads to once it has found the runtime. */
const START = ["node", here("../bin/petstore.js"), "serve"];
const SERVE = [...BUN, here("../src/main.ts"), "serve"];

/** On the loopback alone, and without a log of what goes well. */
/** Without a log line for each start, and with operators at any free port: two may run at a time. */
const QUIET = { HOST: "127.0.0.1", PETSTORE_LOG_LEVEL: "warn", PETSTORE_ADMIN_PORT: "0" };

/** The pet that nginx knows. */
export const PET = 1;

/** The service on a new catalogue of this size, with nothing in front of it. */
export async function startService(workplace: Workplace, size: number): Promise<Service> {
  const catalogue = await createCatalogue(workplace.path("petstore.db"), size);
  return { ...catalogue, ...(await serve(workplace, catalogue, SERVE)) };
}

/** The service on a catalogue that is there already, as `npm start` starts it. */
export function npmStart(workplace: Workplace, catalogue: Catalogue): Promise<Server> {
  return serve(workplace, catalogue, START);
}

/** The service on PostgreSQL and Redis. */
export async function startNode(
  workplace: Workplace,
  { databaseUrl, redisUrl, secret }: Engines,
  core: number,
): Promise<Server & { secret: string }> {
  const env = { ...QUIET, DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
  const server = await workplace.start({
    command: () => SERVE,
    env: (port) => ({ ...env, PORT: String(port) }),
    core,
  });
  return { ...server, secret };
}

function serve(workplace: Workplace, { path }: Catalogue, command: string[]): Promise<Server> {
  const env = { ...QUIET, DATABASE_URL: `sqlite:${path}` };
  return workplace.start({ command: () => command, env: (port) => ({ ...env, PORT: String(port) }) });
}

/** nginx with the list and one pet as files, the bytes that the service answers. */
export function startNginx(workplace: Workplace): Promise<Server> {
  const files = {
    "/v1/pets": workplace.file("list.json", firstPageText()),
    [`/v1/pets/${PET}`]: workplace.file("pet.json", petText(PET)),
  };
  const config = (port: number) => nginxConfig({ directory: workplace.directory, port, files });
  const log = workplace.path("nginx.log");
  return workplace.start({
    command: (port) => [pathOf("nginx"), "-c", workplace.file("nginx.conf", config(port)), "-e", log],
  });
}

/** One of contenders/, started with its port and the list to return. */
export function startContender(workplace: Workplace, runtime: string[], name: string): Promise<Server> {
  const answer = workplace.file("list.json", firstPageText());
  return workplace.start({ command: (port) => [...runtime, here(`contenders/${name}.ts`), String(port), answer] });
}
