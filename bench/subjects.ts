import { firstPageText } from "./catalogue.ts";
import { loadByBareClient, loadByPgbench } from "./database-clients.ts";
import { compilersOf, type EqualId, equalSubject } from "./equal.ts";
import { consecutivePages, created, creation, list, pets, scatteredPages, wholePages } from "./requests.ts";
import { SHOP, shopPet } from "./shop.ts";
import { type ShopFilter, shopCreations, shopOrders, shopPage, shopPages, shopUpdates } from "./shop-requests.ts";
import { type Definition, LARGE, MANY_KEYS, SMALL, USUAL } from "./stage.ts";
import type { Tool } from "./tools.ts";

const page = firstPageText();
const theList = () => [list];
const oneCreation = () => [creation];

const change = { requests: shopUpdates, answer: /^\{"id":\d+,.*"status":"sold"\}$/, isFresh: true };
const order = { requests: shopOrders, answer: /^\{"id":\d+,"petId":\d+,"status":"placed",/, isFresh: true };
const anyPet = { requests: shopCreations, answer: /^\{"id":\d+,"name":"Pet \d+",/ };
const inventory = {
  requests: () => ["GET /v1/store/inventory"],
  answer: /^\{"available":\d+,"pending":\d+,"sold":\d+\}$/,
};
const shopPets = {
  requests: () => pets(SHOP.pets),
  answer: JSON.stringify({ id: 1, ...shopPet(1), categoryId: Number(shopPet(1).categoryId) }),
};
const shopList = (...filters: ShopFilter[]) => ({ requests: () => shopPages(filters), answer: shopPage(filters) });

const named = {
  nginxList: { name: "nginx, the list as a file", server: "nginx", requests: theList, answer: page },
  list: { name: "list of 20, filtered, warm", server: "service", requests: theList, answer: page },
  listOnNode: { name: "list of 20, filtered, warm, on Node", server: "serviceOnNode", requests: theList, answer: page },
  wholePets: {
    name: "pets, 100 on a page, page by page",
    server: "service",
    requests: () => wholePages("pets", USUAL),
    answer: /^\[\{"id":\d+,"name":/,
  },
  wholeEvents: {
    name: "events, 100 on a page, page by page",
    server: "service",
    requests: () => wholePages("events", USUAL),
    answer: /^\[\{"id":\d+,"type":"pet.created",/,
  },
  creations: { name: "durable creations", server: "growingService", requests: oneCreation, answer: created },
  // A client that waits for each response: no other creation shares its commits.
  loneCreations: {
    name: "durable creations, 1 connection",
    server: "growingService",
    requests: oneCreation,
    answer: created,
    connections: 1,
  },
  largeList: {
    name: "list page by page, 1,000,000 pets",
    server: "largeService",
    requests: () => consecutivePages(LARGE),
    answer: page,
  },
  smallList: {
    name: "list page by page, 1,000 pets",
    server: "smallService",
    requests: () => consecutivePages(SMALL),
    answer: page,
  },
  largeScattered: {
    name: "list at random places, 1,000,000 pets",
    server: "largeService",
    requests: () => scatteredPages(LARGE),
    answer: page,
  },
  smallScattered: {
    name: "list at random places, 1,000 pets",
    server: "smallService",
    requests: () => scatteredPages(SMALL),
    answer: page,
  },
  bun: { name: "bare Bun.serve, the list and its headers", server: "bun", requests: theList, answer: page },
  node: { name: "bare node:http, the list and its headers", server: "node", requests: theList, answer: page },
  knownList: {
    name: "the same list, which the client has",
    server: "service",
    requests: theList,
    answer: page,
    isConditional: true,
  },
  oneKey: { name: "list of 20, one key of 100,000", server: "manyKeys", requests: theList, answer: page, keys: 1 },
  twentyThousandKeys: {
    name: "list of 20, 20,000 keys at random",
    server: "manyKeys",
    requests: theList,
    answer: page,
    keys: 20_000,
  },
  manyKeys: {
    name: "list of 20, 100,000 keys at random",
    server: "manyKeys",
    requests: theList,
    answer: page,
    keys: MANY_KEYS,
  },
  shopList: { name: "shop: list, nothing cached", server: "shop", ...shopList() },
  shopByStatus: { name: "shop: list by status", server: "shop", ...shopList("status") },
  shopByCategory: { name: "shop: list by category", server: "shop", ...shopList("categoryId") },
  shopByBoth: { name: "shop: list by category and status", server: "shop", ...shopList("categoryId", "status") },
  shopByName: { name: "shop: list by name", server: "shop", ...shopList("name") },
  shopPets: { name: "shop: get by id", server: "shop", ...shopPets },
  shopInventory: { name: "shop: inventory", server: "shop", ...inventory },
  shopCreations: { name: "shop: creations", server: "growingShop", ...anyPet },
  shopUpdates: { name: "shop: updates", server: "growingShop", ...change },
  shopOrders: { name: "shop: orders placed", server: "growingShop", ...order },
  nodeList: { name: "list of 20, PostgreSQL and Redis, one node", nodes: ["first"], requests: theList, answer: page },
  nodePages: {
    name: "different pages of 20, PostgreSQL and Redis, one node",
    nodes: ["first"],
    requests: () => scatteredPages(USUAL),
    answer: page,
  },
  bareClient: { name: "its query by the bare client", tools: ["taskset", "redis-server"], run: loadByBareClient },
  twoNodesList: {
    name: "list of 20, PostgreSQL and Redis, two nodes",
    nodes: ["first", "second"],
    requests: theList,
    answer: page,
  },
  nodeCreations: { name: "creations on PostgreSQL", nodes: ["first"], requests: oneCreation, answer: created },
  nodeShopList: { name: "shop on PostgreSQL: list", nodes: ["shopNode"], ...shopList() },
  nodeShopByStatus: { name: "shop on PostgreSQL: list by status", nodes: ["shopNode"], ...shopList("status") },
  nodeShopByCategory: { name: "shop on PostgreSQL: list by category", nodes: ["shopNode"], ...shopList("categoryId") },
  nodeShopByBoth: {
    name: "shop on PostgreSQL: list by category and status",
    nodes: ["shopNode"],
    ...shopList("categoryId", "status"),
  },
  nodeShopByName: { name: "shop on PostgreSQL: list by name", nodes: ["shopNode"], ...shopList("name") },
  nodeShopPets: { name: "shop on PostgreSQL: get by id", nodes: ["shopNode"], ...shopPets },
  nodeShopInventory: { name: "shop on PostgreSQL: inventory", nodes: ["shopNode"], ...inventory },
  nodeShopCreations: { name: "shop on PostgreSQL: creations", nodes: ["shopNode"], ...anyPet },
  nodeShopUpdates: { name: "shop on PostgreSQL: updates", nodes: ["shopNode"], ...change },
  nodeShopOrders: { name: "shop on PostgreSQL: orders placed", nodes: ["shopNode"], ...order },
  pgbench: { name: "pgbench, the same row", tools: ["taskset", "pgbench", "redis-server"], run: loadByPgbench },
} satisfies Record<string, Definition>;

export type SubjectId = keyof typeof named | EqualId;

/** A subject, which is compared with others by its responses per second or its processor time. */
export function subjectOf(id: SubjectId): Definition {
  return isNamed(id) ? named[id] : equalSubject(id);
}

function isNamed(id: SubjectId): id is keyof typeof named {
  return id in named;
}

/** Whether a subject depends on PostgreSQL and Redis. */
export function isOnEngines(id: SubjectId): boolean {
  const definition = subjectOf(id);
  return "run" in definition || "nodes" in definition;
}

/** The programs that this subject needs. */
export function toolsOf(id: SubjectId): Tool[] {
  const definition = subjectOf(id);
  if ("run" in definition) return definition.tools;
  if ("nodes" in definition) return ["taskset", "wrk", "redis-server"];
  const { server } = definition;
  if (server === "nginx") return ["taskset", "wrk", "nginx"];
  return ["taskset", "wrk", ...compilersOf(server)];
}
