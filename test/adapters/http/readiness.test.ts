import { expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { states } from "../../support/markdown.ts";
import { anonymous } from "../../support/operator.ts";
import { startPostgres } from "../../support/postgres.ts";
import { type RunningService, startService } from "../../support/service.ts";
import { databasePathOf, sqliteIn } from "../../support/store.ts";
import { temporaryDirectory } from "../../support/temporary.ts";

/** The answers to /readyz and /livez on both listeners. */
async function probes(service: RunningService): Promise<Record<"ready" | "alive", number[]>> {
  const statuses = (path: string) =>
    Promise.all([service.anonymous(), anonymous(service)].map(async (client) => (await client.get(path)).status));
  return { ready: await statuses("/readyz"), alive: await statuses("/livez") };
}

const READY = { ready: [200, 200], alive: [200, 200] };
const NOT_READY = { ready: [503, 503], alive: [200, 200] };

test("/readyz is 503 while the database file is not in its place", async () => {
  states(
    "docs/upgrading.md",
    "Everything gets 503, `/readyz` too | The database cannot be read: disk, permissions, a damaged file. | Read `err` in the log. If the file is damaged, restore the backup.",
  );
  states("docs/interface.md", '200 `{"status":"ready"}` while the service can serve requests,');
  states(
    "docs/interface.md",
    '200 `{"status":"alive"}` while the process responds.',
    "503 when it cannot read its database",
  );
  states(
    "docs/running.md",
    "`/readyz` | The service can serve requests: all (`ready`), or only those that read (`read-only`). | 503 when it cannot read its database,",
  );
  await using service = await startService({ store: sqliteIn(temporaryDirectory()) });
  const path = databasePathOf(service.store.directory);
  const { client: operator } = await service.withOperator("viewer");
  const databaseState = async () => (await operator.get("/admin/v1/state")).body.database;
  expect(await probes(service)).toEqual(READY);
  expect((await service.anonymous().get("/readyz")).text).toBe('{"status":"ready"}');
  expect(await databaseState()).toEqual({ engine: "sqlite", ok: true, latencyMs: expect.any(Number) });
  renameSync(path, `${path}.away`);
  expect(await probes(service)).toEqual(NOT_READY);
  expect((await service.anonymous().get("/livez")).text).toBe('{"status":"alive"}');
  const { headers, body } = await service.anonymous().get("/readyz");
  expect(headers.get("Retry-After")).toBe("1");
  expect(body.code).toBe("service_unavailable");
  expect(await databaseState()).toEqual({ engine: "sqlite", ok: false, latencyMs: null });
  renameSync(`${path}.away`, path);
  expect(await probes(service)).toEqual(READY);
});

test("/readyz is 503 while PostgreSQL does not answer", async () => {
  const server = await startPostgres();
  const store = { ...sqliteIn(temporaryDirectory()), engine: "postgres" as const, url: server.url };
  await using service = await startService({ store });
  try {
    expect(await probes(service)).toEqual(READY);
    server.freeze();
    expect(await probes(service)).toEqual(NOT_READY);
    server.thaw();
    expect(await probes(service)).toEqual(READY);
    await server.kill();
    expect(await probes(service)).toEqual(NOT_READY);
  } finally {
    await server.remove();
  }
});
