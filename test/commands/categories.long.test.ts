import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { states } from "../support/markdown.ts";
import { useService } from "../support/use-service.ts";
import { Workplace } from "./petstore.ts";

const service = useService();
const petstore = new Workplace(service);

const names = async (...options: string[]) =>
  (await petstore.json("categories", "list", ...options)).map(({ name }: { name: string }) => name);

test("import creates categories under their ids or new ones, and renames those that exist", async () => {
  states("docs/commands.md", "creates and renames them as a file says.");
  states(
    "docs/data.md",
    "`categories import` creates the category with the id of a line, or renames it; without an id it creates one under a new id.",
  );
  const csv = "name,id\nDogs,1\nRare,-9223372036854775808\n'=cmd,\nCats,9223372036854775807\n";
  writeFileSync(petstore.path("categories.csv"), csv);
  expect(await petstore.json("categories", "import", "categories.csv")).toMatchObject({
    imported: 4,
    changed: 0,
    unchanged: 0,
    rejected: 0,
  });
  const { stdout } = await petstore.run(["categories", "export"]);
  expect(stdout).toBe(
    '{"id":-9223372036854775808,"name":"Rare"}\n{"id":1,"name":"Dogs"}\n{"id":2,"name":"=cmd"}\n{"id":9223372036854775807,"name":"Cats"}\n',
  );
  const input = '{"id":1,"name":"Hounds"}\n{"id":2,"name":"=cmd"}\n';
  const again = await petstore.run(["categories", "import", "-", "--format", "ndjson"], { input });
  expect(again.stdout).toMatch(/^Imported 0 categories, changed 1, left 1 unchanged, in \d+\.\d s \(.*\)\.\n$/);
  const [entry] = await petstore.json("audit", "--limit", "1");
  expect(entry).toMatchObject({
    action: "categories.import",
    after: { file: "-", changed: 1, unchanged: 1, line: 2 },
  });
  const events = await service.stores.events.list({ after: 0n, limit: 100 });
  const changes = events.filter(({ subject }) => subject === "categories/1").map(({ type }) => type);
  expect(changes).toEqual(["category.created", "category.updated"]);
});

test("a line whose name is taken or invalid is rejected, and the others are imported", async () => {
  const input = '{"name":"HOUNDS"}\n{"name":" "}\n{"id":"1","name":"Fish"}\n{"name":"Birds"}\n';
  const { code, json } = await petstore.run(["categories", "import", "-", "--format", "ndjson", "--json"], { input });
  expect({ code, ...json }).toMatchObject({ code: 1, imported: 1, rejected: 3, rejectedFile: "stdin.rejected" });
  const rejected = readFileSync(petstore.path("stdin.rejected"), "utf8").trimEnd().split("\n");
  expect(rejected.map((line) => JSON.parse(line))).toEqual([
    {
      line: 1,
      reason: "Category 1 has this name. Names of categories are unique; case is ignored.",
      text: '{"name":"HOUNDS"}',
    },
    {
      line: 2,
      reason: "name must be 1 to 100 characters, not blank, without control characters or lone surrogates.",
      text: '{"name":" "}',
    },
    {
      line: 3,
      reason: "id must be an integer from -9223372036854775808 to 9223372036854775807.",
      text: '{"id":"1","name":"Fish"}',
    },
  ]);
});

test("a name may be taken that an earlier line has given up", async () => {
  const input = "id,name\n1,Wolves\n2,Hounds\n";
  const { code } = await petstore.run(["categories", "import", "-", "--format", "csv"], { input });
  expect(code).toBe(0);
  expect(await names("--ids", "1,2")).toEqual(["Wolves", "Hounds"]);
});

test("a name that another category has is refused, also if a later line gives it up", async () => {
  states("docs/data.md", "Lines take effect in their order: a name is refused while another category has it.");
  const other = new Workplace();
  const importing = (lines: string, ...options: string[]) =>
    other.run(["categories", "import", "-", "--format", "csv", "--json", ...options], { input: `id,name\n${lines}` });
  await importing("1,A\n2,B\n3,C\n", "--create");
  const { code, json } = await importing("1,B\n2,D\n1,b\n,c\n");
  expect({ code, ...json }).toMatchObject({ code: 1, imported: 0, changed: 2, unchanged: 0, rejected: 2 });
  const all = await other.json("categories", "list");
  expect(all.map(({ name }: { name: string }) => name)).toEqual(["b", "D", "C"]);
  const rejected = readFileSync(other.path("stdin.rejected"), "utf8").trimEnd().split("\n");
  expect(rejected.map((line) => JSON.parse(line)).map(({ line, reason }) => [line, reason.slice(0, 24)])).toEqual([
    [2, "Category 2 has this name"],
    [5, "Category 3 has this name"],
  ]);
  other.remove();
});

test("list has filters, pages and a table", async () => {
  expect(await names("--name", "WOLVES")).toEqual(["Wolves"]);
  expect(await names("--after", "1", "--limit", "1")).toEqual(["Hounds"]);
  expect((await petstore.run(["categories", "list", "--ids", "1,-9223372036854775808"])).stdout).toBe(
    "ID                    NAME\n-9223372036854775808  Rare\n1                     Wolves\n",
  );
  expect((await petstore.run(["categories", "list", "--limit", "1"])).stdout).toEndWith(
    "More follow: add --after -9223372036854775808, or a larger --limit.\n",
  );
  expect((await petstore.run(["categories", "list", "--name", "nothing"])).stdout).toBe("No category matches.\n");
});

test("show, rename and delete name one category, with audit entries", async () => {
  states(
    "docs/commands.md",
    "`petstore categories list`, `show`, `rename`, `delete`, `import`, `export` | Lists, renames and removes categories",
  );
  expect((await petstore.run(["categories", "show", "1"])).stdout).toBe("id    1\nname  Wolves\n");
  expect((await petstore.run(["categories", "rename", "1", "Dogs"])).stdout).toBe('Category 1 is named "Dogs" now.\n');
  expect(await petstore.json("categories", "show", "1")).toEqual({ id: 1, name: "Dogs" });
  expect(await petstore.run(["categories", "rename", "1", "hounds"])).toMatchObject({
    code: 1,
    stderr: "petstore: Category 2 has this name. Names of categories are unique; case is ignored.\n",
  });
  const { id } = await service.stores.pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  expect(await petstore.run(["categories", "delete", "1"])).toMatchObject({
    code: 1,
    stderr: "petstore: Pets have this category. Give them another one first.\n",
  });
  await service.stores.pets.delete(BigInt(id), { now: Date.now() });
  expect((await petstore.run(["categories", "delete", "1"])).stdout).toBe("Removed category 1.\n");
  for (const args of [["show"], ["rename", "1", "Birds of prey"], ["delete"]]) {
    const [name = "", gone = "1", ...rest] = args;
    expect(await petstore.run(["categories", name, gone, ...rest])).toMatchObject({
      code: 1,
      stderr: `petstore: There is no category with this id. ${petstore.shown("categories list")} shows the categories.\n`,
    });
  }
  const changes = await petstore.json("audit", "--target", "1", "--limit", "2");
  expect(changes).toMatchObject([
    { action: "category.delete", before: { name: "Dogs" }, after: null },
    { action: "category.update", before: { name: "Wolves" }, after: { name: "Dogs" } },
  ]);
});

test("a category whose id is negative is named like any other", async () => {
  expect(await petstore.json("categories", "rename", "-9223372036854775808", "Rarest")).toMatchObject({
    name: "Rarest",
  });
  expect((await petstore.run(["categories", "show", "-9223372036854775808"])).stdout).toContain("Rarest");
});
