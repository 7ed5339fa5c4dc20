import { copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runtimeCommand, runtimeEnvironment } from "../bin/runtime.js";
import { pack } from "../test/support/pack.ts";
import { addKeys, type Catalogue, type CatalogueOptions, createCatalogue, firstPageText } from "./catalogue.ts";
import { nginxConfig } from "./contenders/nginx.ts";
import { type Engines, fillShop } from "./engines.ts";
import { createShop } from "./shop.ts";
import { pathOf, Untaken } from "./tools.ts";
import type { Server, Workspace } from "./workspace.ts";

type Service = Server & Catalogue;

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** npm installs both runtimes, so that every machine compares the same versions. */
export const BUN = runtimeCommand("bun");
/** @throws when Node 24 or newer is missing */
export const nodeCommand = () => runtimeCommand("node");

/** Only on the loopback address, without log lines for starts, and with any free administration port for two at a time. */
const QUIET = { ...runtimeEnvironment, HOST: "127.0.0.1", PETSTORE_LOG_LEVEL: "warn", PETSTORE_ADMIN_PORT: "0" };

/** How long a package may take to be unpacked, in seconds. */
const UNPACKING = 60;

/** Starts the service on a new catalogue of this size. */
export async function startService(
  workspace: Workspace,
  size: number,
  env: Record<string, string> = {},
  options: CatalogueOptions = {},
  runtime = BUN,
): Promise<Service> {
  const catalogue = await createCatalogue(workspace.path("petstore.db"), size, options);
  return { ...catalogue, ...(await startOn(workspace, catalogue, await serveCommand(workspace, runtime), env)) };
}

/** Starts the service on a new catalogue with many keys. */
export async function startWithKeys(
  workspace: Workspace,
  size: number,
  keys: number,
): Promise<Service & { secrets: string[] }> {
  const catalogue = await createCatalogue(workspace.path("petstore.db"), size);
  const secrets = await addKeys(catalogue, keys);
  return { ...catalogue, secrets, ...(await serve(workspace, catalogue)) };
}

const shopOf = oncePerWorkspace((workspace) => createShop(workspace.path("shop.db")));

/** Starts the service on a copy of the shop. */
export async function startShop(workspace: Workspace): Promise<Service> {
  const shop = await shopOf(workspace);
  const path = workspace.path("petstore.db");
  copyFileSync(shop.path, path);
  const catalogue = { ...shop, path };
  return { ...catalogue, ...(await serve(workspace, catalogue)) };
}

/** Makes and unpacks the npm package, which runs on the checkout's Bun. Returns its directory. */
export const packageOf = oncePerWorkspace(async (workspace) => {
  const directory = workspace.path("package");
  mkdirSync(directory);
  const { filename } = pack(directory);
  await workspace.load(["tar", "-xzf", join(directory, filename), "-C", directory], UNPACKING);
  symlinkSync(here("../node_modules"), join(directory, "node_modules"));
  return join(directory, "package");
});

export function oncePerWorkspace<T>(make: (workspace: Workspace) => Promise<T>): (workspace: Workspace) => Promise<T> {
  const made = new WeakMap<Workspace, Promise<T>>();
  return (workspace) => {
    const one = made.get(workspace) ?? make(workspace);
    made.set(workspace, one);
    return one;
  };
}

async function serveCommand(workspace: Workspace, runtime = BUN): Promise<string[]> {
  return [...runtime, join(await packageOf(workspace), "dist/main.js"), "serve"];
}

/** Starts the service on PostgreSQL and Redis. */
export async function startNode(
  workspace: Workspace,
  { databaseUrl, redisUrl, secret }: Engines,
  core: number,
): Promise<Server & { secret: string }> {
  const env = { ...QUIET, DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
  const command = await serveCommand(workspace);
  const server = await workspace.start({
    command: () => command,
    env: (port) => ({ ...env, PORT: String(port) }),
    core,
  });
  return { ...server, secret };
}

/** Starts a node on a shop of its own in PostgreSQL. */
export async function startShopNode(workspace: Workspace, engines: Engines): Promise<Server & { secret: string }> {
  return startNode(workspace, { ...engines, ...(await fillShop(engines)) }, workspace.cores.server);
}

/** Starts the service on an existing catalogue. */
export async function serve(workspace: Workspace, catalogue: Catalogue, runtime = BUN): Promise<Server> {
  return startOn(workspace, catalogue, await serveCommand(workspace, runtime));
}

/** Starts the service on an existing catalogue with another command. */
export function startOn(
  workspace: Workspace,
  { path }: Catalogue,
  command: string[],
  own: Record<string, string> = {},
): Promise<Server> {
  const env = { ...QUIET, DATABASE_URL: `sqlite:${path}`, ...own };
  return workspace.start({ command: () => command, env: (port) => ({ ...env, PORT: String(port) }) });
}

/** Starts nginx with the list as a file, with the same bytes as the service's response. */
export function startNginx(workspace: Workspace): Promise<Server> {
  const files = { "/v1/pets": workspace.file("list.json", firstPageText()) };
  const config = (port: number) => nginxConfig({ directory: workspace.directory, port, files });
  const log = workspace.path("nginx.log");
  return workspace.start({
    command: (port) => [pathOf("nginx"), "-c", workspace.file("nginx.conf", config(port)), "-e", log],
  });
}

/** Starts a server of contenders/ with its port and the list to return. */
export function startContender(workspace: Workspace, runtime: string[], name: string): Promise<Server> {
  const answer = workspace.file("list.json", firstPageText());
  return workspace.start({ command: (port) => [...runtime, here(`contenders/${name}.ts`), String(port), answer] });
}

/** Resolves to the command line of a program that does the service's work, without its port and its database. */
type Equal = (workspace: Workspace) => Promise<string[]>;

/** How long compilers may take for a program with SQLite, in seconds. */
const COMPILATION = 600;

/** The programs of contenders/ that do the service's work by hand. */
const equals = {
  bun: async () => [...BUN, here("contenders/bun.ts")],
  go: compiled(async (workspace) => {
    const program = workspace.path("equal-work");
    await workspace.load([pathOf("go"), "build", "-C", here("contenders/go"), "-o", program, "."], COMPILATION);
    return [program];
  }),
  rust: compiled(async (workspace) => {
    const manifest = here("contenders/rust/Cargo.toml");
    await workspace.load([pathOf("cargo"), "build", "--release", "--manifest-path", manifest], COMPILATION);
    return [here("contenders/rust/target/release/equal-work")];
  }),
  fastify: compiled(async (workspace) => {
    const command = nodeCommand();
    const [node = ""] = command;
    const packages = here("contenders");
    const isBuilt = await workspace.load([node, "-e", LOAD, packages], COMPILATION).then(
      () => true,
      () => false,
    );
    if (!isBuilt) await workspace.load(["sh", "-c", BUILD, node, packages], COMPILATION);
    return [...command, here("contenders/fastify.ts")];
  }),
} satisfies Record<string, Equal>;
export type EqualName = keyof typeof equals;

/** Compiles a program once. @throws Untaken when that fails: its compiler may be too old, or its packages out of reach */
function compiled(compile: Equal): Equal {
  return oncePerWorkspace(async (workspace) => {
    try {
      return await compile(workspace);
    } catch (error) {
      workspace.throwIfInterrupted();
      const [reason] = error instanceof Error ? error.message.split("\n") : [String(error)];
      throw new Untaken(`it cannot be compiled here: ${reason}`);
    }
  });
}

/** Loads better-sqlite3 in this directory. */
const LOAD = `require("node:module").createRequire(process.argv[1] + "/")("better-sqlite3")(":memory:")`;
/** Compiles it for a Node, with the headers that come with that one, if any do. */
const BUILD = `PATH="$(dirname "$0"):$PATH"
for headers in "$(dirname "$(realpath "$0")")"/../include "$(dirname "$(realpath "$0")")"/../node_modules/*/include; do
  [ ! -e "$headers/node/node.h" ] || export npm_config_nodedir="$(dirname "$headers")"
done
npm run --prefix "$1" build`;

/** Starts such a program on an existing catalogue. */
export async function startEqual(
  workspace: Workspace,
  name: keyof typeof equals,
  { path }: Catalogue,
): Promise<Server> {
  const command = await equals[name](workspace);
  return workspace.start({ command: (port) => [...command, String(port), path] });
}
