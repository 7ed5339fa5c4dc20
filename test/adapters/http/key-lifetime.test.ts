import { describe, expect, test } from "bun:test";
import { newSecret } from "../../../src/domain/keys/secret.ts";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { useService } from "../../support/use-service.ts";

const HOUR = 3_600_000;

const service = useService();

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
  states("docs/errors.md", "The operator revoked the key, permanently.");
  const { id, secret } = await service.createKey();
  expect(await refusalOf(secret)).toBeUndefined();
  await service.changeKey((keys) => keys.revoke(id, service.now));
  expect(await refusalOf(secret)).toBe("revoked_api_key");
  states("docs/authentication.md", "Revoking a key is for good: it is refused as `revoked_api_key` from then on.");
});

test("a revoked key that only writes is refused with the next request", async () => {
  const { id, secret } = await service.createKey();
  const write = () => service.withSecret(secret).post("/v1/pets", { name: "Rex", categoryId: 1 });
  expect((await write()).status).toBe(201);
  await service.changeKey((keys) => keys.revoke(id, service.now));
  expect((await write()).body.code).toBe("revoked_api_key");
});

test("a key expires on time, and not a millisecond before", async () => {
  states("docs/errors.md", "The key has passed its expiry,");
  const expiresAt = service.now + HOUR;
  const { secret } = await service.createKey({ expiresAt });
  await service.setClock(expiresAt - 1);
  expect(await refusalOf(secret)).toBeUndefined();
  await service.setClock(expiresAt);
  expect(await refusalOf(secret)).toBe("expired_api_key");
});

test("a key that is both revoked and expired is refused as revoked", async () => {
  const { id, secret } = await service.createKey({ expiresAt: service.now });
  await service.changeKey((keys) => keys.revoke(id, service.now));
  expect(await refusalOf(secret)).toBe("revoked_api_key");
});

test("a disabled key is refused until it is enabled again, with its counts", async () => {
  states(
    "docs/errors.md",
    "The operator disabled the key for a while.",
    "The same key then works again, with the counts of its limits.",
  );
  const { id, secret } = await service.createKey({ plan: "free" });
  const client = service.withSecret(secret);
  await client.spend(2);
  await service.changeKey((keys) => keys.update(id, { disabled: true }, service.now));
  expect(await refusalOf(secret)).toBe("disabled_api_key");
  expect(await refusalOf(newSecret("production"))).toBe("invalid_api_key");
  await service.changeKey((keys) => keys.update(id, { disabled: false }, service.now));
  expect((await client.get("/v1/pets")).headers.get("X-RateLimit-Remaining")).toBe("57");
  states(
    "docs/authentication.md",
    "Disabling a key refuses its requests as `disabled_api_key` until an operator enables it again.",
  );
});

describe("rotating a key", () => {
  test("keeps the old secret valid for the grace period, and the new one from now on", async () => {
    states(
      "docs/authentication.md",
      "Rotation gives a key a new secret. The old secret works during a grace period:",
      "Afterwards it is refused as `expired_api_key`.",
    );
    states("docs/errors.md", "or it was rotated and the grace period has ended.");
    const { id, secret: old } = await service.createKey();
    const issued = await service.changeKey((keys) => keys.rotate(id, HOUR, service.now));
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

  test("without a grace period ends the old secret at once", async () => {
    states("docs/data.md", "If it leaked, rotate it with `--grace 0s`");
    const { id, secret: old } = await service.createKey();
    expect(await refusalOf(old)).toBeUndefined();
    const { secret } = await service.changeKey((keys) => keys.rotate(id, 0, service.now));
    expect(await refusalOf(old)).toBe("expired_api_key");
    expect(await refusalOf(secret)).toBeUndefined();
  });

  test("never lets a secret outlive the key", async () => {
    states("docs/authentication.md", "and never beyond the key's own expiry.");
    const expiresAt = service.now + HOUR;
    const { id, secret: old } = await service.createKey({ expiresAt });
    const { secret } = await service.changeKey((keys) => keys.rotate(id, 24 * HOUR, service.now));
    await service.setClock(expiresAt);
    expect(await refusalOf(old)).toBe("expired_api_key");
    expect(await refusalOf(secret)).toBe("expired_api_key");
  });

  test("twice never prolongs the grace period of the oldest secret", async () => {
    const { id, secret: oldest } = await service.createKey();
    const start = service.now;
    const { secret: middle } = await service.changeKey((keys) => keys.rotate(id, HOUR, start));
    const { secret: newest } = await service.changeKey((keys) => keys.rotate(id, 24 * HOUR, start));
    await service.setClock(start + HOUR);
    expect(await refusalOf(oldest)).toBe("expired_api_key");
    expect(await refusalOf(middle)).toBeUndefined();
    expect(await refusalOf(newest)).toBeUndefined();
  });

  test("leaves both secrets the same limits", async () => {
    states("docs/authentication.md", "Both secrets share one set of limits.");
    const { id, secret: old } = await service.createKey({ limits: { perMinute: 3, perDay: 30 } });
    const { secret } = await service.changeKey((keys) => keys.rotate(id, HOUR, service.now));
    expect((await service.withSecret(old).get("/v1/pets")).headers.get("X-RateLimit-Remaining")).toBe("2");
    expect((await service.withSecret(secret).get("/v1/pets")).headers.get("X-RateLimit-Remaining")).toBe("1");
    expect((await service.withSecret(old).get("/v1/pets")).headers.get("X-RateLimit-Remaining")).toBe("0");
    expect((await service.withSecret(secret).get("/v1/pets")).status).toBe(429);
  });

  test("and then revoking the key revokes both secrets", async () => {
    const { id, secret: old } = await service.createKey();
    const { secret } = await service.changeKey((keys) => keys.rotate(id, HOUR, service.now));
    await service.changeKey((keys) => keys.revoke(id, service.now));
    expect(await refusalOf(old)).toBe("revoked_api_key");
    expect(await refusalOf(secret)).toBe("revoked_api_key");
  });
});

test("a free operation is a use of the key, too", async () => {
  const { id, secret } = await service.createKey();
  await service.withSecret(secret).get("/v1/usage");
  await eventually(async () => (await service.stores.keys.get(id))?.key.lastUsedAt === service.now);
});

test("a key's last use is recorded, to the minute", async () => {
  const { id, secret } = await service.createKey();
  const lastUse = async () => (await service.stores.keys.get(id))?.key.lastUsedAt;
  expect(await lastUse()).toBeUndefined();
  const first = service.now;
  await service.withSecret(secret).get("/v1/pets");
  await eventually(async () => (await lastUse()) === first);
  await service.advance({ seconds: 60 });
  await service.withSecret(secret).get("/v1/pets");
  await eventually(async () => (await lastUse()) === first + 60_000);
});
