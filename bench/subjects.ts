import { animalText, firstPageText } from "./catalogue.ts";
import { animals, consecutivePages, creation, list, type RequestLine, scatteredPages } from "./requests.ts";
import { ANIMAL, BUN, NODE, startContender, startNginx, startService } from "./servers.ts";
import { prepare, type Question, type Subject } from "./subject.ts";
import type { Tool } from "./tools.ts";
import type { Server, Workplace } from "./workplace.ts";

const USUAL = 100_000;
const SMALL = 1_000;
const LARGE = 1_000_000;

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
} satisfies Record<string, (workplace: Workplace) => Promise<Server & { secret?: string }>>;

type Definition = Omit<Question, "requests"> & {
  name: string;
  server: keyof typeof servers;
  requests(): RequestLine[];
};

const page = firstPageText();
const animal = animalText(ANIMAL);
const hello = '{"hello":"world"}';
const created = /^\{"id":\d+,"name":"Benchmark","categoryId":7,"status":"pending"\}$/;
const theList = () => [list];
const oneAnimal = () => [`GET /v1/pets/${ANIMAL}`];
const oneCreation = () => [creation];

/** Everything that is compared by how many requests it answers a second. */
export const subjects = {
  nginxList: { name: "nginx, the list as a file", server: "nginx", requests: theList, answer: page },
  list: { name: "list of 20, filtered, warm", server: "service", requests: theList, answer: page },
  fastify: { name: "Fastify hello-world", server: "fastify", requests: theList, answer: hello },
  uncachedList: {
    name: "list of 20, nothing cached",
    server: "service",
    requests: () => scatteredPages(USUAL),
    answer: page,
  },
  nginxAnimal: { name: "nginx, one animal as a file", server: "nginx", requests: oneAnimal, answer: animal },
  animal: { name: "get by id", server: "service", requests: oneAnimal, answer: animal },
  scatteredAnimals: {
    name: "get by id, from all over",
    server: "service",
    requests: () => animals(USUAL),
    answer: animal,
  },
  creations: { name: "durable creations", server: "growingService", requests: oneCreation, answer: created },
  // A client that waits for each answer before it asks again: nobody shares its commits.
  loneCreations: {
    name: "durable creations, 1 connection",
    server: "growingService",
    requests: oneCreation,
    answer: created,
    connections: 1,
  },
  largeList: {
    name: "list page by page, 1,000,000 animals",
    server: "largeService",
    requests: () => consecutivePages(LARGE),
    answer: page,
  },
  smallList: {
    name: "list page by page, 1,000 animals",
    server: "smallService",
    requests: () => consecutivePages(SMALL),
    answer: page,
  },
  largeScattered: {
    name: "list at random places, 1,000,000 animals",
    server: "largeService",
    requests: () => scatteredPages(LARGE),
    answer: page,
  },
  smallScattered: {
    name: "list at random places, 1,000 animals",
    server: "smallService",
    requests: () => scatteredPages(SMALL),
    answer: page,
  },
  bun: { name: "bare Bun.serve, the list", server: "bun", requests: theList, answer: page },
  node: { name: "bare node:http, the list", server: "node", requests: theList, answer: page },
  express: { name: "Express hello-world", server: "express", requests: theList, answer: hello },
} satisfies Record<string, Definition>;

export type SubjectId = keyof typeof subjects;

/** The programs that measuring this subject takes. */
export function toolsOf(id: SubjectId): Tool[] {
  return subjects[id].server === "nginx" ? ["taskset", "wrk", "nginx"] : ["taskset", "wrk"];
}

/** Starts servers when they are first asked for, each once, and ends them when it is disposed of. */
export class Stage implements AsyncDisposable {
  readonly #workplace: Workplace;
  readonly #servers = new Map<string, Server>();

  constructor(workplace: Workplace) {
    this.#workplace = workplace;
  }

  async prepare(id: SubjectId): Promise<Subject> {
    const { server, requests, ...question }: Definition = subjects[id];
    const running = this.#servers.get(server) ?? (await servers[server](this.#workplace));
    this.#servers.set(server, running);
    return prepare(this.#workplace, running, { ...question, requests: requests() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server[Symbol.asyncDispose]()));
  }
}
