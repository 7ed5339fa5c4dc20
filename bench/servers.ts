import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runtimeCommand } from "../bin/runtime.js";
import { animalText, type Catalogue, pageText } from "./catalogue.ts";
import { nginxConfig } from "./contenders/nginx.ts";
import { freePort, type Server, type Workplace } from "./workplace.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The commands of both runtimes: npm brings both, so that every machine compares the same ones. */
export const BUN = runtimeCommand("bun");
export const NODE = [here("../node_modules/.bin/node")];

/** `npm start`, and what it leads to once it has found the runtime. */
const START = ["node", here("../bin/petstore.js"), "serve"];
const SERVE = [...BUN, here("../src/main.ts"), "serve"];

/** The animal that nginx knows. */
export const ANIMAL = 1;

/** The service itself, on a catalogue of its own, with nothing in front of it. */
export function startService(workplace: Workplace, catalogue: Catalogue): Promise<Server> {
  return startPetstore(workplace, catalogue, SERVE);
}

/** The same as people start it. */
export function npmStart(workplace: Workplace, catalogue: Catalogue): Promise<Server> {
  return startPetstore(workplace, catalogue, START);
}

async function startPetstore(workplace: Workplace, { path }: Catalogue, command: string[]): Promise<Server> {
  const port = await freePort();
  const env = { HOST: "127.0.0.1", PORT: String(port), DATABASE_URL: `sqlite:${path}`, PETSTORE_LOG_LEVEL: "warn" };
  return workplace.start({ command, port, env });
}

/** nginx with the list and one animal as files, the bytes that the service answers. */
export async function startNginx(workplace: Workplace): Promise<Server> {
  const port = await freePort();
  const list = write(workplace, "list.json", pageText(0));
  const animal = write(workplace, "animal.json", animalText(ANIMAL));
  const files = { "/v1/pets": list, [`/v1/pets/${ANIMAL}`]: animal };
  const config = nginxConfig({ directory: workplace.directory, port, files });
  const log = workplace.path("nginx.log");
  const command = [workplace.tools.nginx, "-c", write(workplace, "nginx.conf", config), "-e", log];
  return workplace.start({ command, port });
}

/** One of contenders/, which gets the list to answer. */
export async function startContender(workplace: Workplace, runtime: string[], name: string): Promise<Server> {
  const port = await freePort();
  const answer = write(workplace, `${name}.json`, pageText(0));
  return workplace.start({ command: [...runtime, here(`contenders/${name}.ts`), String(port), answer], port });
}

function write(workplace: Workplace, name: string, text: string): string {
  const path = workplace.path(name);
  writeFileSync(path, text);
  return path;
}
