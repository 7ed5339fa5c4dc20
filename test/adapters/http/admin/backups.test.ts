import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describes } from "../../../support/descriptions.ts";
import { eventually } from "../../../support/eventually.ts";
import { states } from "../../../support/markdown.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const service = useService({ store: "sqlite" });
const { client: admin, operator } = useOperator(service, "admin");

const state = async () => (await admin.get("/admin/v1/backups")).body;
const directory = () => join(service.store.directory, "backups");
const ended = () => eventually(async () => (await state()).job === null);
/** What the audit log says of an act on a backup. */
const recorded = (action: string, target: string) => ({
  ...{ action, target, before: null, after: { place: "directory" } },
  operator: { id: operator.id, name: operator.name },
});

test("an admin makes, downloads and verifies a backup, and sees the damage of one", async () => {
  describes("createBackup", "Begins a backup, and does not wait for it:");
  describes(
    "verifyBackup",
    "Begins to read a whole backup and to look for damage, and does not wait for it: `verifiedAt` and `problem` in `GET /backups` have the result.",
  );
  describes("verifyBackup 202", "The verification is under way.");
  describes("createBackup 202", "The backup is under way.");
  states(
    "docs/administration.md",
    "`GET`, `POST /admin/v1/backups` | backups, the schedule, and what is under way; 202, a backup begins",
    "202, the verification of a backup begins",
    "Or a backup is under way",
  );
  await service.stores.pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  const begin = () => admin.request("/admin/v1/backups", { method: "POST" });
  const [begun, second] = (await Promise.all([begin(), begin()])).toSorted((a, b) => a.status - b.status);
  expect([begun?.status, begun?.body]).toEqual([
    202,
    { kind: "backup", name: null, place: null, startedAt: new Date(service.now).toISOString() },
  ]);
  expect([second?.status, second?.body.code]).toEqual([409, "invalid_state"]);
  await ended();

  const { backups, failure, directory: path, ...others } = await state();
  expect([failure, path]).toEqual([null, directory()]);
  // Without a schedule.
  expect(others).toMatchObject({ isAvailable: true, bucket: null, everySeconds: null, keep: null, nextAt: null });
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
  expect(entries).toMatchObject([
    recorded("backup.verify", name),
    recorded("backup.download", name),
    { action: "backup.create", target: null, after: null },
  ]);
});

const nameOf = (hour: number) => `petstore-production-2026-12-01T${String(hour).padStart(2, "0")}-00-00.000Z.db`;
const upload = (name: string, body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(`${service.adminUrl}/admin/v1/backups/upload?name=${encodeURIComponent(name)}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${operator.token}`,
      "Content-Type": "application/vnd.sqlite3",
      ...headers,
    },
    body,
  });
const codeOf = async (answer: Response) => ({ status: answer.status, code: (await answer.json()).code });

test("an admin restores a backup into a new file, uploads it again and deletes it, with an entry for each", async () => {
  describes(
    "restoreBackup",
    "Begins to restore a backup into a new file beside the database, and does not wait for it: `restored` in `GET /backups` has its path. The database stays as it is",
  );
  describes("restoreBackup 202", "The restoration is under way.");
  describes("uploadBackup", "It is listed once it was read and found intact.");
  describes("deleteBackup", "Deletes a backup with its description");
  states(
    "docs/administration.md",
    "`POST /admin/v1/backups/{place}/{name}/restore` | 202, the restoration into a new file begins",
    "`POST /admin/v1/backups/upload?name=` with the file as application/vnd.sqlite3 | 201, the backup, once it was found intact",
  );
  states(
    "docs/backups.md",
    "upload | The file goes to `PETSTORE_BACKUP_DIR`, under its name,",
    "restore | The backup is written to a new file beside the database, `restored-` and its name. The database stays as it is;",
    "delete | The backup and its description are gone from this place.",
  );
  await service.advance({ seconds: 60 });
  await admin.request("/admin/v1/backups", { method: "POST" });
  await ended();
  const { name } = (await state()).backups.find(({ problem }: { problem: unknown }) => problem === null);
  const live = service.store.url.replace("sqlite:", "");
  const before = (await admin.get("/admin/v1/pets")).body;
  const restore = () => admin.request(`/admin/v1/backups/directory/${name}/restore`, { method: "POST" });
  const begun = await restore();
  expect([begun.status, begun.body.kind, begun.body.name]).toEqual([202, "restoration", name]);
  await ended();
  const { restored, failure } = await state();
  expect([failure, restored.name, restored.path]).toEqual([
    null,
    name,
    join(service.store.directory, `restored-${name}`),
  ]);
  const { openStores } = await import("../../../../src/wiring/stores.ts");
  const copy = await openStores(
    { database: { engine: "sqlite", path: restored.path }, deployment: "production", checksCategories: false },
    () => {},
  );
  expect(await copy.pets.list({ limit: 9, after: 0n })).toMatchObject([{ name: "Rex" }]);
  await copy.close();
  expect((await admin.get("/admin/v1/pets")).body).toEqual(before);
  expect(readFileSync(live).length).toBeGreaterThan(0);
  expect((await restore()).body.code).toBe("invalid_state");

  const uploaded = await upload(nameOf(1), readFileSync(join(directory(), name)));
  expect([uploaded.status, await uploaded.json()]).toEqual([
    201,
    expect.objectContaining({ name: nameOf(1), place: "directory", pets: 1, problem: null }),
  ]);
  const listed = async () => (await state()).backups.map((backup: { name: string }) => backup.name);
  expect(await listed()).toContain(nameOf(1));
  // Their names sort by time.
  expect(await listed()).toEqual((await listed()).toSorted().reverse());
  const remove = () => admin.request(`/admin/v1/backups/directory/${nameOf(1)}`, { method: "DELETE" });
  expect([(await remove()).status, (await remove()).body.code]).toEqual([204, "backup_not_found"]);
  expect(await listed()).not.toContain(nameOf(1));
  expect(readdirSync(directory()).filter((file) => file.startsWith(nameOf(1)))).toEqual([]);
  const { entries } = (await admin.get("/admin/v1/audit?action=backup.restore,backup.upload,backup.delete")).body;
  expect(entries).toMatchObject([
    recorded("backup.delete", nameOf(1)),
    recorded("backup.upload", nameOf(1)),
    recorded("backup.restore", name),
  ]);
});

test("an upload that is no intact backup of this deployment leaves nothing", async () => {
  states("docs/backups.md", "if it is an intact backup of this deployment; otherwise,");
  const files = () => readdirSync(directory()).toSorted();
  const before = files();
  const { name } = (await state()).backups.find(({ problem }: { problem: unknown }) => problem === null);
  const bytes = readFileSync(join(directory(), name));
  const damaged = Buffer.from(bytes);
  damaged.fill(0xff, 8_192, 8_292);
  const other = (await import("node:sqlite")).DatabaseSync;
  const foreign = join(service.store.directory, "foreign.db");
  new other(foreign).exec("CREATE TABLE notes (text TEXT); PRAGMA user_version = 3");
  const invalid = { status: 400, code: "validation_failed" };
  for (const body of [damaged, readFileSync(foreign), bytes.subarray(0, 20_000), "SQLite", "", "x".repeat(1_000)]) {
    const { status, code, message } = await (await upload(nameOf(2), body)).json();
    expect({ status, code }).toEqual(invalid);
    // Not where the service keeps it meanwhile.
    expect(message).toMatch(/\bThe file (is|cannot be used)\b/);
    expect(message).not.toContain(directory());
  }
  for (const wrong of [
    "",
    "petstore.db",
    "../petstore.db",
    `../${nameOf(2)}`,
    `${nameOf(2)}/../x`,
    nameOf(2).replace("production", "staging"),
    `${nameOf(2)}\0`,
  ])
    expect(await codeOf(await upload(wrong, bytes))).toEqual({ status: 400, code: "invalid_parameter" });
  const withoutName = await fetch(`${service.adminUrl}/admin/v1/backups/upload`, {
    method: "POST",
    headers: { Authorization: `Bearer ${operator.token}`, "Content-Type": "application/vnd.sqlite3" },
    body: bytes,
  });
  expect(await withoutName.json()).toMatchObject({
    code: "invalid_parameter",
    message: "Query parameter name is required.",
  });
  expect(await codeOf(await upload(name, bytes))).toEqual({ status: 409, code: "invalid_state" });
  expect(await codeOf(await upload(nameOf(2), bytes, { "Content-Type": "text/csv" }))).toEqual({
    status: 415,
    code: "unsupported_media_type",
  });
  await eventually(() => files().length === before.length);
  expect(files()).toEqual(before);
});

test("an upload that stays under way refuses others, and when its connection ends, leaves room for them and no file", async () => {
  const { name } = (await state()).backups.find(({ problem }: { problem: unknown }) => problem === null);
  const bytes = readFileSync(join(directory(), name));
  const { host, hostname, port } = new URL(service.adminUrl);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /admin/v1/backups/upload?name=${nameOf(4)} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${operator.token}\r\n` +
      `Content-Type: application/vnd.sqlite3\r\nContent-Length: ${bytes.length}\r\n\r\n`,
  );
  socket.write(bytes.subarray(0, 5_000));
  const begun = () => readdirSync(directory()).filter((file) => file.startsWith(nameOf(4))).length;
  await eventually(() => begun() === 1);
  expect(await codeOf(await upload(nameOf(5), bytes))).toEqual({ status: 409, code: "invalid_state" });
  socket.end();
  const [answer] = await once(socket, "data");
  expect(String(answer)).toStartWith("HTTP/1.1 400 ");
  expect(String(answer)).toContain(
    '"code":"validation_failed","message":"The file is incomplete: the connection has ended."',
  );
  await eventually(() => begun() === 0);
  expect((await upload(nameOf(5), bytes)).status).toBe(201);
});

test("what cannot be recorded in the audit log is not done", async () => {
  states(
    "docs/backups.md",
    "Each of these has an entry in the audit log, but for the list: what cannot be written there is not done.",
  );
  const before = (await state()).backups;
  const [{ name }] = before;
  const bytes = readFileSync(join(directory(), name));
  await using store = await service.store.connect();
  await store.run("CREATE TRIGGER refused BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'refused'); END");
  const path = `/admin/v1/backups/directory/${nameOf(5)}`;
  const calls = [
    ["POST", "/admin/v1/backups"],
    ["POST", `${path}/verify`],
    ["POST", `${path}/restore`],
    ["GET", path],
    ["DELETE", path],
  ] as const;
  for (const [method, url] of calls) {
    const { status, body } = await admin.request(url, { method });
    expect([method, url, status, body.code]).toEqual([method, url, 503, "service_unavailable"]);
    expect((await state()).job).toBeNull();
  }
  expect((await upload(nameOf(6), bytes)).status).toBe(503);
  await store.run("DROP TRIGGER refused");
  expect((await state()).backups).toEqual(before);
  expect(readdirSync(directory()).filter((file) => file.startsWith(nameOf(6)))).toEqual([]);
  expect(existsSync(join(service.store.directory, `restored-${nameOf(5)}`))).toBe(false);
  expect((await admin.request(path, { method: "DELETE" })).status).toBe(204);
});

test("the directory is made by the first upload, as by the first backup", async () => {
  const [{ name }] = (await state()).backups;
  const bytes = readFileSync(join(directory(), name));
  rmSync(directory(), { recursive: true });
  expect((await upload(nameOf(7), bytes)).status).toBe(201);
  expect((await state()).backups.map((backup: { name: string }) => backup.name)).toEqual([nameOf(7)]);
  expect(readdirSync(directory()).sort()).toEqual([nameOf(7), `${nameOf(7)}.json`]);
});

test("a page of another site, and a viewer, can neither upload, restore nor delete", async () => {
  const { token } = await service.withOperator("viewer");
  const signedIn = await admin.post("/admin/v1/session", { token: operator.token });
  const cookie = signedIn.headers.get("Set-Cookie")?.split(";")[0] ?? "";
  const calls = [
    ["POST", `upload?name=${nameOf(3)}`],
    ["POST", `directory/${nameOf(3)}/restore`],
    ["DELETE", `directory/${nameOf(3)}`],
  ] as const;
  for (const [method, path] of calls) {
    const url = `${service.adminUrl}/admin/v1/backups/${path}`;
    const body = method === "DELETE" ? null : "SQLite format 3\0";
    const type = { "Content-Type": "application/vnd.sqlite3" };
    const byViewer = await fetch(url, { method, body, headers: { ...type, Authorization: `Bearer ${token}` } });
    expect(await codeOf(byViewer)).toEqual({ status: 403, code: "insufficient_role" });
    const forged = { ...type, Cookie: cookie, Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
    expect(await codeOf(await fetch(url, { method, body, headers: forged }))).toEqual({
      status: 403,
      code: "cross_site_request",
    });
  }
  expect(readdirSync(directory()).filter((file) => file.startsWith(nameOf(3)))).toEqual([]);
});

test.each([
  ["DELETE", "directory/petstore.db"],
  ["DELETE", "directory/..%2Fpetstore.db"],
  ["DELETE", "directory/petstore-staging-2025-12-02T10-00-00.250Z.db"],
  ["POST", "directory/..%2Fpetstore.db/restore"],
  ["POST", "s3/petstore-production-2025-12-02T10-00-00.250Z.db/restore"],
  ["GET", "directory/petstore.db"],
  ["GET", "directory/..%2Fpetstore.db"],
  ["GET", "directory/petstore-staging-2025-12-02T10-00-00.250Z.db"],
  ["GET", "s3/petstore-production-2025-12-02T10-00-00.250Z.db"],
  ["GET", "elsewhere/petstore-production-2025-12-02T10-00-00.250Z.db"],
  ["POST", "directory/petstore-production-2025-12-02T10-00-00.250Z.db/verify"],
])("%s /backups/%s finds no backup", async (method, path) => {
  states("docs/administration.md", "There is no backup of this name in this place.");
  const answer = await admin.request(`/admin/v1/backups/${path}`, { method });
  expect([answer.status, answer.body.code]).toEqual([404, "backup_not_found"]);
});

describe("with a schedule, and a bucket that does not answer", () => {
  const scheduled = useService({
    store: "sqlite",
    env: {
      PETSTORE_BACKUP_EVERY: "6h",
      PETSTORE_BACKUP_KEEP: "3",
      PETSTORE_BACKUP_S3: "s3://copies/production",
      // Nothing listens there.
      AWS_ENDPOINT_URL_S3: "http://127.0.0.1:1",
      AWS_ACCESS_KEY_ID: "key",
      AWS_SECRET_ACCESS_KEY: "secret",
    },
  });
  const { client } = useOperator(scheduled, "admin");

  test("the state has both as they are set, and what the directory has, and says why the bucket is missing", async () => {
    const { body } = await client.get("/admin/v1/backups");
    expect(body).toMatchObject({
      isAvailable: true,
      directory: join(scheduled.store.directory, "backups"),
      bucket: "s3://copies/production/",
      everySeconds: 6 * 3_600,
      keep: 3,
      unreachable: [{ place: "s3", reason: expect.stringContaining("127.0.0.1:1") }],
    });
    expect(body.nextAt).toEqual(expect.any(String));
  });

  test.each([
    ["GET", ""],
    ["POST", "/verify"],
    ["POST", "/restore"],
    ["DELETE", ""],
  ])("%s /backups/s3/NAME%s is unavailable for now", async (method, verb) => {
    const answer = await client.request(`/admin/v1/backups/s3/${nameOf(2)}${verb}`, { method });
    expect([answer.status, answer.body.code]).toEqual([503, "service_unavailable"]);
  });
});

describe("with PostgreSQL", () => {
  const { client } = useOperator(useService({ store: "postgres" }), "admin");

  test("there are no backups: it has tools of its own", async () => {
    states(
      "docs/backups.md",
      "Use PostgreSQL's own tools, or your provider's backups: `pg_dump` for a copy, pgBackRest or WAL-G for every moment.",
    );
    states("docs/administration.md", "or the service makes none.");
    const { body } = await client.get("/admin/v1/backups");
    expect(body).toMatchObject({ isAvailable: false, directory: null, backups: [] });
    const answer = await client.request("/admin/v1/backups", { method: "POST" });
    expect([answer.status, answer.body.code]).toEqual([409, "invalid_state"]);
    expect(answer.body.message).toContain("pg_dump");
  });
});
