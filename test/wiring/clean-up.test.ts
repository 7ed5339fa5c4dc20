import { expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { metricsAt } from "../support/metrics.ts";
import { startService } from "../support/service.ts";

const HOUR = 3_600_000;

test("a start deletes the idempotency keys that are older than 24 hours, and no others", async () => {
  await using service = await startService();
  const client = await service.withKey();
  const create = (key: string) => client.post("/v1/pets", { name: "Rex", categoryId: 1 }, { "Idempotency-Key": key });
  const first = service.now;
  await create("old");
  await service.advance({ seconds: 2 * 3_600 });
  await create("new");
  await service.kill();
  await service.start({ now: first + 25 * HOUR });
  const runs = async () =>
    (await metricsAt(service.adminUrl)).sum("petstore_background_task_runs_total", {
      task: "delete_idempotency_keys",
    });
  await eventually(async () => (await runs()) > 0);
  expect(await service.stores.idempotencyKeys.forget(first + HOUR)).toBe(0);
  expect(await service.stores.idempotencyKeys.forget(first + 3 * HOUR)).toBe(1);
});

test("a start deletes the requests that the history does not keep any more", async () => {
  await using service = await startService();
  await (await service.withKey()).get("/v1/pets");
  const segments = () => service.stores.requests.list();
  await eventually(async () => (await segments()).length > 0);
  const [old] = await segments();
  await service.kill();
  await service.start({ now: service.now + 366 * 24 * HOUR });
  await eventually(async () => (await segments()).every(({ id }) => id !== old?.id));
});
