import { expect, test } from "bun:test";
import { appendFileSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { searchRequests } from "../../../src/adapters/history/search.ts";
import { newSecret } from "../../../src/domain/keys/secret.ts";
import type { Client } from "../../support/client.ts";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { type RunningService, START } from "../../support/service.ts";
import { databasePathOf } from "../../support/store.ts";
import { useOperator, useService } from "../../support/use-service.ts";

const service = useService();
const { client: admin } = useOperator(service);
const small = useService({ env: { PETSTORE_REQUEST_HISTORY: "5", PETSTORE_REQUEST_HISTORY_HOURS: "1" } });
const { client: smallAdmin } = useOperator(small);
const off = useService({ env: { PETSTORE_REQUEST_HISTORY: "0" } });
const { client: offAdmin } = useOperator(off);

const found = async (client: Client, query = ""): Promise<string[]> =>
  (await client.get(`/admin/v1/requests?${query}`)).body.requests.map(({ path }: { path: string }) => path);
const directoryOf = ({ store }: RunningService) => `${databasePathOf(store.directory)}.requests`;

test("a restart keeps the history, and a crash what was written", async () => {
  const secret = (await service.createKey()).secret;
  await service.withSecret(secret).get("/v1/pets/1");
  expect(await service.stop()).toBe(0);
  await service.start({ now: START + 1 });
  await service.withSecret(secret).get("/v1/pets/2");
  expect(await found(admin)).toEqual(["/v1/pets/2", "/v1/pets/1"]);
  await service.kill();
  await service.start();
  expect(await found(admin)).toEqual(["/v1/pets/2", "/v1/pets/1"]);
});

test("the history has no secret, wherever a client puts one", async () => {
  states(
    "docs/monitoring.md",
    "Time, request id, method, path, operation, status, error code, duration | Query, headers, bodies, responses",
    "The id of the key, and what the request left of its limits | The key, and any text that looks like one",
  );
  await service.advance({ seconds: 1 });
  const { secret } = await service.createKey();
  const other = newSecret("staging");
  const client = service.withSecret(secret);
  const encoded = (text: string) => text.replace("pets", "%2570ets");
  await client.get(`/v1/pets/${secret}?key=${secret}&name=${other}`, { "X-Request-Id": `of-${secret}` });
  await client.get(`/v1/${encoded(secret)}`, { "User-Agent": secret, "Idempotency-Key": other });
  await client.post(`/v1/pets?${other}`, { name: secret, categoryId: 1 });
  await service.withSecret(other).get(`/v1/pets?after=${secret}`);
  expect(await found(admin, "limit=4")).toEqual(["/v1/pets", "/v1/pets", "/v1/[...]", "/v1/pets/[key]"]);
  for (const { id } of await service.stores.requests.list()) {
    const text = Buffer.from((await service.stores.requests.read(id)) ?? []).toString("latin1");
    for (const one of [secret, other]) {
      expect(text).not.toContain(one.slice(10));
      expect(text).not.toContain(one.slice(0, 20));
    }
  }
});

test("the history keeps as many requests, for as long, as the settings say", async () => {
  states("docs/settings.md", "How many requests the request history keeps", "How long it keeps them, in hours.");
  states("docs/monitoring.md", "More than `PETSTORE_REQUEST_HISTORY` requests, or older ones, are not found");
  const client = await small.withKey();
  for (let i = 1; i <= 8; i++) await client.get(`/v1/pets/${i}`);
  expect(await found(smallAdmin)).toEqual([8, 7, 6, 5, 4].map((id) => `/v1/pets/${id}`));
  await small.advance({ seconds: 3_601 });
  expect(await found(smallAdmin)).toEqual([]);
  await client.get("/v1/pets/9");
  expect(await found(smallAdmin)).toEqual(["/v1/pets/9"]);
});

test("0 requests switch it off, and delete what it had", async () => {
  states("docs/settings.md", "0 switches it off, and deletes what it has.");
  const client = await off.withKey();
  await client.get("/v1/pets");
  const { body } = await offAdmin.get("/admin/v1/requests");
  expect(body).toEqual({ requests: [], next: null, kept: { requests: 0, hours: 24, share: 1 } });
  expect(await searchRequests(off.stores.requests, { limit: 9 }, { requests: 9, hours: 24 }, START)).toEqual([]);
});

test("a history that is damaged, deleted or cannot be written disturbs no request", async () => {
  states(
    "docs/monitoring.md",
    "While it cannot be written,",
    "A damaged file costs its requests; you may delete the directory at any time.",
    "On SQLite it is the directory `petstore.db.requests` beside the database",
  );
  if (service.store.engine !== "sqlite") return;
  await service.advance({ seconds: 1 });
  const { secret } = await service.createKey();
  const get = (path: string) => service.withSecret(secret).get(path);
  const directory = directoryOf(service);
  for (const name of readdirSync(directory)) appendFileSync(join(directory, name), "damage".repeat(50));
  const before = (await found(admin)).length;
  await get("/v1/pets/3");
  expect(await found(admin)).toHaveLength(before + 1);
  await service.stop();
  for (const name of readdirSync(directory)) writeFileSync(join(directory, name), Buffer.alloc(99, name));
  await service.start();
  expect(await found(admin)).toEqual([]);
  await get("/v1/pets/4");
  expect(await found(admin)).toEqual(["/v1/pets/4"]);

  rmSync(directory, { recursive: true });
  writeFileSync(directory, "in the place of the directory");
  await get("/v1/pets/5");
  expect(await found(admin)).toEqual([]);
  await service.stop();
  await service.start();
  expect((await get("/v1/pets?limit=1")).status).toBe(200);
  rmSync(directory);
  await eventually(() => existsSync(directory));
  expect(await found(admin)).toEqual(["/v1/pets"]);
});
