import { expect, test } from "bun:test";
import { besideLoad } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const REX = { name: "Rex", categoryId: 1 };

const service = useService();
const { client } = useKey(service);
/** The time that a creation waits, in ms. */
const PATIENCE = { sqlite: 2_000, postgres: 800 };

test("while another process writes, creations wait for it", async () => {
  await using other = await service.store.connect();
  await other.lockPets();
  const started = performance.now();
  const created = client.post("/v1/pets", REX);
  expect((await client.get("/v1/pets")).body).toEqual([]);
  await other.run("COMMIT");
  // On a machine that others use, the lock may have lasted for longer than creations wait.
  const isInTime = performance.now() - started < PATIENCE[service.store.engine];
  expect((await created).status).toBeOneOf(isInTime ? [201] : [201, 503]);
});

test("when it writes for too long they are 503, reads work, and no refused pet is added", async () => {
  states("docs/errors.md", "Nothing was changed, but for rare faults in which a creation was added all the same.");
  states(
    "docs/upgrading.md",
    "The disk is full or read-only, or another process locks the file for over 2 seconds. | Free space, or end that process.",
  );
  states("docs/reliability.md", "Another process locks the file | Creations wait up to 2 s, then get 503; lists work.");
  states(
    "docs/errors.md",
    "The service cannot process the request now:",
    "or its database is not available. Nothing was changed,",
    "Retry after `Retry-After`, and wait longer each time;",
  );
  states(
    "docs/data.md",
    "While another process writes, such as `petstore pets import`, a creation waits for it up to 2 seconds, then gets 503.",
  );
  await using other = await service.store.connect();
  const before = (await client.get("/v1/pets")).body.length;
  await other.lockPets();
  const started = performance.now();
  const refused = Promise.all([client.post("/v1/pets", REX), client.post("/v1/pets", REX)]);
  expect((await client.get("/v1/pets?limit=50")).status).toBe(200);
  for (const answer of await refused) {
    expect(answer).toMatchObject({ status: 503, body: { code: "service_unavailable", status: 503 } });
    expect(answer.headers.get("Retry-After")).toBe("1");
    expect(answer.text).not.toMatch(/sqlite|postgres|lock|busy|timeout/i);
  }
  expect(performance.now() - started).toBeWithin(PATIENCE[service.store.engine] - 100, besideLoad(4_000));
  await other.run("COMMIT");
  expect((await client.post("/v1/pets", REX)).status).toBe(201);
  expect((await client.get("/v1/pets")).body).toHaveLength(before + 1);
});
