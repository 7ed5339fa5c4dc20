import { describe, expect, test } from "bun:test";
import { detailsOf } from "../../../../src/domain/events.ts";
import { Connection } from "../../../attack/connection.ts";
import { eventually } from "../../../support/eventually.ts";
import { states } from "../../../support/markdown.ts";
import { RawSocket } from "../../../support/raw-socket.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const service = useService();
const { client: admin, operator } = useOperator(service);

const IMPORT = "/admin/v1/pets/import";
const NDJSON = "application/x-ndjson";
const importing = async (type: string, body: string) => {
  const answer = await admin.request(IMPORT, { method: "POST", headers: { "Content-Type": type }, body });
  const lines = answer.status === 200 ? answer.text.trimEnd().split("\n") : [];
  return { answer, last: JSON.parse(lines.at(-1) ?? "{}") };
};
const count = async (): Promise<number> => {
  const { text } = await admin.get("/admin/v1/pets/export");
  return text.split("\n").length - 1;
};
const newestEntry = async () => (await admin.get("/admin/v1/audit?limit=1")).body.entries[0];
/** Whether the newest entry is that of an import that has ended since the entry `id`. */
const hasEnded = async (id: number) => {
  const newest = await newestEntry();
  return newest.id > id && newest.action === "pets.import";
};

test("pets are added and listed in pages, with exact integers", async () => {
  states("docs/administration.md", "Pets, categories and orders have the fields and the rules of the interface.");
  states("docs/administration.md", "Integers are exact over the whole int64 range.");
  const headers = { "Content-Type": "application/json" };
  const body = '{"name":"Rex","categoryId":-9223372036854775808,"status":"sold"}';
  const added = await admin.request("/admin/v1/pets", { method: "POST", headers, body });
  expect(added.status).toBe(201);
  expect(added.text).toBe(`{"id":${added.body.id},"name":"Rex","categoryId":-9223372036854775808,"status":"sold"}`);
  await admin.post("/admin/v1/pets", { name: "Mia", categoryId: 2 });
  const first = await admin.get("/admin/v1/pets?limit=1");
  expect(first.text).toBe(`{"pets":[${added.text}],"next":${added.body.id},"total":2}`);
  const second = await admin.get(`/admin/v1/pets?limit=1&after=${first.body.next}`);
  expect(second.body).toMatchObject({ pets: [{ name: "Mia" }], next: null });
  expect((await admin.get("/admin/v1/pets?status=sold")).body.pets).toHaveLength(1);
  expect((await admin.get("/admin/v1/pets?limit=0")).body.code).toBe("invalid_parameter");
  expect((await admin.post("/admin/v1/pets", { name: "" })).body.code).toBe("validation_failed");
});

describe("a file of pets", () => {
  test("is imported; rejected lines are listed", async () => {
    states("docs/administration.md", "`application/x-ndjson` with one pet per line", "files of pets may be larger.");
    const before = await count();
    const lines = Array.from({ length: 5_000 }, (_, i) =>
      i % 50 === 7 ? '{"name":""}' : `{"name":"A${i}","categoryId":${i}}`,
    );
    const { last } = await importing(NDJSON, lines.join("\n"));
    expect(last).toMatchObject({ done: true, imported: 4_900, rejected: 100 });
    expect(last.rejections).toHaveLength(100);
    expect(last.rejections[0]).toMatchObject({ line: 8, problem: expect.stringContaining("categoryId is required.") });
    expect(await count()).toBe(before + 4_900);
    const entry = await newestEntry();
    expect(entry).toMatchObject({
      action: "pets.import",
      after: { format: "ndjson", imported: 4_900, rejected: 100, line: 5_000, isWhole: true },
    });
    expect((await admin.get(`/admin/v1/audit?target=${entry.target}`)).body.entries).toEqual([entry]);
  });

  test("may be CSV", async () => {
    states(
      "docs/administration.md",
      "or `text/csv` whose first line names the columns `name`, `categoryId` and optionally `status`",
    );
    const { last } = await importing("text/csv; charset=utf-8", 'categoryId,name\n1,"Rex, the dog"\nx,Mia\n');
    expect(last).toMatchObject({ imported: 1, rejected: 1, rejections: [{ line: 3, problem: expect.any(String) }] });
    expect((await admin.get("/admin/v1/pets/export?format=csv")).text).toContain(',"Rex, the dog",1,available\n');
  });

  test("may be empty, if it is NDJSON", async () => {
    states("docs/administration.md", "The body, or a file of pets, is invalid.");
    expect((await importing(NDJSON, "")).last).toEqual({ done: true, imported: 0, rejected: 0, rejections: [] });
    const { answer } = await importing("text/csv", "");
    expect([answer.status, answer.body.code]).toEqual([400, "validation_failed"]);
    expect((await admin.post("/admin/v1/pets", {})).body.code).toBe("validation_failed");
  });

  test("with more than a hundred rejected lines is read to the end", async () => {
    states("docs/administration.md", "The result lists the first 100 invalid lines, each with its problem.");
    const { last } = await importing(NDJSON, `${"nothing\n".repeat(3_000)}{"name":"Last","categoryId":1}`);
    expect(last).toMatchObject({ imported: 1, rejected: 3_000 });
    expect(last.rejections).toHaveLength(100);
  });

  test.each([["application/json"], ["text/plain"], [""]])("of the type %j is refused", async (type) => {
    states("docs/administration.md", "The body does not have the expected media type.");
    const { answer } = await importing(type, "{}");
    expect([answer.status, answer.body.code]).toEqual([415, "unsupported_media_type"]);
  });

  test("whose sender disconnects is imported up to that point, and the audit log shows it", async () => {
    const before = await count();
    const { id } = await newestEntry();
    const socket = await RawSocket.open(service.adminUrl);
    const size = 10_000_000;
    socket.send(
      `POST ${IMPORT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${operator.token}\r\nContent-Type: ${NDJSON}\r\nContent-Length: ${size}\r\n\r\n`,
    );
    socket.send('{"name":"Cut","categoryId":1}\n'.repeat(4_500));
    await eventually(async () => (await count()) >= before + 4_000);
    socket.close();
    await eventually(() => hasEnded(id));
    const { imported, isWhole } = (await newestEntry()).after;
    expect(isWhole).toBe(false);
    expect(await count()).toBe(before + imported);
    expect(service.output.filter((line) => /"level":(50|60)/.test(line))).toEqual([]);
  });

  /** Has a file arrive while its import waits for a lock, and its sender leave before the import begins. */
  async function leftAfterSending(lines: number, leave: (connection: Connection) => void) {
    const before = await count();
    const { id } = await newestEntry();
    await using other = await service.store.connect();
    await other.lockPets();
    const connection = await Connection.open(service.adminUrl);
    const file = '{"name":"Left","categoryId":1}\n'.repeat(lines);
    connection.send(
      `POST ${IMPORT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${operator.token}\r\nContent-Type: ${NDJSON}\r\nContent-Length: ${file.length}\r\n\r\n${file}`,
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    leave(connection);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await other.run("COMMIT");
    await eventually(() => hasEnded(id));
    const { imported, isWhole } = (await newestEntry()).after;
    expect(await count()).toBe(before + imported);
    return { imported, isWhole };
  }

  test("that has arrived is imported no further when its connection is reset", async () => {
    const { imported, isWhole } = await leftAfterSending(4_000, (connection) => connection.reset());
    expect(isWhole).toBe(false);
    expect(imported).toBeLessThan(2_000);
  });

  test("that has arrived is imported for a sender who may still read, until a report shows that nobody does", async () => {
    const { imported, isWhole } = await leftAfterSending(4_000, (connection) => connection.close());
    // The report after the last line may be the one that shows it.
    if (isWhole) expect(imported).toBe(4_000);
  });

  test("reports its progress while it arrives", async () => {
    states(
      "docs/administration.md",
      "While the file arrives, the response reports progress line by line; its last line has the result:",
    );
    const socket = await RawSocket.open(service.adminUrl);
    socket.send(
      `POST ${IMPORT} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${operator.token}\r\nContent-Type: ${NDJSON}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const pets = '{"name":"Slow","categoryId":1}\n'.repeat(2_000);
    for (let i = 0; i < 4; i++) {
      socket.send(`${pets.length.toString(16)}\r\n${pets}\r\n`);
      await new Promise((resolve) => setTimeout(resolve, 280));
    }
    socket.send("0\r\n\r\n");
    const { status, body } = await socket.answer();
    expect(status).toBe(200);
    expect(body).toMatch(
      /\{"imported":([2-8]\d{3}),"rejected":0,"import":"import_\w{16}","lastLine":\1\}[\s\S]*\{"done":true,"imported":8000,"rejected":0,"rejections":\[\]\}/,
    );
  });
});

test("the catalogue is exported as a file that is a snapshot", async () => {
  states(
    "docs/administration.md",
    "`GET /admin/v1/pets/export?format=&raw=&status=` | a consistent snapshot of the catalogue, as `ndjson` or `csv`",
    "Exports are NDJSON, or CSV with `format=csv`.",
  );
  const answer = await admin.get("/admin/v1/pets/export?format=csv&status=sold");
  expect(answer.headers.get("Content-Disposition")).toBe('attachment; filename="pets.csv"');
  expect(answer.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
  expect(answer.text).toMatch(/^id,name,categoryId,status\n1,Rex,-9223372036854775808,sold\n$/);
  const { headers } = await admin.get("/admin/v1/pets/export?status=sold");
  expect(headers.get("Content-Type")).toBe(NDJSON);
  expect((await admin.get("/admin/v1/pets/export?format=xml")).body.code).toBe("invalid_parameter");
});

test("names in CSV are safe to open in a spreadsheet, and import as they were", async () => {
  states(
    "docs/administration.md",
    "`raw=true`, on the command line `--raw`, exports and imports texts in CSV as they are.",
  );
  states("docs/administration.md", "in CSV such a text has an apostrophe in front.");
  states("docs/administration.md", "exports and imports texts in CSV as they are.");
  for (const name of ["=1+1", "'=2"]) await admin.post("/admin/v1/pets", { name, categoryId: 999_777 });
  for (const [raw, names] of [
    ["raw=false", ["'=1+1", "''=2"]],
    ["raw=true", ["=1+1", "'=2"]],
  ] as const) {
    const { text } = await admin.get(`/admin/v1/pets/export?format=csv&${raw}`);
    const lines = text
      .split("\n")
      .filter((line) => line.includes(",999777,"))
      .slice(0, 2);
    expect(lines.map((line) => line.split(",")[1])).toEqual([...names]);
    const body = `id,name,categoryId,status\n${lines.join("\n")}`;
    await admin.request(`${IMPORT}?${raw}`, { method: "POST", headers: { "Content-Type": "text/csv" }, body });
    const imported = (await admin.get("/admin/v1/pets/export")).text.trimEnd().split("\n").slice(-2);
    expect(imported.map((line) => JSON.parse(line).name)).toEqual(["=1+1", "'=2"]);
  }
});

test("a client that stops reading an export blocks no writer", async () => {
  const socket = await RawSocket.open(service.adminUrl);
  socket.send(`GET /admin/v1/pets/export HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${operator.token}\r\n\r\n`);
  expect((await admin.post("/admin/v1/pets", { name: "Meanwhile", categoryId: 1 })).status).toBe(201);
  socket.close();
  expect((await admin.post("/admin/v1/pets", { name: "After", categoryId: 1 })).status).toBe(201);
});

test("an exported file that is edited changes its pets with replace=true, and the feed says what they were", async () => {
  states("docs/administration.md", "With `replace=true` a line that has an id changes that pet instead of adding one.");
  const { body: pet } = await admin.post("/admin/v1/pets", { name: "Rex", categoryId: 12_345 });
  const { body: sold } = await admin.post("/admin/v1/pets", { name: "Sold", categoryId: 12_345, status: "sold" });
  const lines = (await admin.get("/admin/v1/pets/export?format=csv")).text.split("\n");
  const edited = lines
    .filter((line, i) => i === 0 || line.includes(",12345,"))
    .map((line) => line.replace("Rex", "Max"));
  const body = `${edited.join("\n")}\n${sold.id},,,pending\n,New,12345,\n`;
  const answer = await admin.request(`${IMPORT}?replace=true`, {
    method: "POST",
    headers: { "Content-Type": "text/csv" },
    body,
  });
  expect(JSON.parse(answer.text.trimEnd().split("\n").at(-1) ?? "")).toEqual({
    done: true,
    imported: 1,
    changed: 1,
    statusKept: 0,
    rejected: 1,
    rejections: [{ line: 4, problem: "A pet that is sold cannot become pending, only available." }],
  });
  const { pets } = (await admin.get("/admin/v1/pets?categoryId=12345")).body;
  expect(pets.map(({ name }: { name: string }) => name)).toEqual(["Max", "Sold", "New"]);
  const events = await service.stores.events.list({ after: 0n, limit: 100_000 });
  const names = events
    .filter(({ subject }) => subject === `pets/${pet.id}`)
    .map((event) => JSON.parse(detailsOf(event).data).name);
  expect(names).toEqual(["Rex", "Max"]);
});

test("a pet that a delivered order has sold stays sold with replace=true, unless replaceStatus=true", async () => {
  states(
    "docs/administration.md",
    "Each report then has the number of pets that were `changed`, too, and in `statusKept` of those that stay sold because an order that was delivered has sold them.",
    "`replaceStatus=true` gives also these the status of their line.",
    "`imported`, `changed`, `unchanged`, `statusKept`, `rejected` | What became of the lines.",
  );
  const { body: pet } = await admin.post("/admin/v1/pets", { name: "Rex", categoryId: 1 });
  const { body: order } = await admin.post("/admin/v1/orders", { petId: pet.id });
  for (const status of ["approved", "delivered"]) await admin.patch(`/admin/v1/orders/${order.id}`, { status });
  const importWith = async (query: string) => {
    const headers = { "Content-Type": "application/x-ndjson" };
    const body = JSON.stringify(pet);
    const { text } = await admin.request(`${IMPORT}?${query}`, { method: "POST", headers, body });
    const { changed, statusKept, rejected } = JSON.parse(text.trimEnd().split("\n").at(-1) ?? "");
    const { status } = (await admin.get(`/admin/v1/pets/${pet.id}`)).body;
    return { changed, statusKept, rejected, status };
  };
  expect(await importWith("replace=true")).toEqual({ changed: 0, statusKept: 1, rejected: 0, status: "sold" });
  expect((await newestEntry()).after).toEqual({
    ...{ format: "ndjson", replace: true, replaceStatus: false },
    ...{ imported: 0, changed: 0, unchanged: 1, statusKept: 1, rejected: 0, line: 1, isWhole: true },
  });
  expect(await importWith("replace=true&replaceStatus=true")).toEqual({
    changed: 1,
    statusKept: 0,
    rejected: 0,
    status: "available",
  });
});
