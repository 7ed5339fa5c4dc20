import type { Ratio } from "./benchmarks.ts";

/** The shop's lists, changes and orders, on SQLite. */
export const shopBenchmarks: Ratio[] = [
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
export const postgresShopBenchmarks: Ratio[] = [
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
