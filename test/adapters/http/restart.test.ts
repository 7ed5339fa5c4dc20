import { expect, test } from "bun:test";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { useService } from "../../support/use-service.ts";

const service = useService();

const banned = { status: 429, body: { code: "key_banned" } };

test("a stop keeps counters, bans, keys and pets", async () => {
  states("README.md", "Its limits are exact to the request, through restarts");
  const counted = await service.createKey({ limits: { perMinute: 10, perDay: 100 } });
  const striking = await service.createKey({ limits: { perMinute: 1, perDay: 1_000 } });
  await service.withSecret(counted.secret).post("/v1/pets", { name: "Rex", categoryId: 1 });
  const last = await service.withSecret(counted.secret).spend(3);
  await service.withSecret(striking.secret).spend(2);
  await service.advance({ seconds: 2 });
  const ban = await service.withSecret(striking.secret).spend(100);
  expect(ban).toMatchObject(banned);
  expect(await service.stop()).toBe(0);
  await service.start();
  const next = await service.withSecret(counted.secret).get("/v1/pets");
  expect(next.body).toHaveLength(1);
  expect(next.headers.get("X-RateLimit-Remaining")).toBe("5");
  expect(next.headers.get("X-RateLimit-Reset")).toBe(last.headers.get("X-RateLimit-Reset"));
  expect(next.headers.get("RateLimit")).toContain('"day";r=95;');

  const still = await service.withSecret(striking.secret).get("/v1/pets");
  expect(still).toMatchObject(banned);
  expect(still.headers.get("X-RateLimit-Reset")).toBe(ban.headers.get("X-RateLimit-Reset"));
  await service.changeKey((keys) => keys.unban(striking.id, service.now));
  expect(await service.withSecret(striking.secret).get("/v1/pets")).not.toMatchObject(banned);
});

test("a crash loses at most the counts of the last second", async () => {
  const { id, secret } = await service.createKey({ limits: { perMinute: 10, perDay: 100 } });
  await service.withSecret(secret).spend(4);
  await eventually(async () => (await service.stores.counters.limitStateOf(id))?.minute.count === 4);
  await service.kill();
  await service.start();
  expect((await service.withSecret(secret).get("/v1/pets")).headers.get("X-RateLimit-Remaining")).toBe("5");
});
