import { beforeEach, describe, expect, test } from "bun:test";
import { newSecret } from "../../../src/domain/keys/secret.ts";
import type { Answer } from "../../support/client.ts";
import { states } from "../../support/markdown.ts";
import { type RunningService, startService } from "../../support/service.ts";
import { useService } from "../../support/use-service.ts";

const LIMIT = 3;

const remaining = ({ headers }: Answer) => Number(headers.get("X-RateLimit-Remaining"));

/** A service with this limit. Each test starts after the windows of the previous one. */
function useAddressLimit(env: Record<string, string> = {}): RunningService {
  const service = useService({ env: { PETSTORE_ADDRESS_LIMIT: String(LIMIT), ...env } });
  beforeEach(() => service.advance({ seconds: 120 }));
  return service;
}

const fromAddress = (service: RunningService) => (address: string) =>
  service.anonymous().get("/v1/pets", { "X-Forwarded-For": address });

describe("requests without a valid key", () => {
  const service = useAddressLimit();
  const from = fromAddress(service);

  test("are limited by address, for every kind of failure", async () => {
    states(
      "docs/running.md",
      "The address matters only for the limit of requests without a valid key.",
      "Never list addresses that clients can have.",
    );
    states("SECURITY.md", "Requests without a valid key are limited by address (IPv6 by its /64).");
    states("docs/settings.md", "Requests per minute without a valid key, per client address.");
    states(
      "docs/limits.md",
      "Requests without a valid key (401) are counted per client address,",
      "The responses have the same headers for this one window, and 429 `rate_limit_exceeded` when it is used up.",
    );
    states(
      "docs/errors.md",
      "The limit per minute is used up: the key's, or the client address's if there is no valid key.",
    );
    const anonymous = service.anonymous();
    const reset = Math.floor(service.now / 1000) + 60;
    expect(await anonymous.get("/v1/pets")).toMatchObject({ status: 401, body: { code: "missing_api_key" } });
    expect(await anonymous.get("/v1/pets", { Authorization: "Bearer x" })).toMatchObject({ status: 401 });
    const last = await service.withSecret(newSecret("production")).get("/v1/nothing");
    expect(last).toMatchObject({ status: 401, body: { code: "invalid_api_key" } });
    expect(remaining(last)).toBe(0);

    const refused = await anonymous.get("/v1/pets");
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limit_exceeded", status: 429 } });
    expect(refused.headers.get("X-RateLimit-Limit")).toBe(String(LIMIT));
    expect(refused.headers.get("X-RateLimit-Reset")).toBe(String(reset));
    expect(refused.headers.get("RateLimit-Policy")).toBe(`"minute";q=${LIMIT};w=60`);
    expect(refused.headers.get("RateLimit")).toBe('"minute";r=0;t=60');
    expect(refused.headers.has("WWW-Authenticate")).toBe(false);
  });

  test("are answered again after Retry-After", async () => {
    const refused = await service.anonymous().spend(LIMIT + 1);
    await service.advance({ seconds: Number(refused.headers.get("Retry-After")) });
    expect((await service.anonymous().get("/v1/pets")).status).toBe(401);
  });

  test("neither affect a valid key from the same address nor are affected by it", async () => {
    states("docs/limits.md", "It does not affect requests with a valid key.");
    const client = await service.withKey();
    await client.spend(LIMIT + 5);
    const refused = await service.anonymous().spend(LIMIT + 1);
    expect(refused.status).toBe(429);
    expect((await client.get("/v1/pets")).status).toBe(200);
  });

  test("with a revoked or expired key count as requests without a key", async () => {
    const { id, secret } = await service.createKey();
    await service.changeKey((keys) => keys.revoke(id, service.now));
    const answer = await service.withSecret(secret).get("/v1/pets");
    expect(answer.status).toBe(401);
    expect(answer.headers.get("X-RateLimit-Limit")).toBe(String(LIMIT));
    expect(remaining(answer)).toBe(LIMIT - 1);
  });

  test("do not include those whose key cannot be looked up: they are 503, and count nowhere", async () => {
    states(
      "docs/limits.md",
      "While the service cannot look up keys, requests with one get 503 `service_unavailable` with the headers of this window, and count nowhere.",
    );
    const client = await service.withKey();
    await service.anonymous().get("/v1/pets");
    await using other = await service.store.connect();
    await other.run("ALTER TABLE secrets RENAME TO elsewhere");
    await service.forgetKeys();
    for (let i = 0; i < 2 * LIMIT; i++) {
      const answer = await client.get("/v1/pets");
      expect(answer).toMatchObject({ status: 503, body: { code: "service_unavailable" } });
      expect(answer.headers.get("Retry-After")).toBe("1");
      expect(answer.headers.get("RateLimit")).toBe(`"minute";r=${LIMIT - 1};t=60`);
      expect(remaining(answer)).toBe(LIMIT - 1);
    }
    await other.run("ALTER TABLE elsewhere RENAME TO secrets");
    expect((await client.get("/v1/pets")).status).toBe(200);
    expect(remaining(await service.anonymous().get("/v1/pets"))).toBe(LIMIT - 2);
  });

  test("do not keep those whose key cannot be looked up from 503 once their limit is used up", async () => {
    const client = await service.withKey();
    expect((await service.anonymous().spend(LIMIT + 1)).status).toBe(429);
    await using other = await service.store.connect();
    await other.run("ALTER TABLE secrets RENAME TO elsewhere");
    await service.forgetKeys();
    const answer = await client.get("/v1/pets");
    await other.run("ALTER TABLE elsewhere RENAME TO secrets");
    expect(answer).toMatchObject({ status: 503, body: { code: "service_unavailable" } });
    expect(answer.headers.get("Retry-After")).toBe("1");
  });

  test("are counted by each process alone", async () => {
    states(
      "docs/limits.md",
      "A service of several processes allows more: each of them counts alone, so `X-RateLimit-Remaining` depends on which of them answers.",
    );
    // One process serves a file.
    if (service.store.engine === "sqlite") return;
    const env = { PETSTORE_ADDRESS_LIMIT: String(LIMIT) };
    const other = await startService({ env, store: service.store, now: service.now });
    try {
      expect((await service.anonymous().spend(LIMIT + 1)).status).toBe(429);
      expect(remaining(await other.anonymous().get("/v1/pets"))).toBe(LIMIT - 1);
    } finally {
      await other.kill();
    }
  });

  test("cannot choose their address: by default X-Forwarded-For is ignored", async () => {
    expect(remaining(await from("203.0.113.1"))).toBe(LIMIT - 1);
    expect(remaining(await from("203.0.113.2"))).toBe(LIMIT - 2);
  });

  test("probes and the documentation are not counted", async () => {
    for (let i = 0; i < LIMIT + 2; i++) expect((await service.anonymous().get("/livez")).status).toBe(200);
    expect((await service.anonymous().get("/docs")).headers.has("X-RateLimit-Limit")).toBe(false);
    expect(remaining(await service.anonymous().get("/v1/pets"))).toBe(LIMIT - 1);
    states("docs/interface.md", "They need no key and are not counted.");
  });
});

describe("behind a trusted proxy, the address is", () => {
  const service = useAddressLimit({ PETSTORE_TRUSTED_PROXIES: "127.0.0.0/8, 10.0.0.0/8,fd00::/8" });
  const from = fromAddress(service);

  async function expectSame(one: string, other: string): Promise<void> {
    expect(remaining(await from(one))).toBe(LIMIT - 1);
    expect(remaining(await from(other))).toBe(LIMIT - 2);
  }

  async function expectDifferent(one: string, other: string): Promise<void> {
    expect(remaining(await from(one))).toBe(LIMIT - 1);
    expect(remaining(await from(other))).toBe(LIMIT - 1);
  }

  test("the client's", () => expectDifferent("203.0.113.1", "203.0.113.2"));
  test("the nearest that is not a trusted proxy", () =>
    expectSame("203.0.113.1, 10.0.0.1", "203.0.113.1,10.9.9.9, 127.0.0.5"));
  test("not the one that the client itself claims", () =>
    expectSame("198.51.100.1, 203.0.113.1", "198.51.100.2, 203.0.113.1"));
  test("an IPv6 network of 64 bits", async () => {
    states("SECURITY.md", "limited by address (IPv6 by its /64).");
    states("docs/limits.md", "IPv6 addresses by their /64:");
    await expectSame("2001:db8:1:2::1", "2001:db8:1:2:ffff::9");
  });
  test("another network beyond these 64 bits", () => expectDifferent("2001:db8:1:2::1", "2001:db8:1:3::1"));
  test("the same in every notation", () => expectSame("2001:DB8:1:2:0:0:0:1", "2001:db8:1:2::"));
  test("an IPv4 address that is mapped to IPv6", () => expectSame("203.0.113.1", "::ffff:203.0.113.1"));
  test("the proxy's own if it forwards an invalid address", () => expectSame("unknown", "203.0.113.1, not-an-address"));
});
