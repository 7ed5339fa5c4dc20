import { expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { startService } from "../support/service.ts";

test("a ban outlives a crash", async () => {
  await using service = await startService();
  const { id, secret } = await service.createKey({ limits: { perMinute: 1, perDay: 1_000 } });
  await service.withSecret(secret).spend(2);
  await service.advance({ seconds: 2 });
  const ban = await service.withSecret(secret).spend(100);
  expect(ban.body.code).toBe("key_banned");
  await eventually(async () => (await service.stores.counters.limitStateOf(id))?.banState?.ban !== undefined);
  await service.kill();
  await service.start();
  const still = await service.withSecret(secret).get("/v1/pets");
  expect(still.body.code).toBe("key_banned");
  expect(still.headers.get("X-RateLimit-Reset")).toBe(ban.headers.get("X-RateLimit-Reset"));
});
