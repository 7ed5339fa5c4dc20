import { animalText, type Catalogue, pageText } from "./catalogue.ts";
import { createRequests, FIRST_AFTER, getRequests, LIST, listRequests, uncachedListRequests } from "./requests.ts";
import { ANIMAL, BUN, NODE, startContender, startNginx, startService } from "./servers.ts";
import { type Expected, prepare, type Subject } from "./subject.ts";
import type { Server, Workplace } from "./workplace.ts";

/**
 * The catalogues that are measured. The last two are as large as `usual`: `growing` gets the creations,
 * and `alone` is written by SQLite without the service.
 */
export type Catalogues = Record<"small" | "usual" | "large" | "growing" | "alone", Catalogue>;

export type Subjects = Awaited<ReturnType<typeof prepareSubjects>>;

/** What the service's answers carry beside their bodies. */
const SERVICE_HEADERS = [
  "X-Request-Id",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit-Policy",
  "RateLimit",
];

const hello: Expected = { status: 200, body: '{"hello":"world"}' };
const list: Expected = { status: 200, body: pageText(0) };
const uncached: Expected = { status: 200, body: pageText(FIRST_AFTER) };
const animal: Expected = { status: 200, body: animalText(ANIMAL) };
const created: Expected = { status: 201, body: /^\{"id":\d+,"name":"Benchmark","categoryId":7,"status":"pending"\}$/ };

/** Starts everything that is compared, and prepares what each is asked. */
export async function prepareSubjects(workplace: Workplace, catalogues: Catalogues) {
  const { small, usual, growing, large } = catalogues;
  const [ofSmall, ofUsual, ofGrowing, ofLarge, nginx, bun, node, express, fastify] = [
    await startService(workplace, small),
    await startService(workplace, usual),
    await startService(workplace, growing),
    await startService(workplace, large),
    await startNginx(workplace),
    await startContender(workplace, BUN, "bare-bun"),
    await startContender(workplace, NODE, "node-http"),
    await startContender(workplace, NODE, "express"),
    await startContender(workplace, NODE, "fastify"),
  ];
  // Everybody is sent the same request, key and all, though only the service looks at more than the path.
  const beside = (name: string, server: Server, expected: Expected, path = LIST) =>
    prepare(workplace, { name, server, headers: keyOf(usual), requests: [`GET ${path}`], expected });
  const lists = (name: string, server: Server, catalogue: Catalogue) =>
    prepareService(workplace, { name, server, catalogue, requests: listRequests, expected: list });
  const uncachedLists = (name: string, server: Server, catalogue: Catalogue) => {
    const requests = uncachedListRequests(catalogue.size);
    return prepareService(workplace, { name, server, catalogue, requests, expected: uncached });
  };

  return {
    nginxList: await beside("nginx, the list as a file", nginx, list),
    list: await lists("list of 20, filtered, warm", ofUsual, usual),
    uncachedList: await uncachedLists("list of 20, nothing cached", ofUsual, usual),
    fastify: await beside("Fastify, hello-world", fastify, hello),
    express: await beside("Express, hello-world", express, hello),
    bun: await beside("bare Bun.serve, the list", bun, list),
    node: await beside("bare node:http, the list", node, list),
    nginxAnimal: await beside("nginx, one animal as a file", nginx, animal, `/v1/pets/${ANIMAL}`),
    animal: await prepareService(workplace, {
      name: "get by id",
      server: ofUsual,
      catalogue: usual,
      requests: getRequests(usual.size),
      expected: animal,
    }),
    largeList: await lists("list, 1,000,000 animals", ofLarge, large),
    smallList: await lists("list, 1,000 animals", ofSmall, small),
    largeUncachedList: await uncachedLists("list, 1,000,000 animals, nothing cached", ofLarge, large),
    smallUncachedList: await uncachedLists("list, 1,000 animals, nothing cached", ofSmall, small),
    creation: await prepareService(workplace, {
      name: "creations, 64 connections",
      server: ofGrowing,
      catalogue: growing,
      requests: createRequests,
      expected: created,
    }),
  } satisfies Record<string, Subject>;
}

type Asked = { name: string; server: Server; catalogue: Catalogue; requests: string[]; expected: Expected };

/** A subject of the service: asked with its catalogue's key, it answers with all the headers. */
export function prepareService(workplace: Workplace, { catalogue, expected, ...asked }: Asked): Promise<Subject> {
  const headers = {
    ...keyOf(catalogue),
    ...(asked.requests.some(isCreation) && { "Content-Type": "application/json" }),
  };
  return prepare(workplace, { ...asked, headers, expected: { ...expected, headers: SERVICE_HEADERS } });
}

function keyOf({ secret }: Catalogue): Record<string, string> {
  return { Authorization: `Bearer ${secret}` };
}

function isCreation(request: string): boolean {
  return request.startsWith("POST");
}
