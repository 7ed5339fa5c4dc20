import { allAvailable, type CatalogueOptions, createCatalogue, readIntoMemory } from "./catalogue.ts";
import { type Engines, startEngines } from "./engines.ts";
import { requireEqual } from "./equality.ts";
import { load, type Run } from "./load.ts";
import type { RequestLine } from "./requests.ts";
import {
  BUN,
  type EqualName,
  nodeCommand,
  oncePerWorkspace,
  startContender,
  startEqual,
  startNginx,
  startNode,
  startService,
  startShop,
  startShopNode,
  startWithKeys,
} from "./servers.ts";
import { fileOf, prepare, type Subject, type Workload } from "./subject.ts";
import type { Tool } from "./tools.ts";
import type { Server, Workspace } from "./workspace.ts";

/** The number of pets in the catalogues. */
export const USUAL = 100_000;
export const SMALL = 1_000;
export const LARGE = 1_000_000;
/** In those of the programs with equal work. */
export const EQUAL = 300_000;
/** The number of keys where each request has another. */
export const MANY_KEYS = 100_000;

/** `path`: its database, if that is a file. */
type Running = Server & { secret?: string; secrets?: string[]; path?: string };

/** Starts a program of contenders/ with the service's work on catalogues of its own, once it has proved equal. */
function equal(name: EqualName) {
  const check = oncePerWorkspace((workspace) =>
    requireEqual(workspace, (catalogue) => startEqual(workspace, name, catalogue)),
  );
  const start = async (workspace: Workspace, options: CatalogueOptions) => {
    await check(workspace);
    const catalogue = await createCatalogue(workspace.path("petstore.db"), EQUAL, options);
    return { ...catalogue, ...(await startEqual(workspace, name, catalogue)) };
  };
  return {
    read: (workspace: Workspace) => start(workspace, {}),
    written: (workspace: Workspace) => start(workspace, allAvailable),
  };
}

const [bun, go, rust, fastify] = [equal("bun"), equal("go"), equal("rust"), equal("fastify")];

const servers = {
  service: (workspace) => startService(workspace, USUAL),
  smallService: (workspace) => startService(workspace, SMALL),
  largeService: (workspace) => startService(workspace, LARGE),
  /** For creations, so that the other catalogues do not change. */
  growingService: (workspace) => startService(workspace, USUAL),
  shop: startShop,
  growingShop: startShop,
  manyKeys: (workspace) => startWithKeys(workspace, USUAL, MANY_KEYS),
  nginx: startNginx,
  bun: (workspace) => startContender(workspace, BUN, "bare-bun"),
  node: (workspace) => startContender(workspace, nodeCommand(), "node-http"),
  serviceOnNode: (workspace) => startService(workspace, USUAL, {}, {}, nodeCommand()),
  serviceRead: (workspace) => startService(workspace, EQUAL),
  serviceWritten: (workspace) => startService(workspace, EQUAL, {}, allAvailable),
  bunRead: bun.read,
  bunWritten: bun.written,
  goRead: go.read,
  goWritten: go.written,
  rustRead: rust.read,
  rustWritten: rust.written,
  fastifyRead: fastify.read,
  fastifyWritten: fastify.written,
} satisfies Record<string, (workspace: Workspace) => Promise<Running>>;

/** Nodes on the same PostgreSQL and Redis. Created pets come after the listed page. */
const nodes = {
  first: (workspace, engines) => startNode(workspace, engines, workspace.cores.server),
  second: (workspace, engines) => startNode(workspace, engines, workspace.cores.secondNode),
  shopNode: startShopNode,
} satisfies Record<string, (workspace: Workspace, engines: Engines) => Promise<Running>>;

export type ServerId = keyof typeof servers;
type NodeId = keyof typeof nodes;

/**
 * A workload for wrk, and its server. With `isFresh` each run has requests of its own, because those of a run change what
 * they name. Run 0 is only its first request, which is checked.
 */
type ServerWorkload = Omit<Workload, "requests"> & {
  name: string;
  requests(run: number): RequestLine[];
  isFresh?: boolean;
};
type OfServer = ServerWorkload & { server: ServerId };
/** A workload on all of these nodes at the same time. */
type OfNodes = ServerWorkload & { nodes: NodeId[] };

/** A client of PostgreSQL that does the service's work without the service. */
type Client = {
  name: string;
  tools: Tool[];
  run(workspace: Workspace, databaseUrl: string, seconds: number): Promise<Run>;
};

export type Definition = OfServer | OfNodes | Client;

/** Puts a subject under load for some seconds. @throws when the load fails */
export type Load = (seconds: number) => Promise<Run>;

/** Starts each server on first use, and ends them on disposal. */
export class Stage implements AsyncDisposable {
  readonly #workspace: Workspace;
  readonly #servers = new Map<ServerId | NodeId, Running>();
  #engines: Promise<Engines> | undefined;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  async prepare(definition: Definition): Promise<Load> {
    const workspace = this.#workspace;
    if ("run" in definition) {
      const { databaseUrl } = await this.#startEngines();
      return (seconds) => definition.run(workspace, databaseUrl, seconds);
    }
    const workload = { ...definition, requests: definition.requests(0) };
    let runs = 0;
    const next = (subject: Subject): Subject => {
      if (definition.isFresh !== true) return subject;
      runs += 1;
      return { ...subject, file: fileOf(workspace, definition.requests(runs)) };
    };
    if ("server" in definition) {
      const { server } = definition;
      const running = await this.#start(server, () => servers[server](workspace));
      const subject = await prepare(workspace, running, workload);
      return (seconds) => {
        if (running.path !== undefined) readIntoMemory(running.path);
        return load(workspace, next(subject), seconds);
      };
    }
    const engines = await this.#startEngines();
    const subjects: Subject[] = [];
    for (const node of definition.nodes) {
      subjects.push(await prepare(workspace, await this.#start(node, () => nodes[node](workspace, engines)), workload));
    }
    return async (seconds) =>
      total(await Promise.all(subjects.map((subject) => load(workspace, next(subject), seconds))));
  }

  async #start(id: ServerId | NodeId, start: () => Promise<Running>): Promise<Running> {
    const server = this.#servers.get(id) ?? (await start());
    this.#servers.set(id, server);
    return server;
  }

  #startEngines(): Promise<Engines> {
    this.#engines ??= startEngines(this.#workspace);
    return this.#engines;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server[Symbol.asyncDispose]()));
    // Engines that failed to start have already ended.
    const engines = await this.#engines?.catch(() => undefined);
    await engines?.[Symbol.asyncDispose]();
  }
}

/** The total of concurrent runs: the rates add up, and all observed the same cores. */
function total(runs: Run[]): Run {
  const perSecond = runs.reduce((sum, run) => sum + run.perSecond, 0);
  const processor = runs.reduce((sum, run) => sum + (run.processor ?? 0) * run.perSecond, 0) / perSecond;
  return { serverCore: 0, loadCore: 0, ...runs[0], perSecond, processor };
}
