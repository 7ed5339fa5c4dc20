import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../../support/eventually.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const service = useService({ store: "sqlite" });
const { client: admin, operator } = useOperator(service, "admin");

const state = async () => (await admin.get("/admin/v1/backups")).body;
const directory = () => join(service.store.directory, "backups");
const ended = () => eventually(async () => (await state()).job === null);

test("an admin makes, downloads and verifies a backup, and sees the damage of one", async () => {
  await service.stores.pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  const begin = () => admin.request("/admin/v1/backups", { method: "POST" });
  const [begun, second] = (await Promise.all([begin(), begin()])).toSorted((a, b) => a.status - b.status);
  expect([begun?.status, begun?.body]).toEqual([
    202,
    { kind: "backup", name: null, place: null, startedAt: new Date(service.now).toISOString() },
  ]);
  expect([second?.status, second?.body.code]).toEqual([409, "invalid_state"]);
  await ended();

  const { backups, failure, directory: path } = await state();
  expect([failure, path]).toEqual([null, directory()]);
  expect(backups).toMatchObject([
    { place: "directory", cause: "operator", createdAt: new Date(service.now).toISOString(), pets: 1, problem: null },
  ]);
  const [{ name }] = backups;
  const file = join(directory(), name);
  const downloaded = await fetch(`${service.adminUrl}/admin/v1/backups/directory/${name}`, {
    headers: { Authorization: `Bearer ${operator.token}` },
  });
  expect(downloaded.headers.get("Content-Disposition")).toBe(`attachment; filename="${name}"`);
  expect(Buffer.from(await downloaded.arrayBuffer()).equals(readFileSync(file))).toBe(true);

  const bytes = readFileSync(file);
  bytes.fill(0xff, 8_192, 8_292);
  writeFileSync(file, bytes);
  const verify = await admin.request(`/admin/v1/backups/directory/${name}/verify`, { method: "POST" });
  expect([verify.status, verify.body.kind]).toEqual([202, "verification"]);
  await ended();
  expect((await state()).backups[0].problem).not.toBeNull();
  expect(readdirSync(directory()).sort()).toEqual([name, `${name}.json`]);

  const { entries } = (await admin.get("/admin/v1/audit?limit=3")).body;
  expect(entries.map(({ action }: { action: string }) => action)).toEqual([
    "backup.verify",
    "backup.download",
    "backup.create",
  ]);
});

test.each([
  ["GET", "directory/petstore.db"],
  ["GET", "directory/..%2Fpetstore.db"],
  ["GET", "directory/petstore-staging-2025-12-02T10-00-00.250Z.db"],
  ["GET", "s3/petstore-production-2025-12-02T10-00-00.250Z.db"],
  ["GET", "elsewhere/petstore-production-2025-12-02T10-00-00.250Z.db"],
  ["POST", "directory/petstore-production-2025-12-02T10-00-00.250Z.db/verify"],
])("%s /backups/%s finds no backup", async (method, path) => {
  const answer = await admin.request(`/admin/v1/backups/${path}`, { method });
  expect([answer.status, answer.body.code]).toEqual([404, "backup_not_found"]);
});

describe("with PostgreSQL", () => {
  const { client } = useOperator(useService({ store: "postgres" }), "admin");

  test("there are no backups: it has tools of its own", async () => {
    const { body } = await client.get("/admin/v1/backups");
    expect(body).toMatchObject({ isAvailable: false, directory: null, backups: [] });
    const answer = await client.request("/admin/v1/backups", { method: "POST" });
    expect([answer.status, answer.body.code]).toEqual([409, "invalid_state"]);
    expect(answer.body.message).toContain("pg_dump");
  });
});
