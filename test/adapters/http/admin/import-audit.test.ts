import { expect, test } from "bun:test";
import { useOperator, useService } from "../../../support/use-service.ts";

const service = useService();
const { client: admin, operator } = useOperator(service);
const author = () => ({ id: operator.id, name: operator.name });

test("the audit log has the beginning, each batch and the end of an import, and each added pet, with their operator", async () => {
  const headers = { "Content-Type": "text/csv", "X-Request-Id": "import-1" };
  const body = "name,categoryId\nRex,1\nMia,x\n";
  expect((await admin.request("/admin/v1/pets/import", { method: "POST", headers, body })).status).toBe(200);
  await admin.post("/admin/v1/pets", { name: "Bo", categoryId: 7 }, { "X-Request-Id": "add-1" });
  const { entries } = (await admin.get("/admin/v1/audit?limit=4")).body;
  expect(entries).toMatchObject([
    { action: "pet.create", requestId: "add-1", target: expect.any(String), after: { name: "Bo", categoryId: 7 } },
    { action: "pets.import.end", requestId: "import-1", after: { imported: 1, rejected: 1, isWhole: true } },
    { action: "pets.import.batch", requestId: "import-1", after: { imported: 1, line: 3 } },
    { action: "pets.import.begin", requestId: "import-1", after: { format: "csv" } },
  ]);
  for (const entry of entries) expect(entry.operator).toEqual(author());
});

test("the entry of a batch has the number of pets that the import has added so far", async () => {
  const headers = { "Content-Type": "text/csv" };
  const body = `name,categoryId\n${"Rex,1\n".repeat(1_200)}`;
  expect((await admin.request("/admin/v1/pets/import", { method: "POST", headers, body })).status).toBe(200);
  const { entries } = (await admin.get("/admin/v1/audit?action=pets.import.batch&limit=2")).body;
  const [last, first] = entries.map(({ after }: { after: { imported: number } }) => after.imported);
  expect(last).toBe(1_200);
  expect(first).toBeWithin(500, 1_200);
});
