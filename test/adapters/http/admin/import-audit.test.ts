import { expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { detailsOf } from "../../../../src/domain/events.ts";
import { eventually } from "../../../support/eventually.ts";
import { codesIn, read, states, tableOf } from "../../../support/markdown.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const service = useService();
const { client: admin, operator } = useOperator(service);
const author = () => ({ id: operator.id, name: operator.name });

test("the audit log has one entry of an import, with its operator and what became of its lines", async () => {
  states(
    "docs/administration.md",
    "What it did to each pet and category is in the feed, not here.",
    "`file`, `format`, `replace`, `replaceStatus`, `fromLine` | What was imported, and how.",
  );
  const headers = { "Content-Type": "text/csv", "X-Request-Id": "import-1" };
  const body = `name,categoryId\n${"Rex,1\n".repeat(1_200)}Mia,x\n`;
  const newer = async (path = "/admin/v1/audit?limit=100") =>
    (await admin.get(path)).body.entries.filter(({ id }: { id: number }) => id > before);
  const before = (await admin.get("/admin/v1/audit?limit=1")).body.entries[0]?.id ?? 0;
  expect((await admin.request("/admin/v1/pets/import", { method: "POST", headers, body })).status).toBe(200);
  const [pet] = (await admin.get("/admin/v1/pets?limit=1")).body.pets;
  const changes = JSON.stringify({ id: pet.id, name: "Changed" });
  const replacing = { "Content-Type": "application/x-ndjson", "X-Request-Id": "import-2" };
  const path = "/admin/v1/pets/import?replace=true";
  await admin.request(path, { method: "POST", headers: replacing, body: changes });
  await admin.post("/admin/v1/pets", { name: "Bo", categoryId: 7 }, { "X-Request-Id": "add-1" });
  const entries = await newer();
  const added = { format: "csv", imported: 1_200, changed: 0, unchanged: 0, rejected: 1, line: 1_202, isWhole: true };
  const changed = { imported: 0, changed: 1, unchanged: 0, statusKept: 0, rejected: 0, line: 1, isWhole: true };
  const options = { format: "ndjson", replace: true, replaceStatus: false };
  expect(entries).toMatchObject([
    { action: "pet.create", requestId: "add-1", target: expect.any(String), after: { name: "Bo", categoryId: 7 } },
    { action: "pets.import", requestId: "import-2", before: null, after: { ...options, ...changed } },
    { action: "pets.import", requestId: "import-1", before: null, after: added },
  ]);
  const [, table = ""] = read("docs/administration.md").split("`after` has:\n\n");
  const rows = tableOf(table, "Field", "Content");
  const fields = entries.slice(1).flatMap(({ after }: { after: object }) => Object.keys(after));
  // Of commands, of imports that go on, and of those that were abandoned.
  const others = ["file", "fromLine", "endedAt"];
  expect(rows.flatMap(([field = ""]) => codesIn(field)).toSorted()).toEqual(
    [...new Set([...fields, ...others])].toSorted(),
  );
  for (const entry of entries) expect(entry.operator).toEqual(author());
  expect(await newer(`/admin/v1/audit?limit=100&operator=${operator.id}`)).toEqual(entries);
  expect(await newer(`/admin/v1/audit?limit=100&action=pets.import`)).toEqual(entries.slice(1));
  const { text } = await admin.get("/admin/v1/audit/export?format=ndjson&action=pets.import&limit=2");
  const lines = text.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(entries.slice(1));
  // What it added and changed is in the feed.
  const events = await Array.fromAsync([0n], () => service.stores.events.list({ after: 0n, limit: 5_000 }));
  const ofImport = events.flat().filter((event) => detailsOf(event).requestId === "import-1");
  expect(ofImport.map(({ type }) => type)).toEqual(Array(1_200).fill("pet.created"));
  expect(events.flat().filter((event) => detailsOf(event).requestId === "import-2")).toMatchObject([
    { type: "pet.updated", subject: `pets/${pet.id}` },
  ]);
});

test("an upload that is cut is not complete, and goes on behind its last line", async () => {
  states(
    "docs/administration.md",
    "To go on, send the file again with `fromLine`, which is the `lastLine` of that result and 1.",
    "If the connection was cut, the audit log has the last line soon.",
    "`line`, `isWhole` | The last line that was read, and whether the file was read to its end.",
    "If not, `fromLine` goes on with the next line.",
  );
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
  const imported = async () => (await admin.get("/admin/v1/pets?limit=1&name=Cut")).body.total;
  await eventually(async () => (await imported()) >= 2_000);
  socket.destroy();
  const newest = async () => (await admin.get("/admin/v1/audit?limit=1")).body.entries[0];
  await eventually(async () => (await newest()).action === "pets.import");
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
