import { expect, test } from "bun:test";
import { states } from "../support/markdown.ts";
import { useService } from "../support/use-service.ts";
import { Workplace } from "./petstore.ts";

const env = { PETSTORE_CATEGORY_CHECK: "on" };
const service = useService({ env });
const petstore = new Workplace(service);

test("an import rejects lines that name an unknown category, if the service checks categories", async () => {
  states("docs/data.md", "with `PETSTORE_CATEGORY_CHECK=on`, a category that does not exist.");
  await service.stores.categories.put({ id: 7n, name: "Dogs" }, { now: Date.now() });
  const old = (await service.stores.pets.create({ name: "Old", categoryId: 7n }, { now: Date.now() })).id;
  const lines = [
    '{"name":"Rex","categoryId":7}',
    '{"name":"Bo","categoryId":8}',
    '{"name":"Mia","categoryId":7}',
    `{"id":${old},"categoryId":8}`,
    `{"id":${old},"name":"Older"}`,
  ];
  const importing = async (...options: string[]) =>
    (
      await petstore.run(["pets", "import", "-", "--format", "ndjson", "--replace", "--json"], {
        input: lines.join("\n"),
        ...(options.length === 0 && { env }),
      })
    ).json;
  expect(await importing()).toMatchObject({ imported: 2, changed: 1, rejected: 2 });
  const rejected = await Bun.file(petstore.path("stdin.rejected")).text();
  expect(
    rejected
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
      .map(({ line, reason }) => [line, reason]),
  ).toEqual([
    [2, "categoryId must be the id of a category."],
    [4, "categoryId must be the id of a category."],
  ]);
  expect(await importing("off")).toMatchObject({ imported: 3, changed: 1, unchanged: 1, rejected: 0 });
});

test("a file of rejected lines that cannot be written ends an import before its first line", async () => {
  const path = petstore.path("missing/lines.ndjson");
  const options = ["--format", "ndjson", "--rejected", path];
  const { code, stdout, stderr } = await petstore.run(["pets", "import", "-", ...options], {
    input: '{"name":"Rex","categoryId":7}',
  });
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: "",
    stderr: `petstore: ${path} cannot be written: there is no such file or directory.\n`,
  });
});

test("a file that an operator sends is checked too", async () => {
  states(
    "docs/administration.md",
    "With `PETSTORE_CATEGORY_CHECK=on` a line that names an unknown category is invalid.",
  );
  const { client: admin } = await service.withOperator();
  const answer = await admin.request("/admin/v1/pets/import", {
    method: "POST",
    headers: { "Content-Type": "application/x-ndjson" },
    body: '{"name":"Rex","categoryId":7}\n{"name":"Bo","categoryId":9}\n',
  });
  expect(JSON.parse(answer.text.trimEnd().split("\n").at(-1) ?? "")).toEqual({
    done: true,
    imported: 1,
    rejected: 1,
    rejections: [{ line: 2, problem: "categoryId must be the id of a category." }],
  });
});
