import { expect, test } from "bun:test";
import { SqliteCounters } from "../../../src/adapters/sqlite/counters.ts";
import { eventually } from "../../support/eventually.ts";
import { startService } from "../../support/service.ts";

const banned = { status: 429, body: { code: "key_banned" } };

test("a stop keeps counters, bans, keys and pets", async () => {
  const before = await startService();
  const counted = await before.createKey({ limits: { perMinute: 10, perDay: 100 } });
  const striking = await before.createKey({ limits: { perMinute: 1, perDay: 1_000 } });
  await before.withSecret(counted.secret).post("/v1/pets", { name: "Rex", categoryId: 1 });
  const last = await before.withSecret(counted.secret).spend(3);
  await before.withSecret(striking.secret).spend(2);
  await before.advance({ seconds: 2 });
  const ban = await before.withSecret(striking.secret).spend(100);
  expect(ban).toMatchObject(banned);
  expect(await before.stop()).toBe(0);

  const after = await startService({ directory: before.directory, now: before.now });
  try {
    const next = await after.withSecret(counted.secret).get("/v1/pets");
    expect(next.body).toHaveLength(1);
    expect(next.headers.get("X-RateLimit-Remaining")).toBe("5");
    expect(next.headers.get("X-RateLimit-Reset")).toBe(last.headers.get("X-RateLimit-Reset"));
    expect(next.headers.get("RateLimit")).toContain('"day";r=95;');

    const still = await after.withSecret(striking.secret).get("/v1/pets");
    expect(still).toMatchObject(banned);
    expect(still.headers.get("X-RateLimit-Reset")).toBe(ban.headers.get("X-RateLimit-Reset"));
    await after.administration.unban(striking.id, after.now);
    expect(await after.withSecret(striking.secret).get("/v1/pets")).not.toMatchObject(banned);
  } finally {
    await after.remove();
  }
});

test("a crash loses at most what was counted in the last second", async () => {
  const before = await startService();
  const { id, secret } = await before.createKey({ limits: { perMinute: 10, perDay: 100 } });
  await before.withSecret(secret).spend(4);
  const counters = new SqliteCounters(before.database);
  await eventually(async () => (await counters.limitStateOf(id))?.minute.count === 4);
  await before.kill();

  const after = await startService({ directory: before.directory, now: before.now });
  try {
    expect((await after.withSecret(secret).get("/v1/pets")).headers.get("X-RateLimit-Remaining")).toBe("5");
  } finally {
    await after.remove();
  }
});
