import type { Benchmark, Ratio, Target } from "./benchmark.ts";
import { CORES_FOR_TWO_NODES } from "./cores.ts";
import { type EqualId, equalOperations, equalPrograms, operations, programNames } from "./equal.ts";
import { measureWaitingReaders, measureWebhooks } from "./feed.ts";
import { measureLatency, measureMemory, measureMemoryOfKeys, measureRedisLatency, measureStart } from "./quantities.ts";
import { measureSlowCreations, measureSlowDisk } from "./slow-disk.ts";

/** The shop's lists, changes and orders, on SQLite. */
const shopBenchmarks: Ratio[] = [
  list("status", "status", "shopByStatus"),
  list("category", "categoryId", "shopByCategory"),
  list("both", "categoryId and status", "shopByBoth"),
  list("name", "name", "shopByName"),
  {
    name: "inventory",
    title: "inventory / get by id",
    over: "shopInventory",
    under: "shopPets",
    target: { atLeast: 0.7 },
  },
  {
    name: "updates",
    title: "durable updates, 64 connections / durable creations",
    over: "shopUpdates",
    under: "shopCreations",
    target: { atLeast: 0.7 },
  },
  {
    name: "orders",
    title: "durable orders placed, 64 connections / durable creations",
    over: "shopOrders",
    under: "shopCreations",
    target: { atLeast: 0.5 },
  },
  {
    name: "not-modified",
    title: "304 / 200 of the same list",
    over: "knownList",
    under: "list",
    target: { atLeast: 1 },
  },
];

/** The same on PostgreSQL, where a creation shares a statement and a commit, and a change is a transaction of its own. */
const postgresShopBenchmarks: Ratio[] = [
  onPostgres("status", "list with status / without a filter", "nodeShopByStatus", "nodeShopList"),
  onPostgres("category", "list with categoryId / without a filter", "nodeShopByCategory", "nodeShopList"),
  onPostgres("both", "list with categoryId and status / without a filter", "nodeShopByBoth", "nodeShopList"),
  onPostgres("name", "list with name / without a filter", "nodeShopByName", "nodeShopList"),
  onPostgres("inventory", "inventory / get by id", "nodeShopInventory", "nodeShopPets"),
  onPostgres("updates", "updates / creations", "nodeShopUpdates", "nodeShopCreations"),
  onPostgres("orders", "orders placed / creations", "nodeShopOrders", "nodeShopCreations"),
];

function list(name: string, filter: string, over: Ratio["over"]): Ratio {
  const title = `list with ${filter} / without a filter, 1,000,000 pets`;
  return { name: `list-${name}`, title, over, under: "shopList", target: { atLeast: 0.7 } };
}

function onPostgres(name: string, title: string, over: Ratio["over"], under: Ratio["under"]): Ratio {
  return { name: `postgres-${name}`, title: `PostgreSQL: ${title}`, over, under };
}

/** The most that the service may take of the processor time of a program by hand on the same runtime. */
const goals: Partial<Record<EqualId, Target>> = {
  "bun page": { below: 1.35 },
  "bun filtered": { below: 1.35 },
  "bun create": { below: 1.4 },
};

/** The processor time of the service beside that of programs that do the same work by hand. */
const equalBenchmarks: Ratio[] = equalOperations.flatMap((operation) =>
  equalPrograms.map((program) => equal(operation, program)),
);

function equal(operation: (typeof equalOperations)[number], program: (typeof equalPrograms)[number]): Ratio {
  const [over, under]: [EqualId, EqualId] = [`service ${operation}`, `${program} ${operation}`];
  const target = goals[under];
  const title = `processor time, ${operations[operation].name} / ${programNames[program]}`;
  return { name: `equal-${operation}-${program}`, title, over, under, figure: "processor", ...(target && { target }) };
}

/** The benchmarks; docs/development/benchmarks.md gives the reason for each target. */
export const benchmarks: Benchmark[] = [
  {
    name: "list-nginx",
    title: "list of 20, filtered, warm / nginx static",
    over: "list",
    under: "nginxList",
    target: { atLeast: 0.45 },
  },
  {
    name: "list-bun",
    title: "list of 20, filtered, warm / bare Bun.serve with the same headers",
    over: "list",
    under: "bun",
    target: { atLeast: 0.75 },
  },
  {
    name: "list-node",
    title: "list of 20, filtered, warm, on Node / bare node:http with the same headers",
    over: "listOnNode",
    under: "node",
    target: { atLeast: 0.7 },
  },
  {
    name: "creations",
    title: "durable creations, 64 connections / one commit each",
    over: "creations",
    under: "loneCreations",
    target: { atLeast: 15 },
  },
  {
    name: "million",
    title: "list with 1,000,000 pets / with 1,000",
    over: "largeList",
    under: "smallList",
    beside: ["smallScattered", "largeScattered"],
    target: { atLeast: 0.9 },
  },
  {
    name: "keys-20k",
    title: "list of 20, 20,000 keys at random / one key",
    over: "twentyThousandKeys",
    under: "oneKey",
    target: { atLeast: 0.7 },
  },
  {
    name: "keys-100k",
    title: "list of 20, 100,000 keys at random / one key",
    over: "manyKeys",
    under: "oneKey",
    target: { atLeast: 0.5 },
  },
  ...equalBenchmarks,
  ...shopBenchmarks,
  {
    name: "latency",
    title: "p99 of the list at half its peak rate",
    unit: "ms",
    target: { below: 2 },
    tools: ["taskset", "wrk"],
    measure: measureLatency,
  },
  {
    name: "slow-disk-median",
    title: "median of the list beside a writer / without, a sync of 8 ms",
    unit: "",
    target: { below: 1.5 },
    tools: ["taskset", "wrk", "cc"],
    measure: (workspace, effort) => measureSlowDisk(workspace, effort, { writers: 1, figure: "p50" }),
  },
  {
    name: "slow-disk-p99",
    title: "p99 of the list beside 8 writers / without, a sync of 8 ms",
    unit: "",
    target: { below: 2 },
    tools: ["taskset", "wrk", "cc"],
    measure: (workspace, effort) => measureSlowDisk(workspace, effort, { writers: 8, figure: "p99" }),
  },
  {
    name: "slow-disk-creations",
    title: "durable creations, 64 connections / one connection, a sync of 8 ms",
    unit: "",
    target: { atLeast: 45 },
    tools: ["taskset", "wrk", "cc"],
    measure: measureSlowCreations,
  },
  {
    name: "events",
    title: "events / pets, page by page, 100 on a page",
    over: "wholeEvents",
    under: "wholePets",
    target: { atLeast: 0.9 },
  },
  {
    name: "webhooks",
    title: "webhooks to one local receiver, in order, per second",
    unit: "",
    target: { atLeast: 1_000 },
    tools: ["taskset"],
    measure: measureWebhooks,
  },
  {
    name: "waiting-readers",
    title: "p99 from a change to an answer, 10,000 waiting readers, 10 changes per second",
    unit: "ms",
    target: { below: 250 },
    tools: ["taskset"],
    measure: (workspace, effort) => measureWaitingReaders(workspace, effort, "latency"),
  },
  {
    name: "waiting-readers-memory",
    title: "resident memory with 10,000 waiting readers",
    unit: "MB",
    target: { below: 300 },
    tools: ["taskset"],
    measure: (workspace, effort) => measureWaitingReaders(workspace, effort, "memory"),
  },
  {
    name: "memory",
    title: "resident memory after a load, a million pets in the file",
    unit: "MB",
    target: { below: 110 },
    tools: ["taskset", "wrk"],
    measure: measureMemory,
  },
  {
    name: "memory-keys",
    title: "resident memory after a load with 100,000 keys",
    unit: "MB",
    target: { below: 200 },
    tools: ["taskset", "wrk"],
    measure: measureMemoryOfKeys,
  },
  {
    name: "start",
    title: "start to first answer, existing database",
    unit: "ms",
    target: { below: 250 },
    tools: ["taskset"],
    measure: measureStart,
  },
  {
    name: "postgres-list",
    title: "list of 20, PostgreSQL and Redis, one node / its query by the bare client",
    over: "nodeList",
    under: "bareClient",
    target: { atLeast: 0.6 },
  },
  {
    name: "postgres-pages",
    title: "different pages, PostgreSQL and Redis, one node / the query of one by the bare client",
    over: "nodePages",
    under: "bareClient",
    target: { atLeast: 0.4 },
  },
  {
    name: "two-nodes",
    title: "list of 20, PostgreSQL and Redis, two nodes / one node",
    over: "twoNodesList",
    under: "nodeList",
    target: { atLeast: 1.7 },
    cores: CORES_FOR_TWO_NODES,
  },
  {
    name: "postgres-creations",
    title: "creations on PostgreSQL, 64 connections / pgbench, 64 clients",
    over: "nodeCreations",
    under: "pgbench",
    target: { atLeast: 0.5 },
  },
  {
    name: "redis-latency",
    title: "p50 of one limiter decision in Redis",
    unit: "ms",
    target: { below: 0.3 },
    tools: ["taskset", "redis-server"],
    measure: measureRedisLatency,
  },
  ...postgresShopBenchmarks,
];
