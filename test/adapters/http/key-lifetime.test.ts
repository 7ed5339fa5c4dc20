import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SqliteKeys } from "../../../src/adapters/sqlite/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { type RunningService, startService } from "../../support/service.ts";

const HOUR = 3_600_000;

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.remove());

async function refusalOf(secret: string): Promise<string | undefined> {
  const answer = await service.withSecret(secret).get("/v1/pets");
  if (answer.status === 200) return undefined;
  expect(answer.status).toBe(401);
  expect(answer.headers.get("WWW-Authenticate")).toBe('Bearer realm="petstore", error="invalid_token"');
  return answer.body.code;
}

test("a key that another process adds works with the next request", async () => {
  const { secret } = await service.createKey();
  expect(await refusalOf(secret)).toBeUndefined();
});

test("a revoked key is refused with the next request", async () => {
  const { id, secret } = await service.createKey();
  expect(await refusalOf(secret)).toBeUndefined();
  await service.administration.revoke(id, service.now);
  expect(await refusalOf(secret)).toBe("revoked_api_key");
});

test("a key expires at its moment, and not a millisecond before", async () => {
  const expiresAt = service.now + HOUR;
  const { secret } = await service.createKey({ expiresAt });
  await service.setClock(expiresAt - 1);
  expect(await refusalOf(secret)).toBeUndefined();
  await service.setClock(expiresAt);
  expect(await refusalOf(secret)).toBe("expired_api_key");
});

test("a key that is both revoked and expired is called revoked", async () => {
  const { id, secret } = await service.createKey({ expiresAt: service.now });
  await service.administration.revoke(id, service.now);
  expect(await refusalOf(secret)).toBe("revoked_api_key");
});

describe("rotating a key", () => {
  test("lets the old secret work for the grace, and the new one from then on", async () => {
    const { id, secret: old } = await service.createKey();
    const issued = await service.administration.rotate(id, HOUR, service.now);
    const end = service.now + HOUR;
    expect(issued.key.id).toBe(id);
    expect(await refusalOf(old)).toBeUndefined();
    expect(await refusalOf(issued.secret)).toBeUndefined();
    await service.setClock(end - 1);
    expect(await refusalOf(old)).toBeUndefined();
    await service.setClock(end);
    expect(await refusalOf(old)).toBe("expired_api_key");
    expect(await refusalOf(issued.secret)).toBeUndefined();
  });

  test("without grace ends the old secret at once", async () => {
    const { id, secret: old } = await service.createKey();
    expect(await refusalOf(old)).toBeUndefined();
    const { secret } = await service.administration.rotate(id, 0, service.now);
    expect(await refusalOf(old)).toBe("expired_api_key");
    expect(await refusalOf(secret)).toBeUndefined();
  });

  test("gives no secret more time than the key has", async () => {
    const expiresAt = service.now + HOUR;
    const { id, secret: old } = await service.createKey({ expiresAt });
    const { secret } = await service.administration.rotate(id, 24 * HOUR, service.now);
    await service.setClock(expiresAt);
    expect(await refusalOf(old)).toBe("expired_api_key");
    expect(await refusalOf(secret)).toBe("expired_api_key");
  });

  test("twice never lengthens the grace of the oldest secret", async () => {
    const { id, secret: oldest } = await service.createKey();
    const start = service.now;
    const { secret: middle } = await service.administration.rotate(id, HOUR, start);
    const { secret: newest } = await service.administration.rotate(id, 24 * HOUR, start);
    await service.setClock(start + HOUR);
    expect(await refusalOf(oldest)).toBe("expired_api_key");
    expect(await refusalOf(middle)).toBeUndefined();
    expect(await refusalOf(newest)).toBeUndefined();
  });

  test("leaves both secrets one set of limits", async () => {
    const { id, secret: old } = await service.createKey({ limits: { perMinute: 3, perDay: 30 } });
    const { secret } = await service.administration.rotate(id, HOUR, service.now);
    expect((await service.withSecret(old).get("/v1/pets")).headers.get("X-RateLimit-Remaining")).toBe("2");
    expect((await service.withSecret(secret).get("/v1/pets")).headers.get("X-RateLimit-Remaining")).toBe("1");
    expect((await service.withSecret(old).get("/v1/pets")).headers.get("X-RateLimit-Remaining")).toBe("0");
    expect((await service.withSecret(secret).get("/v1/pets")).status).toBe(429);
  });

  test("of a revoked key revokes both its secrets", async () => {
    const { id, secret: old } = await service.createKey();
    const { secret } = await service.administration.rotate(id, HOUR, service.now);
    await service.administration.revoke(id, service.now);
    expect(await refusalOf(old)).toBe("revoked_api_key");
    expect(await refusalOf(secret)).toBe("revoked_api_key");
  });
});

test("a key's last use is written down, to the minute", async () => {
  const keys = new SqliteKeys(service.database);
  const { id, secret } = await service.createKey();
  expect((await keys.get(id))?.key.lastUsedAt).toBeUndefined();
  const first = service.now;
  await service.withSecret(secret).get("/v1/pets");
  await eventually(async () => (await keys.get(id))?.key.lastUsedAt === first);
  await service.advance({ seconds: 60 });
  await service.withSecret(secret).get("/v1/pets");
  await eventually(async () => (await keys.get(id))?.key.lastUsedAt === first + 60_000);
});
