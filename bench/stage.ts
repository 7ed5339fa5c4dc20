import { type Engines, startEngines } from "./engines.ts";
import { load, type Run } from "./load.ts";
import type { RequestLine } from "./requests.ts";
import { BUN, NODE, startContender, startNginx, startNode, startService } from "./servers.ts";
import { prepare, type Question, type Subject } from "./subject.ts";
import type { Tool } from "./tools.ts";
import type { Server, Workplace } from "./workplace.ts";

/** How many pets the catalogues hold. */
export const USUAL = 100_000;
export const SMALL = 1_000;
export const LARGE = 1_000_000;

type Running = Server & { secret?: string };

const servers = {
  service: (workplace) => startService(workplace, USUAL),
  smallService: (workplace) => startService(workplace, SMALL),
  largeService: (workplace) => startService(workplace, LARGE),
  /** Gets the creations, so that the other catalogues stay as they are. */
  growingService: (workplace) => startService(workplace, USUAL),
  nginx: startNginx,
  bun: (workplace) => startContender(workplace, BUN, "bare-bun"),
  node: (workplace) => startContender(workplace, NODE, "node-http"),
  fastify: (workplace) => startContender(workplace, NODE, "fastify"),
  express: (workplace) => startContender(workplace, NODE, "express"),
} satisfies Record<string, (workplace: Workplace) => Promise<Running>>;

/** Nodes on the same PostgreSQL and Redis. What is created there comes after the page that is listed. */
const nodes = {
  first: (workplace, engines) => startNode(workplace, engines, workplace.cores.server),
  second: (workplace, engines) => startNode(workplace, engines, workplace.cores.secondNode),
} satisfies Record<string, (workplace: Workplace, engines: Engines) => Promise<Running>>;

type ServerId = keyof typeof servers;
type NodeId = keyof typeof nodes;

/** What wrk asks, and of which server. */
type Asked = Omit<Question, "requests"> & { name: string; requests(): RequestLine[] };
type OfServer = Asked & { server: ServerId };
/** Of several nodes all are asked at the same time. */
type OfNodes = Asked & { nodes: NodeId[] };

/** A client of PostgreSQL that does by itself what the service is asked to do. */
type Client = {
  name: string;
  tools: Tool[];
  run(workplace: Workplace, databaseUrl: string, seconds: number): Promise<Run>;
};

export type Definition = OfServer | OfNodes | Client;

/** Puts a subject under load for some seconds. @throws when anything goes wrong there */
export type Load = (seconds: number) => Promise<Run>;

/** Starts servers when they are first asked for, each once, and ends them when it is disposed of. */
export class Stage implements AsyncDisposable {
  readonly #workplace: Workplace;
  readonly #servers = new Map<ServerId | NodeId, Running>();
  #engines: Promise<Engines> | undefined;

  constructor(workplace: Workplace) {
    this.#workplace = workplace;
  }

  async prepare(definition: Definition): Promise<Load> {
    const workplace = this.#workplace;
    if ("run" in definition) {
      const { databaseUrl } = await this.#startEngines();
      return (seconds) => definition.run(workplace, databaseUrl, seconds);
    }
    const question = { ...definition, requests: definition.requests() };
    if ("server" in definition) {
      const { server } = definition;
      const subject = await prepare(workplace, await this.#start(server, () => servers[server](workplace)), question);
      return (seconds) => load(workplace, subject, seconds);
    }
    const engines = await this.#startEngines();
    const subjects: Subject[] = [];
    for (const node of definition.nodes) {
      subjects.push(await prepare(workplace, await this.#start(node, () => nodes[node](workplace, engines)), question));
    }
    return async (seconds) => together(await Promise.all(subjects.map((subject) => load(workplace, subject, seconds))));
  }

  async #start(id: ServerId | NodeId, start: () => Promise<Running>): Promise<Running> {
    const server = this.#servers.get(id) ?? (await start());
    this.#servers.set(id, server);
    return server;
  }

  #startEngines(): Promise<Engines> {
    this.#engines ??= startEngines(this.#workplace);
    return this.#engines;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server[Symbol.asyncDispose]()));
    // Engines that could not be started have ended already.
    const engines = await this.#engines?.catch(() => undefined);
    await engines?.[Symbol.asyncDispose]();
  }
}

/** What ran at the same time: the rates add up, while each observed the same cores. */
function together(runs: Run[]): Run {
  const perSecond = runs.reduce((sum, run) => sum + run.perSecond, 0);
  return { serverCore: 0, loadCore: 0, ...runs[0], perSecond };
}
