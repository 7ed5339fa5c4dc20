import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { TESTER } from "../support/author.ts";
import { states } from "../support/markdown.ts";
import { useService } from "../support/use-service.ts";
import { Workplace } from "./petstore.ts";

const service = useService({ now: Date.now() });
const petstore = new Workplace(service);

async function place(name = "Rex", now = service.now) {
  const pet = await service.stores.pets.create({ name, categoryId: 1n }, { now: Date.now() });
  return (await service.stores.orders.place(BigInt(pet.id), now)).created;
}
const petStatus = async (id: number) => (await service.stores.pets.get(BigInt(id)))?.status;
const ids = async (...options: string[]) =>
  (await petstore.json("orders", "list", ...options)).map(({ id }: { id: number }) => id);

test("approve, deliver and cancel change an order and its pet, with audit entries", async () => {
  states("docs/data.md", "Each change has an entry in the audit log.");
  const { id, petId } = await place();
  expect((await petstore.run(["orders", "approve", String(id)])).stdout).toBe(
    `Order ${id} of pet ${petId} is approved.\n`,
  );
  expect(await petstore.json("orders", "deliver", String(id))).toMatchObject({ id, petId, status: "delivered" });
  expect(await petStatus(petId)).toBe("sold");
  expect(await petstore.run(["orders", "cancel", String(id)])).toMatchObject({
    code: 1,
    stderr: "petstore: An order that is delivered cannot become cancelled: this status is final.\n",
  });
  const other = await place();
  await petstore.json("orders", "cancel", String(other.id));
  expect(await petStatus(other.petId)).toBe("available");
  const changes = await petstore.json("audit", "--action", "order.update");
  expect(
    changes.map(({ target, after }: { target: string; after: { status: string } }) => [target, after.status]),
  ).toEqual([
    [String(other.id), "cancelled"],
    [String(id), "delivered"],
    [String(id), "approved"],
  ]);
});

test("list and show have the order with its pet", async () => {
  const { id, petId } = await place("Größe", Date.UTC(2026, 0, 31, 23, 59, 59));
  await service.stores.orders.update(BigInt(id), "approved", Date.UTC(2026, 1, 1), { by: TESTER });
  const later = await place();
  expect(await ids("--pet", String(petId))).toEqual([id]);
  expect(await ids("--ids", `${id},${later.id}`, "--status", "approved")).toEqual([id]);
  expect(await ids("--ids", `${id},${later.id}`, "--limit", "1")).toEqual([id]);
  const lines = (await petstore.run(["orders", "list", "--pet", String(petId)])).stdout.split("\n");
  expect(lines[0]).toMatch(/^ID +PET +NAME +STATUS +REFERENCE +PLACED +CHANGED$/);
  const [placed, changed] = ["2026-01-31 23:59:59Z", "2026-02-01 00:00:00Z"];
  expect(lines[1]).toMatch(new RegExp(`^${id} +${petId} +Größe +approved +${placed} +${changed}$`));
  const { stdout } = await petstore.run(["orders", "show", String(id)]);
  expect(stdout).toMatch(
    new RegExp(
      `^id +${id}\npet +${petId}, "Größe" of category 1\nstatus +approved\nplaced +${placed}\nchanged +${changed}\n$`,
    ),
  );
  expect(await petstore.run(["orders", "show", "999999"])).toMatchObject({
    code: 1,
    stderr: `petstore: There is no order with this id. ${petstore.shown("orders list")} shows the orders.\n`,
  });
});

test("an order outlives its pet", async () => {
  const { id, petId } = await place();
  await petstore.json("orders", "cancel", String(id));
  await petstore.json("pets", "delete", String(petId));
  expect((await petstore.run(["orders", "show", String(id)])).stdout).toContain(
    `${petId}, "Rex" of category 1, removed since\n`,
  );
});

test("export writes the orders of one status, or all", async () => {
  states("docs/commands.md", "changes and exports orders.");
  const all = await petstore.json("orders", "list", "--limit", "1000");
  const { stdout } = await petstore.run(["orders", "export", "-"]);
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual(all);
  expect(await petstore.json("orders", "export", "orders.csv", "--status", "delivered")).toEqual({
    exported: 1,
    format: "csv",
    output: "orders.csv",
  });
  expect((await petstore.run(["orders", "export", "again.csv", "--status", "delivered"])).stdout).toBe(
    "Exported 1 order to again.csv.\n",
  );
  const [{ id, petId, createdAt, updatedAt }] = await petstore.json("orders", "list", "--status", "delivered");
  expect(readFileSync(petstore.path("orders.csv"), "utf8")).toBe(
    `id,petId,status,createdAt,updatedAt,petName,petCategoryId,reference,expiresAt\n${id},${petId},delivered,${createdAt},${updatedAt},Rex,1,,\n`,
  );
});

test("place orders an available pet, with an audit entry", async () => {
  states(
    "docs/commands.md",
    "`petstore orders list`, `show`, `place`, `approve`, `deliver`, `cancel`, `export` | Lists, places",
  );
  const { id: petId } = await service.stores.pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  const order = await petstore.json("orders", "place", String(petId), "--reference", "Nº 7");
  expect(order).toMatchObject({ petId, status: "placed", reference: "Nº 7" });
  expect(await ids("--reference", "Nº 7")).toEqual([order.id]);
  expect((await petstore.run(["orders", "show", String(order.id)])).stdout).toContain("reference  Nº 7\n");
  expect(await petStatus(petId)).toBe("pending");
  expect(await petstore.run(["orders", "place", String(petId)])).toMatchObject({
    code: 1,
    stderr: "petstore: This pet is pending. Only an available pet can be ordered.\n",
  });
  expect(await petstore.run(["orders", "place", "999999"])).toMatchObject({
    code: 1,
    stderr: `petstore: There is no pet with this id. ${petstore.shown("pets list")} shows the pets.\n`,
  });
  const [entry, ...others] = await petstore.json("audit", "--action", "order.place");
  expect(entry).toMatchObject({ target: String(order.id), before: null, after: order });
  expect(others).toEqual([]);
  await petstore.json("orders", "cancel", String(order.id));
  expect((await petstore.run(["orders", "place", String(petId)])).stdout).toMatch(
    new RegExp(`^Order \\d+ of pet ${petId} is placed\\.\n$`),
  );
});
