import { expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { eventually } from "../../../support/eventually.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const service = useService();
const { client: admin, operator } = useOperator(service);
const author = () => ({ id: operator.id, name: operator.name });

const ACTIONS = "pet.create,pets.import.begin,pets.import.batch,pets.import.end";

test("the audit log has the beginning, each batch and the end of an import, and each added pet, with their operator", async () => {
  const headers = { "Content-Type": "text/csv", "X-Request-Id": "import-1" };
  const body = "name,categoryId\nRex,1\nMia,x\n";
  expect((await admin.request("/admin/v1/pets/import", { method: "POST", headers, body })).status).toBe(200);
  await admin.post("/admin/v1/pets", { name: "Bo", categoryId: 7 }, { "X-Request-Id": "add-1" });
  const { entries } = (await admin.get(`/admin/v1/audit?limit=4&action=${ACTIONS}`)).body;
  expect(entries).toMatchObject([
    { action: "pet.create", requestId: "add-1", target: expect.any(String), after: { name: "Bo", categoryId: 7 } },
    { action: "pets.import.end", requestId: "import-1", after: { imported: 1, rejected: 1, line: 3, isWhole: true } },
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

test("lists and files have one entry for an import, with its outcome, and its target selects all of its entries", async () => {
  const headers = { "Content-Type": "application/x-ndjson" };
  const body = `${'{"name":"Rex","categoryId":1}\n'.repeat(2_100)}x\n`;
  const before = (await admin.get("/admin/v1/audit?limit=1")).body.entries[0]?.id ?? 0;
  expect((await admin.request("/admin/v1/pets/import", { method: "POST", headers, body })).status).toBe(200);
  const [pet] = (await admin.get("/admin/v1/pets?limit=1")).body.pets;
  const change = JSON.stringify({ id: pet.id, name: "Changed" });
  await admin.request("/admin/v1/pets/import?replace=true", { method: "POST", headers, body: change });
  const newer = (entries: { id: number }[]) => entries.filter(({ id }) => id > before);
  const { entries } = (await admin.get("/admin/v1/audit?limit=100")).body;
  expect(newer(entries)).toMatchObject([
    { action: "pets.import.begin", after: { format: "ndjson", replace: true, imported: 0, changed: 1, isWhole: true } },
    { action: "pets.import.begin", after: { imported: 2_100, rejected: 1, line: 2_101, isWhole: true } },
  ]);
  const own = await admin.get(`/admin/v1/audit?limit=100&operator=${operator.id}`);
  expect(newer(own.body.entries)).toEqual(newer(entries));
  const { text } = await admin.get("/admin/v1/audit/export?format=ndjson");
  expect(
    newer(
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ),
  ).toEqual(newer(entries));
  const parts = (await admin.get(`/admin/v1/audit?limit=100&target=${entries[1].target}`)).body.entries;
  expect(parts.at(-1)).toMatchObject({ action: "pets.import.begin", after: { format: "ndjson" } });
  expect(parts.length).toBeGreaterThanOrEqual(6);
  const changes = (await admin.get(`/admin/v1/audit?limit=1&target=${pet.id}&action=pet.update`)).body.entries;
  expect(changes).toMatchObject([{ action: "pet.update", before: { name: pet.name }, after: { name: "Changed" } }]);
});

test("an upload that is cut is not complete, and goes on behind its last line", async () => {
  const line = (i: number) => `{"name":"Cut","categoryId":${i}}\n`;
  const lines = Array.from({ length: 3_000 }, (_, i) => line(i));
  const text = lines.join("");
  const address = new URL(service.adminUrl);
  const socket = connect({ host: address.hostname, port: Number(address.port) });
  await once(socket, "connect");
  socket.write(
    `POST /admin/v1/pets/import HTTP/1.1\r\nHost: ${address.host}\r\nAuthorization: Bearer ${operator.token}\r\nContent-Type: application/x-ndjson\r\nContent-Length: ${text.length + 1_000_000}\r\n\r\n`,
  );
  socket.write(text.slice(0, -10));
  const newest = async () => (await admin.get("/admin/v1/audit?limit=1")).body.entries[0];
  await eventually(async () => (await newest()).after.imported >= 2_000);
  socket.destroy();
  const { target } = await newest();
  const ofTarget = async () => (await admin.get(`/admin/v1/audit?limit=1&target=${target}`)).body.entries[0];
  await eventually(async () => (await ofTarget()).action === "pets.import.end");
  const { after } = await newest();
  expect(after.isWhole).toBe(false);
  expect(after.line).toBe(after.imported);
  const path = `/admin/v1/pets/import?fromLine=${after.line + 1}`;
  const rest = await admin.request(path, {
    method: "POST",
    headers: { "Content-Type": "application/x-ndjson" },
    body: text,
  });
  expect(JSON.parse(rest.text)).toMatchObject({ done: true, imported: 3_000 - after.imported });
  const all = (await admin.get("/admin/v1/pets/export")).text;
  const numbers = all
    .trimEnd()
    .split("\n")
    .map((one) => JSON.parse(one))
    .filter(({ name }) => name === "Cut")
    .map(({ categoryId }) => categoryId);
  expect(numbers).toEqual(Array.from({ length: 3_000 }, (_, i) => i));
});
