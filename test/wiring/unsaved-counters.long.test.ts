import { expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { startService } from "../support/service.ts";

test("counts and last uses that could not be saved are saved once the store can be written again", async () => {
  states(
    "docs/upgrading.md",
    "| Counters, bans, last use | at most the last second is lost | the same | kept in memory, stored once there is space |",
  );
  await using service = await startService({ store: "sqlite" });
  const { id, secret } = await service.createKey();
  const before = service.now;
  await using other = await service.store.connect();
  await other.lockPets();
  await service.withSecret(secret).spend(1);
  const logs = (text: string) => service.output.some((line) => line.includes(text) && line.includes("write_counters"));
  await eventually(() => logs("a background task failed"));
  expect(await service.stores.counters.limitStateOf(id)).toBeUndefined();
  await other.run("COMMIT");
  await eventually(async () => (await service.stores.counters.limitStateOf(id))?.minute.count === 1);
  expect((await service.stores.keys.get(id))?.key.lastUsedAt).toBe(before);
  await eventually(() => logs("a background task works again"));
  await service.kill();
  await service.start();
  const { headers } = await service.withSecret(secret).spend(1);
  expect(headers.get("RateLimit")).toContain('"minute";r=999998');
});
