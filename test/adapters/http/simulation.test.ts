import { describe, expect, test } from "bun:test";
import { errorCatalogue } from "../../../src/domain/errors.ts";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useOperator, useService } from "../../support/use-service.ts";

const SUNSET = "2030-12-05T00:00:00Z";
const HOUR = 3_600_000;
const REX = { name: "Rex", categoryId: 1 };
const simulating = (simulation: string) => ({ "Petstore-Simulate": simulation });

describe("on staging", () => {
  const service = useService({ env: { PETSTORE_DEPLOYMENT: "staging" } });
  const { client } = useKey(service);
  const { client: operator } = useOperator(service);

  test("401 and 429 come before the simulation", async () => {
    const header = simulating("internal_error");
    expect((await service.anonymous().get("/v1/pets", header)).status).toBe(401);
    const limited = await service.withKey({ limits: { perMinute: 1, perDay: 9 } });
    expect((await limited.get("/v1/pets", header)).status).toBe(500);
    const refused = await limited.get("/v1/pets", header);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("Petstore-Simulated")).toBeNull();
    states("docs/rehearsal.md", "Authentication (401) and limits (429) come first.");
  });

  test("an invalid header is 400 and does nothing, but counts", async () => {
    states(
      "docs/rehearsal.md",
      "Production refuses what follows with 400 `invalid_parameter`, so that a rehearsal is never taken for the real thing.",
    );
    const own = await service.withKey({ plan: "free" });
    const refused = await own.post("/v1/pets", REX, simulating("key_banned, disconnect"));
    expect(refused.body).toEqual({
      code: "invalid_parameter",
      message: "Header Petstore-Simulate must not combine key_banned with disconnect.",
      status: 400,
      details: [{ in: "header", field: "Petstore-Simulate", problem: "must not combine key_banned with disconnect" }],
    });
    expect(refused.headers.get("X-RateLimit-Remaining")).toBe("59");
    expect((await own.get("/v1/pets", simulating(""))).status).toBe(400);
    expect((await own.get("/v1/pets")).body).toEqual([]);
  });

  test("a simulated error is no strike, bans nobody, and takes one request", async () => {
    const own = await service.withKey({ plan: "free" });
    for (const code of ["rate_limit_exceeded", "quota_exceeded", "key_banned"]) {
      expect((await own.get("/v1/pets", simulating(code))).status).toBe(429);
      await service.advance({ seconds: 3 });
    }
    const { body } = await own.get("/v1/usage");
    expect(body).toMatchObject({ minute: { used: 3 }, day: { used: 3 }, strikes: 0, ban: null });
    states(
      "docs/rehearsal.md",
      "A simulated refusal is no strike, and a simulated ban bans nobody.",
      "The request counts in both windows, as every request does.",
    );
  });

  test("a simulated error does nothing else", async () => {
    states("docs/rehearsal.md", "the same code of the service makes it.");
    states("docs/rehearsal.md", "Nothing else happens.");
    const before = (await client.get("/v1/pets?limit=100")).body.length;
    for (const code of ["internal_error", "service_unavailable", "idempotency_in_progress"]) {
      await client.post("/v1/pets", REX, { ...simulating(code), "Idempotency-Key": "rehearsed" });
    }
    expect((await client.get("/v1/pets?limit=100")).body).toHaveLength(before);
    const created = await client.post("/v1/pets", REX, { "Idempotency-Key": "rehearsed" });
    expect(created.headers.get("Idempotency-Replayed")).toBeNull();
    states(
      "docs/rehearsal.md",
      "an error code, such as `quota_exceeded` | The response is that error. The request does nothing else.",
    );
  });

  test("a code that the operation never has is the error of the list", async () => {
    for (const [path, code, status] of [
      ["/v1/usage", "category_in_use", 409],
      ["/v1/usage", "quota_exceeded", 429],
      ["/v1/usage", "insufficient_scope", 403],
      ["/v1/nothing", "method_not_allowed", 405],
      ["/v1/nothing", "validation_failed", 400],
      ["/v1/store/inventory", "invalid_parameter", 400],
      ["/v1/pets", "operation_removed", 410],
    ] as const) {
      const { secret } = await service.createKey();
      const headers = { Authorization: `Bearer ${secret}`, ...simulating(code) };
      const response = await fetch(service.url + path, { headers });
      const { message } = errorCatalogue[code];
      expect(await response.json()).toMatchObject({ code, status, message });
      expect(response.status).toBe(status);
      if (code === "insufficient_scope") {
        expect(response.headers.get("WWW-Authenticate")).toEndWith(', error="insufficient_scope"');
      }
    }
    states("docs/rehearsal.md", "A code that the operation never has gets the message of the list.");
  });

  test("its own limit refuses a free operation", async () => {
    const answer = await client.get("/v1/usage", simulating("rate_limit_exceeded"));
    expect(answer.status).toBe(429);
    expect(answer.headers.get("X-RateLimit-Limit")).toBe("60");
    expect(answer.headers.get("X-RateLimit-Remaining")).toBe("0");
    expect((await client.get("/v1/usage")).status).toBe(200);
  });

  test("now moves the sunset, for one request", async () => {
    states(
      "docs/rehearsal.md",
      "`now=<time>` | The request is judged by this time (RFC 3339): the sunset of an operation,",
    );
    const { headers, body } = await client.post("/v1/pets", REX, simulating(`now=${SUNSET}`));
    expect(headers.get("Location")).toBe(`${service.url}/v1/pets?ids=${body.id}`);
    expect(headers.get("Petstore-Simulated")).toBe("now=2030-12-05T00:00:00.000Z");
    const path = `/v1/pets/${body.id}`;
    const removed = await client.get(path, simulating(`now=${SUNSET}`));
    expect(removed).toMatchObject({ status: 410, body: { code: "operation_removed" } });
    expect(removed.headers.get("Petstore-Simulated")).toBe("now=2030-12-05T00:00:00.000Z");
    expect(removed.headers.get("Vary")).toBeNull();
    expect((await client.get(path, simulating("now=2030-12-04T23:59:59.999Z"))).status).toBe(200);
    expect((await client.get(path)).status).toBe(200);
  });

  test("now moves the expiry of a key and of a rotated secret, and neither windows nor idempotency keys", async () => {
    states(
      "docs/rehearsal.md",
      "and whether the key is still valid. Its windows keep their own time, and so does what it writes.",
    );
    const { id, secret } = await service.createKey({ expiresAt: service.now + 48 * HOUR });
    await service.changeKey((keys) => keys.rotate(id, HOUR, service.now));
    const own = service.withSecret(secret);
    const at = (ms: number) => simulating(`now=${new Date(service.now + ms).toISOString()}`);
    const expired = await own.get("/v1/pets", at(HOUR));
    expect(expired).toMatchObject({ status: 401, body: { code: "expired_api_key" } });
    expect(expired.headers.get("WWW-Authenticate")).toContain("invalid_token");
    expect((await own.get("/v1/pets", at(HOUR - 1))).status).toBe(200);
    const later = await client.post("/v1/pets", REX, { ...at(48 * HOUR), "Idempotency-Key": "later" });
    const again = await client.post("/v1/pets", REX, { "Idempotency-Key": "later" });
    expect(again.body.id).toBe(later.body.id);
    const opened = await service.withKey({ plan: "free" });
    const { headers } = await opened.get("/v1/pets", simulating(`now=${SUNSET}`));
    expect(Number(headers.get("X-RateLimit-Reset"))).toBeLessThan(service.now / 1000 + 86_401);
    states("docs/rehearsal.md", "Its windows keep their own time, and so does what it writes.");
  });

  test("usage counts rehearsals apart, for the key and for operators", async () => {
    states(
      "CHANGELOG.md",
      "A simulated response has `Petstore-Simulated`; usage, metrics and the request log count and mark such requests apart. Production answers 400.",
    );
    states("docs/rehearsal.md", "Usage counts simulated requests apart, in `simulated`, and in no other figure.");
    const { id, secret } = await service.createKey();
    const own = service.withSecret(secret);
    for (const simulation of ["internal_error", "key_banned", "delay=1"]) {
      await own.get("/v1/pets", simulating(simulation));
    }
    await own.get("/v1/pets");
    const hour = (await own.get("/v1/usage")).body.last24Hours.at(-1);
    expect(hour).toMatchObject({ requests: 1, simulated: 3, byClass: { "2xx": 1, "4xx": 0, "429": 0, "5xx": 0 } });
    expect(hour.byOperation).toMatchObject({ listPets: 1, other: 0 });
    const seen = async () => (await operator.get(`/admin/v1/keys/${id}/usage`)).body.points.at(-1);
    await eventually(async () => (await seen()).simulated === 3);
    expect(await seen()).toMatchObject({ requests: 2, bans: 0 });
    states(
      "docs/usage.md",
      "and `simulated`, the requests that were rehearsals, which no other count has.",
      "The hours contain every request with your key except rehearsals",
    );
  });

  test("a response with another content is not kept for other requests", async () => {
    const { headers } = await client.get("/v1/pets", simulating("delay=0"));
    expect(headers.get("Vary")).toBe("Authorization, Petstore-Simulate");
    expect((await client.get("/v1/pets")).headers.get("Vary")).toBe("Authorization");
  });

  test("rehearsed calls of a deprecated operation are not in the list of its callers", async () => {
    const { id, secret } = await service.createKey();
    const own = service.withSecret(secret);
    await own.get("/v1/pets/1", simulating("internal_error"));
    await own.get("/v1/pets/1", simulating(`now=${SUNSET}`));
    await own.get("/v1/pets/1", simulating("delay=1"));
    await client.get("/v1/pets/1");
    await service.stop();
    await service.start();
    const callers = (await operator.get("/admin/v1/deprecations/callers")).body;
    expect(JSON.stringify(callers)).not.toContain(id);
    states("docs/rehearsal.md", "A rehearsed call of getPet is not in the list of its callers.");
  });

  test("probes, documentation and the administration interface simulate nothing", async () => {
    states("docs/rehearsal.md", "The administration interface simulates nothing: it refuses the header with 400.");
    const header = simulating("internal_error");
    for (const path of ["/livez", "/readyz", "/docs", "/openapi.json"]) {
      expect((await service.anonymous().get(path, header)).status).toBe(200);
    }
    const refused = await operator.get("/admin/v1/keys", header);
    expect(refused).toMatchObject({ status: 400, body: { code: "invalid_parameter" } });
  });
});

describe("on production", () => {
  const service = useService();

  test("the header is 400 and does nothing, but counts", async () => {
    states(
      "docs/rehearsal.md",
      "Production refuses what follows with 400 `invalid_parameter`,",
      "An invalid header, or any on production, is 400.",
    );
    const client = await service.withKey({ plan: "free" });
    for (const simulation of ["key_banned", "disconnect", "nonsense", ""]) {
      const refused = await client.post("/v1/pets", REX, simulating(simulation));
      expect(refused).toMatchObject({ status: 400, body: { code: "invalid_parameter" } });
      expect(refused.body.message).toBe("Header Petstore-Simulate is for staging: production simulates nothing.");
      expect(refused.headers.get("Petstore-Simulated")).toBeNull();
    }
    const listed = await client.get("/v1/pets");
    expect(listed.body).toEqual([]);
    expect(listed.headers.get("X-RateLimit-Remaining")).toBe("55");
    expect((await client.get("/v1/pets/1", simulating("not_found"))).status).toBe(400);
    states("docs/rehearsal.md", "Production refuses what follows with 400 `invalid_parameter`");
  });
});
