import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { fill, pets } from "./exported-pets.ts";
import { Workplace } from "./petstore.ts";

let petstore: Workplace;
beforeAll(async () => {
  petstore = new Workplace();
  await fill(petstore, pets);
});
afterAll(() => petstore.remove());

test.each([
  ["ndjson", []],
  ["csv", []],
  ["csv", ["--raw"]],
])("an export as %s %j imports as the same pets", async (format, options) => {
  const other = new Workplace();
  const file = other.path(`pets.${format}`);
  await petstore.run(["pets", "export", "--output", file, ...options]);
  expect(await other.json("pets", "import", file, "--create", ...options)).toMatchObject({
    imported: pets.length,
    rejected: 0,
  });
  const again = await other.run(["pets", "export"]);
  expect(again.stdout).toBe((await petstore.run(["pets", "export"])).stdout);
  other.remove();
});

test.each(["csv", "ndjson"])("an export as %s imports as the same categories elsewhere", async (format) => {
  const input = '{"id":-9223372036854775808,"name":"Rare"}\n{"id":1,"name":"Dogs"}\n{"id":2,"name":"=cmd"}\n';
  await petstore.run(["categories", "import", "-", "--format", "ndjson"], { input });
  await petstore.json("categories", "export", `all.${format}`);
  const other = new Workplace();
  const exported = readFileSync(petstore.path(`all.${format}`), "utf8");
  const { code } = await other.run(["categories", "import", "-", "--format", format, "--create"], { input: exported });
  expect(code).toBe(0);
  const exports = await Promise.all([petstore, other].map((place) => place.run(["categories", "export"])));
  expect(exports[1]?.stdout).toBe(exports[0]?.stdout ?? "");
  other.remove();
});
