import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { states } from "../support/markdown.ts";
import { useKey, useService } from "../support/use-service.ts";
import { Workplace } from "./petstore.ts";

const staging = { PETSTORE_DEPLOYMENT: "staging" };
const service = useService({ env: staging });
const { client } = useKey(service);
const petstore = new Workplace(service);
const reset = (...args: string[]) => petstore.run(["staging", "reset", ...args], { env: staging });
const names = async () => (await client.get("/v1/pets?limit=100")).body.map(({ name }: { name: string }) => name);

test("without --yes a reset says what it would remove, and changes nothing", async () => {
  states("docs/data.md", "Without `--yes` the command shows what it would remove.");
  const { id } = (await client.post("/v1/pets", { name: "Rex", categoryId: 1 })).body;
  await client.post("/v1/store/orders", { petId: id });
  const refusal = async () => {
    const { code, stderr } = await reset();
    expect(code).toBe(1);
    return stderr;
  };
  expect(await refusal()).toContain(
    "has 1 pet and 1 order. To remove them, with all categories, repeat the command with --yes.",
  );
  expect(await names()).toEqual(["Rex"]);
  // Each counts, with any status.
  const { body: again } = await client.post("/v1/pets", { name: "Mia", categoryId: 1 });
  const { body: order } = await client.post("/v1/store/orders", { petId: again.id });
  await client.request(`/v1/store/orders/${order.id}`, {
    method: "PATCH",
    headers: { "Content-Type": "application/json" },
    body: '{"status":"cancelled"}',
  });
  await client.post("/v1/pets", { name: "Tom", categoryId: 1, status: "sold" });
  expect((await client.get("/v1/store/inventory")).body).toEqual({ available: 1, pending: 1, sold: 1 });
  expect(await refusal()).toContain("has 3 pets and 2 orders.");
});

test("a reset puts sample data in the place of everything, which a running service sees at once", async () => {
  states(
    "docs/commands.md",
    "`petstore staging reset` | Replaces all pets, categories and orders of staging by sample data.",
  );
  states(
    "docs/data.md",
    "A reset removes all pets, categories, orders and idempotency keys of staging, and adds a sample shop: 200 pets, 9 categories, and orders of the last 30 days.",
    "none is given again",
    "The first id is printed.",
  );
  const headers = { "Content-Type": "application/json", "Idempotency-Key": "once" };
  const body = JSON.stringify({ name: "Stray", categoryId: 1 });
  const { id } = (await client.request("/v1/pets", { method: "POST", headers, body })).body;
  await names();
  const { code, stdout } = await reset("--yes");
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `Staging has 200 pets from id ${id + 1} on, 9 categories and 85 orders.\n`,
  });
  expect(await names()).not.toContain("Stray");
  expect((await client.get("/v1/store/inventory")).body).toEqual({ available: 118, pending: 31, sold: 51 });
  const placed: { createdAt: string }[] = (await client.get("/v1/store/orders?limit=100")).body;
  for (const { createdAt } of placed)
    expect(Date.parse(createdAt)).toBeWithin(Date.now() - 31 * 86_400_000, Date.now() + 60_000);
  const again = await client.request("/v1/pets", { method: "POST", headers, body });
  expect(again.body.id).toBeGreaterThan(id + 200);
});

test("a reset takes the pets of a file, in any form that an import takes; an invalid line changes nothing", async () => {
  states(
    "docs/data.md",
    "`--seed FILE` takes the pets of a file instead, as `petstore pets import` does",
    "They come with the sample categories, and without orders. An invalid line changes nothing.",
  );
  writeFileSync(petstore.path("seed.csv"), "name,categoryId,status\n'=Rex,1,available\nMia,2,sold\n");
  writeFileSync(petstore.path("seed.txt"), '{"name":"Tom","categoryId":9223372036854775807}\n');
  writeFileSync(petstore.path("wrong.ndjson"), '{"name":"Rex","categoryId":1}\n{"name":"","categoryId":1}\n');
  const { json } = await reset("--seed", "seed.csv", "--yes", "--json");
  const [{ id: firstPetId }] = (await client.get("/v1/pets")).body;
  expect(json).toEqual({ pets: 2, categories: 9, orders: 0, firstPetId });
  expect(await names()).toEqual(["=Rex", "Mia"]);
  writeFileSync(petstore.path("empty.csv"), "name,categoryId\n");
  expect((await reset("--seed", "empty.csv", "--yes", "--json")).json).toMatchObject({ pets: 0, firstPetId: null });
  expect((await reset("--seed", "empty.csv", "--yes")).stdout).toBe("Staging has 0 pets, 9 categories and 0 orders.\n");
  writeFileSync(petstore.path("unknown.csv"), "name,categoryId\nRex,1\nMia,77\n");
  const checking = { ...staging, PETSTORE_CATEGORY_CHECK: "on" };
  const unknown = await petstore.run(["staging", "reset", "--seed", "unknown.csv", "--yes"], { env: checking });
  expect([unknown.code, unknown.stderr]).toEqual([
    ...[1, expect.stringContaining("Line 3: categoryId must be that of a sample category.")],
  ]);
  await reset("--seed", "seed.csv", "--raw", "--yes");
  expect(await names()).toEqual(["'=Rex", "Mia"]);
  const wrong = await reset("--seed", "wrong.ndjson", "--yes");
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain("Line 2: name must be 1 to 255 characters");
  expect((await reset("--seed", "seed.txt", "--yes")).code).toBe(2);
  expect((await reset("--seed", "missing.csv", "--yes")).code).toBe(1);
  expect(await names()).toEqual(["'=Rex", "Mia"]);
  expect((await reset("--seed", "seed.txt", "--format", "ndjson", "--yes")).code).toBe(0);
  expect((await client.get("/v1/pets")).text).toContain('"categoryId":9223372036854775807');
});

test("a reset is an entry in the audit log, of its author", async () => {
  states("docs/data.md", "The reset is the entry `shop.replace`.");
  await reset("--yes");
  const entries = await petstore.run(["audit", "--action", "shop.replace", "--limit", "1", "--json"], { env: staging });
  expect(entries.json[0]).toMatchObject({ after: { pets: 200, categories: 9, orders: 85 } });
  expect(entries.json[0].operator.name).toStartWith("command line (");
});

test("production is never reset, and no database is created for it", async () => {
  states(
    "CHANGELOG.md",
    "replace all pets, categories and orders by sample data, or by the pets of a file, in one transaction. Keys stay; production refuses.",
  );
  states("docs/data.md", "Production is never reset.");
  const before = await names();
  const { code, stderr } = await petstore.run(["staging", "reset", "--yes"]);
  expect(code).toBe(1);
  expect(stderr).toBe("petstore: This is production. Only staging can be reset: set PETSTORE_DEPLOYMENT=staging.\n");
  expect(await names()).toEqual(before);
  // Not those of the service, which goes on writing.
  const files = () => readdirSync(petstore.directory).filter((file) => !file.startsWith("petstore.db"));
  const filesBefore = files();
  const env = { ...staging, DATABASE_URL: "sqlite:missing.db" };
  if (service.store.engine === "sqlite") {
    expect((await petstore.run(["staging", "reset", "--yes"], { env })).stderr).toContain("There is no database");
  }
  expect(files()).toEqual(filesBefore);
});
