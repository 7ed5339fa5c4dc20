import { beforeAll, expect, test } from "bun:test";
import { BASE_URL } from "../../support/client.ts";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useOperator, useService } from "../../support/use-service.ts";

const SUNSET = Date.UTC(2030, 11, 5);

const service = useService({ now: SUNSET - 1, env: { TZ: "America/New_York" } });
const { client } = useKey(service);
const { client: operator } = useOperator(service);
beforeAll(async () => {
  await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
});

test("a millisecond before the sunset the operation works", async () => {
  await service.setClock(SUNSET - 1);
  expect((await client.get("/v1/pets/1")).status).toBe(200);
  expect((await client.get("/v1/pets/abc")).status).toBe(404);
});

test("from the sunset on it is 410, with its replacement", async () => {
  states("docs/call-it.md", "getPet ends on 5 December 2030.");
  states(
    "docs/deprecation.md",
    "410 | Error, `operation_removed` | The operation was removed. The message names the replacement.",
  );
  states(
    "docs/errors.md",
    "The operation was removed: `getPet` on 5 December 2030.",
    "Call the address that the message names: Deprecation.",
  );
  await service.setClock(SUNSET);
  const answer = await client.get("/v1/pets/1");
  expect(answer).toMatchObject({ status: 410, body: { code: "operation_removed", status: 410 } });
  // The date is that of UTC, wherever the service runs.
  expect(answer.body.message).toContain("This operation was removed on 5 December 2030.");
  expect(answer.body.message).toContain(`${BASE_URL}/pets?ids=1`);
  expect(answer.headers.get("Link")).toContain(`<${BASE_URL}/pets?ids=1>; rel="successor-version"`);
  expect((await client.get("/v1/pets?ids=1")).body).toEqual([
    { id: 1, name: "Rex", categoryId: 1, status: "available" },
  ]);
  states("docs/deprecation.md", "answers 410 `operation_removed`.");
});

test("from the sunset on every petId is 410, also unknown ones", async () => {
  await service.setClock(SUNSET);
  for (const petId of ["99", "abc", "0", "01"]) {
    const answer = await client.get(`/v1/pets/${petId}`);
    expect(answer).toMatchObject({ status: 410, body: { code: "operation_removed" } });
  }
  expect((await client.request("/v1/pets/1", { method: "HEAD" })).status).toBe(410);
});

test("Location is the pet's own URL before the sunset, the list's afterwards", async () => {
  states("docs/deprecation.md", "`Location`, in the response to a creation");
  states(
    "docs/interface.md",
    "`Location` is the URL of the pet: the base address and `/pets/{id}`, from 5 December 2030 `/pets?ids={id}`.",
  );
  await service.setClock(SUNSET - 1);
  const before = await client.post("/v1/pets", { name: "Before", categoryId: 1 });
  expect(before.headers.get("Location")).toBe(`${BASE_URL}/pets/${before.body.id}`);
  await service.setClock(SUNSET);
  const after = await client.post("/v1/pets", { name: "After", categoryId: 1 });
  expect(after.headers.get("Location")).toBe(`${BASE_URL}/pets?ids=${after.body.id}`);
  states("docs/deprecation.md", "has the URL of getPet until the removal and that of the list afterwards");
});

test("until the sunset a key sees its calls of the operation, and afterwards none", async () => {
  await service.setClock(SUNSET - 1);
  const { id, secret } = await service.createKey();
  const caller = service.withSecret(secret);
  await caller.get("/v1/pets/1");
  await eventually(async () => {
    const { callers } = (await operator.get("/admin/v1/deprecations/callers")).body;
    return callers.some(({ keyId }: { keyId: string }) => keyId === id);
  });
  const calls = async () => (await caller.get("/v1/key")).body.deprecatedCalls;
  expect(await calls()).toMatchObject([{ operation: "getPet", calls: 1, removedAt: "2030-12-05T00:00:00.000Z" }]);
  const daysLeft = async () => (await operator.get("/admin/v1/deprecations")).body.operations[0].daysLeft;
  expect(await daysLeft()).toBe(1);
  await service.setClock(SUNSET);
  expect(await calls()).toEqual([]);
  expect(await daysLeft()).toBe(0);
  await service.setClock(SUNSET + 5 * 86_400_000);
  expect(await daysLeft()).toBe(0);
});

test("410 comes after authentication and limits, and before the scope", async () => {
  await service.setClock(SUNSET);
  expect((await service.anonymous().get("/v1/pets/1")).status).toBe(401);
  expect((await (await service.withKey({ scopes: ["pets:write"] })).get("/v1/pets/1")).status).toBe(410);
  const limited = await service.withKey({ limits: { perMinute: 1, perDay: 1 } });
  expect((await limited.get("/v1/pets/1")).status).toBe(410);
  expect((await limited.get("/v1/pets/1")).status).toBe(429);
});
