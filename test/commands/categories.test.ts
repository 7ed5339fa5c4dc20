import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { useService } from "../support/use-service.ts";
import { Workplace } from "./petstore.ts";

/** Each command is a process, which a busy machine starts slowly. In ms. */
const PATIENCE = 60_000;

const service = useService();
const petstore = new Workplace(service);

const names = async (...options: string[]) =>
  (await petstore.json("categories", "list", ...options)).map(({ name }: { name: string }) => name);

test(
  "import creates categories under their ids or new ones, and renames those that exist",
  async () => {
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
    const actions = (await petstore.json("audit", "--target", "1")).map(({ action }: { action: string }) => action);
    expect(actions).toEqual(["category.update", "category.create"]);
  },
  PATIENCE,
);

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

test(
  "list has filters, pages and a table",
  async () => {
    expect(await names("--name", "WOLVES")).toEqual(["Wolves"]);
    expect(await names("--after", "1", "--limit", "1")).toEqual(["Hounds"]);
    expect((await petstore.run(["categories", "list", "--ids", "1,-9223372036854775808"])).stdout).toBe(
      "ID                    NAME\n-9223372036854775808  Rare\n1                     Wolves\n",
    );
    expect((await petstore.run(["categories", "list", "--limit", "1"])).stdout).toEndWith(
      "More follow: add --after -9223372036854775808, or a larger --limit.\n",
    );
    expect((await petstore.run(["categories", "list", "--name", "nothing"])).stdout).toBe("No category matches.\n");
  },
  PATIENCE,
);

test.each(["csv", "ndjson"])("an export as %s imports as the same categories elsewhere", async (format) => {
  await petstore.json("categories", "export", `all.${format}`);
  const other = new Workplace();
  const input = readFileSync(petstore.path(`all.${format}`), "utf8");
  const { code } = await other.run(["categories", "import", "-", "--format", format, "--create"], { input });
  expect(code).toBe(0);
  const exports = await Promise.all([petstore, other].map((place) => place.run(["categories", "export"])));
  expect(exports[1]?.stdout).toBe(exports[0]?.stdout ?? "");
  other.remove();
});
