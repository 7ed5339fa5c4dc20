import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { states } from "../support/markdown.ts";
import { useService } from "../support/use-service.ts";
import { Workplace } from "./petstore.ts";

// As that of the commands: an import is not abandoned while it goes on.
const service = useService({ now: Date.now() });
const petstore = new Workplace(service);

const add = async (name: string) =>
  (await service.stores.pets.create({ name, categoryId: 1n }, { now: Date.now() })).id;
const petsOf = async (...ids: number[]) =>
  (await service.stores.pets.list({ ids: ids.map(BigInt), after: 0n, limit: 100 })).map(({ version, ...pet }) => pet);

async function replace(name: string, content: string) {
  writeFileSync(petstore.path(name), content);
  const { code, json } = await petstore.run(["pets", "import", name, "--replace", "--json"]);
  const { imported, changed, unchanged, statusKept, rejected } = json;
  return { code, imported, changed, unchanged, statusKept, rejected };
}

function rejectedOf(name: string): string[] {
  const lines = readFileSync(petstore.path(`${name}.rejected`), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => JSON.parse(line)).map(({ line, reason }) => `${line}: ${reason}`);
}

test.each(["csv", "ndjson"])(
  "an export as %s that is edited and imported with --replace changes what was edited",
  async (format) => {
    states(
      "docs/data.md",
      "A line without an id adds a pet. Pets that the file does not name stay: nothing is removed.",
    );
    const [first, second, third] = [await add("=1"), await add("Second"), await add("Third")];
    const file = `edited.${format}`;
    await petstore.run(["pets", "export", file, "--force"]);
    const text = readFileSync(petstore.path(file), "utf8");
    const added = format === "csv" ? ",New,7,\n" : '{"name":"New","categoryId":7}\n';
    const before = text.trimEnd().split("\n").length - (format === "csv" ? 1 : 0);
    expect(await replace(file, text.replaceAll("Second", "Changed") + added)).toMatchObject({
      code: 0,
      imported: 1,
      unchanged: before - 1,
      changed: 1,
      rejected: 0,
    });
    expect((await petsOf(first, second, third)).map(({ name }) => name)).toEqual(["=1", "Changed", "Third"]);
    expect(await service.stores.pets.list({ name: "new", after: BigInt(third), limit: 2 })).toMatchObject([
      { categoryId: 7n, status: "available" },
    ]);
    await petstore.json("pets", "update", String(second), "--name", "Done");
  },
);

test("what a line leaves out stays as it is, and the last line of an id counts", async () => {
  states(
    "docs/data.md",
    "A line that has an id changes that pet to what the line says. What the line leaves out, such as an empty cell or a missing column, stays as it is; CSV needs only the column `id`.",
  );
  const id = await add("Rex");
  expect(await replace("part.csv", `id,status\n${id},sold\n`)).toMatchObject({ code: 0, changed: 1 });
  expect(await petsOf(id)).toEqual([{ id, name: "Rex", categoryId: 1n, status: "sold" }]);
  const lines = [`{"id":${id},"name":"A"}`, `{"id":${id},"status":"available"}`, `{"id":${id},"name":"Rex"}`];
  expect(await replace("twice.ndjson", lines.join("\n"))).toMatchObject({ code: 0, changed: 3 });
  expect(await petsOf(id)).toEqual([{ id, name: "Rex", categoryId: 1n, status: "available" }]);
});

test("a line that cannot change its pet is rejected with the reason, and the others are imported", async () => {
  states(
    "docs/data.md",
    "Each line is imported or rejected alone. Rejected are ids of no pet, a status that cannot follow the current one, another status for a pet that an order holds",
  );
  const [held, sold, other] = [await add("Held"), await add("Sold"), await add("Other")];
  const { created: order } = await service.stores.orders.place(BigInt(held), service.now);
  await petstore.json("pets", "update", String(sold), "--status", "sold");
  const lines = [
    `{"id":${held},"status":"available"}`,
    `{"id":${held},"name":"Renamed","status":"pending"}`,
    `{"id":${sold},"status":"pending"}`,
    '{"id":9007199254740991,"name":"Nobody"}',
    '{"id":"1"}',
    '{"id":null,"name":"Null","categoryId":1}',
    `{"id":${other},"name":""}`,
    '{"name":"No category"}',
    `{"id":${other},"name":"Changed"}`,
  ];
  expect(await replace("refused.ndjson", lines.join("\n"))).toEqual({
    code: 1,
    imported: 0,
    changed: 2,
    unchanged: 0,
    statusKept: 0,
    rejected: 7,
  });
  expect(rejectedOf("refused.ndjson")).toEqual([
    `1: Order ${order.id} holds this pet. Deliver or cancel the order to change the pet's status or remove it.`,
    "3: A pet that is sold cannot become pending, only available.",
    "4: There is no pet with this id.",
    "5: id must be the id of a pet.",
    "6: id must be the id of a pet.",
    "7: name must be 1 to 255 characters, not blank, without control characters or lone surrogates.",
    "8: categoryId is required.",
  ]);
  expect((await petsOf(held, other)).map(({ name }) => name)).toEqual(["Renamed", "Changed"]);
});

test("a pet that a delivered order has sold stays sold, unless --replace-status is given", async () => {
  states(
    "docs/data.md",
    "even if its line says otherwise: the file may be older than the order. The summary counts such pets. With `--replace-status` they get the status of their line, too.",
    "Any other status counts, and clients change it meanwhile: take the column `status` out of the file unless you want to change it.",
  );
  states(
    "docs/data.md",
    "A pet that a delivered order has sold stays sold, even if its line says otherwise",
    "The summary counts such pets. With `--replace-status` they get the status of their line, too.",
    "An import with `--replace` keeps a pet sold that a delivered order has sold.",
  );
  const [sold, returned] = [await add("Sold"), await add("Returned")];
  const { orders, pets } = service.stores;
  for (const id of [sold, returned]) {
    const { created: order } = await orders.place(BigInt(id), service.now);
    for (const status of ["approved", "delivered"] as const) await orders.update(BigInt(order.id), status, service.now);
  }
  await pets.update(BigInt(returned), { status: "available" }, { now: Date.now() });
  const lines = `{"id":${sold},"name":"Renamed","status":"available"}\n{"id":${returned},"status":"pending"}\n`;
  const first = { code: 0, changed: 2, unchanged: 0, statusKept: 1, rejected: 0 };
  expect(await replace("older.ndjson", lines)).toMatchObject(first);
  expect((await petsOf(sold, returned)).map(({ status }) => status)).toEqual(["sold", "pending"]);
  expect(await replace("older.ndjson", lines)).toMatchObject({ changed: 0, unchanged: 2, statusKept: 1 });
  const { stdout } = await petstore.run(["pets", "import", "older.ndjson", "--replace"]);
  expect(stdout).toContain(
    "Kept the status of 1 pet that a delivered order has sold. To change it, add --replace-status.\n",
  );
  const { json } = await petstore.run(["pets", "import", "older.ndjson", "--replace-status", "--json"]);
  expect(json).toMatchObject({ changed: 1, unchanged: 1, statusKept: 0 });
  expect((await petsOf(sold)).map(({ name, status }) => ({ name, status }))).toEqual([
    { name: "Renamed", status: "available" },
  ]);
});

test("an import that changes pets has one audit entry, and the feed each change", async () => {
  states("docs/data.md", "A line that changes nothing is no event.");
  const id = await add("Rex");
  const [before] = await petstore.json("audit", "--limit", "1");
  await replace("audited.ndjson", `{"id":${id},"name":"Max"}\n{"id":${id}}\n{"name":"New","categoryId":1}\n`);
  const [entry, previous] = await petstore.json("audit", "--limit", "2");
  const counts = { imported: 1, changed: 1, unchanged: 1, statusKept: 0, rejected: 0 };
  expect(entry).toMatchObject({
    action: "pets.import",
    after: { file: "audited.ndjson", format: "ndjson", replace: true, ...counts, line: 3, isWhole: true },
  });
  expect(previous?.id).toBe(before?.id);
  const events = await service.stores.events.list({ after: 0n, limit: 5_000 });
  expect(events.filter(({ subject }) => subject === `pets/${id}`).map(({ type }) => type)).toEqual([
    "pet.created",
    "pet.updated",
  ]);
});

test("CSV needs the column id", async () => {
  const { code, stderr } = await petstore.run(["pets", "import", "-", "--format", "csv", "--replace"], {
    input: "name,categoryId\nRex,1\n",
  });
  expect(code).toBe(1);
  expect(stderr).toContain("Line 1 must name the columns, such as id,name,categoryId,status; it lacks id.");
});

test("thousands of lines change their pets while clients use the service", async () => {
  const client = await service.withKey();
  const ids = (
    await Promise.all(
      Array.from({ length: 3_000 }, (_, i) =>
        service.stores.pets.create({ name: `P${i}`, categoryId: 9n }, { now: Date.now() }),
      ),
    )
  ).map(({ id }) => id);
  const lines = ids.map((id) => `{"id":${id},"status":"sold"}`);
  const imported = replace("many.ndjson", lines.join("\n"));
  let isOver = false;
  imported.finally(() => {
    isOver = true;
  });
  const statuses = new Set<number>();
  while (!isOver) statuses.add((await client.post("/v1/pets", { name: "Own", categoryId: 1 })).status);
  expect(await imported).toMatchObject({ code: 0, changed: 3_000, rejected: 0 });
  expect([...statuses]).toEqual([201]);
});
