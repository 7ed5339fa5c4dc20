import { expect, test } from "bun:test";
import { OperatorAdministration } from "../../src/domain/operators.ts";
import { firstStart } from "../../src/wiring/service.ts";
import type { Stores } from "../../src/wiring/stores.ts";
import { openStores } from "../../src/wiring/stores.ts";
import { TESTER } from "../support/author.ts";
import { states } from "../support/markdown.ts";
import { queryAt } from "../support/postgres.ts";
import { createDatabase } from "../support/shared-postgres.ts";
import { newStore } from "../support/store.ts";

const NOW = Date.UTC(2026, 11, 2, 10);
const start = (stores: Stores, hasConsole = true) =>
  firstStart({ stores, deployment: "production", hasConsole, clock: () => NOW });
const openFile = async () => {
  const store = await newStore("sqlite");
  const database = { engine: "sqlite" as const, path: store.url.slice("sqlite:".length) };
  const stores = await openStores({ database, deployment: "production", checksCategories: false }, () => {});
  const close = async () => {
    await stores.close();
    await store.remove();
  };
  return { stores, close };
};

test("nodes that start together on an empty PostgreSQL database create one first key, and one link", async () => {
  states("docs/administration.md", "Of any number of uses at once, on any node, one succeeds.");
  states(
    "docs/running.md",
    "All tables are in the schema `petstore`; the first node to start creates it, and others wait.",
  );
  const { url, drop } = await createDatabase();
  const database = { engine: "postgres" as const, url, poolSize: 2 };
  const open = () => openStores({ database, deployment: "production", checksCategories: false }, () => {});
  const nodes = [await open(), await open(), await open(), await open()];
  try {
    const issued = await Promise.all(nodes.map((stores) => start(stores)));
    expect(issued.filter(({ firstKey }) => firstKey !== undefined)).toHaveLength(1);
    const [link, ...others] = issued.flatMap(({ firstLink }) => firstLink ?? []);
    expect(others).toEqual([]);
    const enter = ({ operators }: Stores) =>
      new OperatorAdministration(operators, TESTER).createFirst(link?.secret ?? "", "Ada", NOW);
    const entered = await Promise.all(nodes.map(enter));
    expect(entered.filter((one) => one !== undefined)).toMatchObject([{ operator: { role: "admin" } }]);
    expect(await nodes[0]?.keys.list({ order: "oldest", limit: 9 }, NOW)).toHaveLength(1);
    const own = "table_schema NOT IN ('pg_catalog', 'information_schema')";
    const schemas = `SELECT DISTINCT table_schema AS name FROM information_schema.tables WHERE ${own}`;
    expect(await queryAt(url, schemas)).toEqual([{ name: "petstore" }]);
  } finally {
    await Promise.all(nodes.map((stores) => stores.close()));
    await drop();
  }
});

test("the first key has the Business plan and every scope, and there is no second one", async () => {
  states(
    "docs/quick-start.md",
    "To run the service yourself, follow the README: its first start prints a key, and a command that uses it with the base address.",
  );
  states("docs/administration.md", "No later start prints another link");
  const { stores, close } = await openFile();
  const { firstKey: issued } = await start(stores);
  expect(issued?.key).toMatchObject({
    name: "first key",
    plan: "business",
    limits: { perMinute: 1_000, perDay: 100_000 },
    scopes: ["pets:read", "pets:write", "orders:read", "orders:write", "events:read"],
    createdAt: NOW,
  });
  expect(issued?.secret).toStartWith("pets_live_");
  expect(await start(stores)).toEqual({ firstKey: undefined, firstLink: undefined });
  const [entry] = await stores.audit.list({ limit: 9 });
  expect(entry).toMatchObject({ action: "key.create", operator: { name: "first start" }, target: issued?.key.id });
  await close();
});

test("there is no link without a console, nor beside an operator", async () => {
  states(
    "CHANGELOG.md",
    "the first start prints a link that opens the console as its first admin, once, within 15 minutes;",
  );
  states("docs/administration.md", "Without this listener there is no link.");
  const off = await openFile();
  expect((await start(off.stores, false)).firstLink).toBeUndefined();
  const operated = await openFile();
  await new OperatorAdministration(operated.stores.operators, TESTER).create("Ada", "viewer", NOW);
  const { firstKey, firstLink } = await start(operated.stores);
  expect(firstKey).toBeDefined();
  expect(firstLink).toBeUndefined();
  await Promise.all([off.close(), operated.close()]);
});
