import { expect, test } from "bun:test";
import { states } from "../support/markdown.ts";
import { useService } from "../support/use-service.ts";
import { Workplace } from "./petstore.ts";

const service = useService();
const petstore = new Workplace(service);

const add = async (name: string, categoryId = 1n) =>
  (await service.stores.pets.create({ name, categoryId }, { now: Date.now() })).id;
const ids = async (...options: string[]) =>
  (await petstore.json("pets", "list", ...options)).map(({ id }: { id: number }) => id);
const changesOf = async (id: number) =>
  (await petstore.json("audit", "--target", String(id))).map(({ action }: { action: string }) => action);

test("list shows pets by id, and has the filters of the interface", async () => {
  const rex = await add("Rex", -5n);
  const bo = await add("Bo", -5n);
  const other = await add("REX", 9_223_372_036_854_775_807n);
  await petstore.json("pets", "update", String(bo), "--status", "sold");
  expect(await ids("--category", "-5")).toEqual([rex, bo]);
  expect(await ids("--category", "-5", "--newest")).toEqual([bo, rex]);
  expect(await ids("--name", "rex")).toEqual([rex, other]);
  expect(await ids("--status", "sold", "--ids", `${rex},${bo}`)).toEqual([bo]);
  expect(await ids("--ids", `${rex},${bo},${other}`, "--after", String(rex), "--limit", "1")).toEqual([bo]);
  const { stdout } = await petstore.run(["pets", "list", "--ids", `${rex},${other}`]);
  expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["ID", "NAME", "CATEGORY", "STATUS"],
    [String(rex), "Rex", "-5", "available"],
    [String(other), "REX", "9223372036854775807", "available"],
    [""],
  ]);
  expect((await petstore.run(["pets", "list", "--json", "--name", "rex"])).stdout).toContain(": 9223372036854775807,");
  expect((await petstore.run(["pets", "list", "--name", "nobody"])).stdout).toBe("No pet matches.\n");
});

test("a long list says how to go on, reads page by page, and fits into 80 columns", async () => {
  await Promise.all(Array.from({ length: 130 }, (_, i) => add(`${i} ${"long ".repeat(40)}`, 77n)));
  const all = await ids("--category", "77");
  expect(all).toHaveLength(130);
  expect(await ids("--category", "77", "--limit", "120")).toEqual(all.slice(0, 120));
  const list = async (...options: string[]) =>
    (await petstore.run(["pets", "list", "--category", "77", ...options])).stdout.trimEnd().split("\n");
  const lines = await list();
  expect(lines).toHaveLength(52);
  expect(lines.at(-1)).toBe(`More follow: add --after ${all[49]}, or a larger --limit.`);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect((await list("--limit", "100")).at(-1)).toStartWith("More follow");
  expect(await list("--limit", "130")).toHaveLength(131);
  expect((await list("--newest", "--limit", "130", "--after", String(all[2]))).slice(1)).toHaveLength(2);
});

test("show, update and delete work on one pet, by the rules of the interface and with audit entries", async () => {
  states(
    "docs/commands.md",
    "`petstore pets list`, `show`, `update`, `delete`, `import`, `export` | Lists, changes and removes pets",
  );
  const id = await add("Rex", 4n);
  await service.stores.categories.put({ id: 4n, name: "Dogs" }, { now: Date.now() });
  expect((await petstore.run(["pets", "show", String(id)])).stdout).toMatch(
    new RegExp(`^id +${id}\nname +Rex\ncategory +4, Dogs\nstatus +available\n$`),
  );
  const { stdout } = await petstore.run(["pets", "update", String(id), "--name", "Max", "--status", "sold"]);
  expect(stdout).toBe(`Pet ${id} is "Max" of category 4, sold.\n`);
  expect(await petstore.json("pets", "update", String(id), "--category", "5")).toEqual({
    id,
    name: "Max",
    categoryId: 5,
    status: "sold",
  });
  expect(await petstore.run(["pets", "update", String(id), "--status", "pending"])).toMatchObject({
    code: 1,
    stderr: "petstore: A pet that is sold cannot become pending, only available.\n",
  });
  expect(await petstore.json("pets", "show", String(id))).toMatchObject({ name: "Max" });
  expect((await petstore.run(["pets", "delete", String(id)])).stdout).toBe(`Removed pet ${id}.\n`);
  for (const command of ["show", "delete"]) {
    expect(await petstore.run(["pets", command, String(id)])).toMatchObject({
      code: 1,
      stderr: `petstore: There is no pet with this id. ${petstore.shown("pets list")} shows the pets.\n`,
    });
  }
  expect(await changesOf(id)).toEqual(["pet.delete", "pet.update", "pet.update"]);
});

test("a pet that an order holds is not removed", async () => {
  const id = await add("Rex");
  const { created } = await service.stores.orders.place(BigInt(id), service.now);
  const { code, stderr } = await petstore.run(["pets", "delete", String(id)]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `petstore: Order ${created.id} holds this pet. Deliver or cancel the order to change the pet's status or remove it.\n`,
  });
});
