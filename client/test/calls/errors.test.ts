import { expect, test } from "bun:test";
import { publicStatuses } from "../../../test/support/codes.ts";
import { states } from "../../../test/support/markdown.ts";
import { START, startService, waitFor } from "../../../test/support/service.ts";
import { useService } from "../../../test/support/use-service.ts";
import {
  AuthenticationError,
  ConflictError,
  type ErrorCode,
  IdempotencyError,
  NotFoundError,
  PetstoreError,
  PreconditionError,
  RateLimitError,
  RemovedError,
  ScopeError,
  ServiceError,
  ValidationError,
} from "../../src/main.ts";
import { clockOf, petstoreOf } from "../support/petstore.ts";

const REX = { name: "Rex", categoryId: 1 };
const SUNSET = Date.UTC(2030, 11, 5);

const service = useService();

const classes = {
  AuthenticationError,
  ConflictError,
  IdempotencyError,
  NotFoundError,
  PetstoreError,
  PreconditionError,
  RateLimitError,
  RemovedError,
  ScopeError,
  ServiceError,
  ValidationError,
};
type Case = { code: ErrorCode; name: keyof typeof classes; call: () => Promise<unknown> };

/** Without retries: the first response of the service. */
const once = { maxRetries: 0, waitForLimits: false };

/** A client whose requests go to another path or use another method than the library chooses. */
const astray = (init: RequestInit, path = "/v1/pets") =>
  petstoreOf(service, {
    ...once,
    fetch: (_url, own) => fetch(service.url + path, { ...own, ...init, signal: own.signal ?? null }),
  });

const cases: Case[] = [
  {
    code: "validation_failed",
    name: "ValidationError",
    call: async () => (await petstoreOf(service)).createPet({ ...REX, name: " " }),
  },
  {
    code: "invalid_parameter",
    name: "ValidationError",
    call: async () => (await petstoreOf(service)).listPets({ limit: 0 }),
  },
  { code: "invalid_json", name: "ValidationError", call: async () => (await astray({ body: "{" })).createPet(REX) },
  {
    code: "payload_too_large",
    name: "ValidationError",
    call: async () => (await petstoreOf(service)).createPet({ ...REX, name: "x".repeat(70_000) }),
  },
  {
    code: "unsupported_media_type",
    name: "ValidationError",
    call: async () => {
      const { secret } = await service.createKey();
      return (await astray({ headers: { Authorization: `Bearer ${secret}`, "Content-Type": "text/plain" } })).createPet(
        REX,
      );
    },
  },
  {
    code: "missing_api_key",
    name: "AuthenticationError",
    call: async () => (await astray({ headers: {} })).listPets(),
  },
  {
    code: "invalid_api_key",
    name: "AuthenticationError",
    call: async () => (await petstoreOf(service, { apiKey: "pets_live_typo" })).listPets(),
  },
  {
    code: "expired_api_key",
    name: "AuthenticationError",
    call: async () => {
      const { secret } = await service.createKey({ expiresAt: service.now + 1000 });
      await service.advance({ seconds: 2 });
      return (await petstoreOf(service, { apiKey: secret })).listPets();
    },
  },
  {
    code: "revoked_api_key",
    name: "AuthenticationError",
    call: async () => {
      const { id, secret } = await service.createKey();
      await service.changeKey((keys) => keys.revoke(id, service.now));
      return (await petstoreOf(service, { apiKey: secret })).listPets();
    },
  },
  {
    code: "disabled_api_key",
    name: "AuthenticationError",
    call: async () => {
      const { id, secret } = await service.createKey();
      await service.changeKey((keys) => keys.update(id, { disabled: true }, service.now));
      return (await petstoreOf(service, { apiKey: secret })).listPets();
    },
  },
  {
    code: "insufficient_scope",
    name: "ScopeError",
    call: async () => {
      const { secret } = await service.createKey({ scopes: ["pets:read"] });
      return (await petstoreOf(service, { apiKey: secret })).createPet(REX);
    },
  },
  {
    code: "pet_not_found",
    name: "NotFoundError",
    call: async () => (await petstoreOf(service, { onDeprecation() {} })).getPet(987654321),
  },
  {
    code: "not_found",
    name: "NotFoundError",
    call: async () => (await petstoreOf(service, { baseUrl: `${service.url}/v1/dogs` })).listPets(),
  },
  {
    code: "method_not_allowed",
    name: "PetstoreError",
    call: async () => (await astray({ method: "PUT" })).createPet(REX),
  },
  {
    code: "invalid_transition",
    name: "ConflictError",
    call: async () => {
      const petstore = await petstoreOf(service);
      const { id } = await petstore.createPet({ ...REX, status: "sold" });
      return petstore.updatePet(id, { status: "pending" });
    },
  },
  {
    code: "precondition_failed",
    name: "PreconditionError",
    call: async () => {
      const petstore = await petstoreOf(service);
      const { id } = await petstore.createPet(REX);
      return petstore.updatePet(id, { name: "Max" }, { ifMatch: '"v9"' });
    },
  },
  {
    code: "category_not_found",
    name: "NotFoundError",
    call: async () => (await petstoreOf(service)).categories.get(987654321),
  },
  {
    code: "order_not_found",
    name: "NotFoundError",
    call: async () => (await petstoreOf(service)).orders.get(987654321),
  },
  {
    code: "pet_reserved",
    name: "ConflictError",
    call: async () => {
      const petstore = await petstoreOf(service);
      const { id: petId } = await petstore.createPet(REX);
      await petstore.orders.place({ petId });
      return petstore.deletePet(petId);
    },
  },
  {
    code: "pet_not_available",
    name: "ConflictError",
    call: async () => {
      const petstore = await petstoreOf(service);
      const { id: petId } = await petstore.createPet({ ...REX, status: "sold" });
      return petstore.orders.place({ petId });
    },
  },
  {
    code: "category_exists",
    name: "ConflictError",
    call: async () => {
      const { categories } = await petstoreOf(service);
      await categories.create({ name: "Dogs" });
      return categories.create({ name: "DOGS" });
    },
  },
  {
    code: "category_in_use",
    name: "ConflictError",
    call: async () => {
      const petstore = await petstoreOf(service);
      const { id: categoryId } = await petstore.categories.create({ name: "Cats" });
      await petstore.createPet({ ...REX, categoryId });
      return petstore.categories.delete(categoryId);
    },
  },
  {
    code: "idempotency_key_reused",
    name: "IdempotencyError",
    call: async () => {
      const petstore = await petstoreOf(service);
      await petstore.createPet(REX, { idempotencyKey: "order-1" });
      return petstore.createPet({ ...REX, name: "Mia" }, { idempotencyKey: "order-1" });
    },
  },
  {
    code: "idempotency_in_progress",
    name: "IdempotencyError",
    call: async () => {
      const petstore = await petstoreOf(service, once);
      await using other = await service.store.connect();
      await other.lockPets();
      const options = { idempotencyKey: "order-2" };
      const both = [petstore.createPet(REX, options), petstore.createPet(REX, options)];
      try {
        return await Promise.all(both);
      } finally {
        await other.run("ROLLBACK");
        await Promise.allSettled(both);
      }
    },
  },
  {
    code: "rate_limit_exceeded",
    name: "RateLimitError",
    call: async () => {
      const { secret } = await service.createKey({ limits: { perMinute: 1, perDay: 100 } });
      const petstore = await petstoreOf(service, { ...once, apiKey: secret });
      await petstore.listPets();
      return petstore.listPets();
    },
  },
  {
    code: "quota_exceeded",
    name: "RateLimitError",
    call: async () => {
      const { secret } = await service.createKey({ limits: { perMinute: 100, perDay: 1 } });
      const petstore = await petstoreOf(service, { ...once, apiKey: secret });
      await petstore.listPets();
      return petstore.listPets();
    },
  },
  {
    code: "key_banned",
    name: "RateLimitError",
    call: async () => {
      const { secret } = await service.createKey({ limits: { perMinute: 1, perDay: 1 } });
      const petstore = await petstoreOf(service, { ...once, apiKey: secret });
      await petstore.listPets();
      await petstore.listPets().catch(() => {});
      await service.advance({ seconds: 3 });
      for (let strike = 0; strike < 100; strike++) await petstore.listPets().catch(() => {});
      return petstore.listPets();
    },
  },
  {
    code: "service_unavailable",
    name: "ServiceError",
    call: async () => {
      const petstore = await petstoreOf(service, once);
      await using other = await service.store.connect();
      await other.lockPets();
      return await petstore.createPet(REX);
    },
  },
  {
    code: "position_expired",
    name: "PetstoreError",
    call: async () => {
      const petstore = await petstoreOf(service, once);
      for (let pet = 0; pet < 3; pet++) await petstore.createPet(REX);
      await service.stores.events.prune({ since: Infinity, most: 1 }, 10_000);
      return petstore.events({ after: 1 }).next();
    },
  },
  {
    code: "operation_removed",
    name: "RemovedError",
    call: async () => {
      await service.setClock(SUNSET);
      const petstore = await petstoreOf(service, { onDeprecation() {} });
      return petstore.getPet(1).finally(() => service.setClock(START));
    },
  },
];

test.each(cases)("$code is a $name", async ({ code, name, call }) => {
  states("client/README.md", "A failure is a `PetstoreError` with `code`, `status`, `message`, and `requestId`,");
  const error = await call().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof PetstoreError)) throw new Error(`not refused: ${error}`);
  expect(error.constructor).toBe(classes[name]);
  expect(error).toMatchObject({ name, code, status: publicStatuses[code] });
  expect(error.requestId).toMatch(/^[0-9a-f]{32}-1$/);
  expect(error.message).not.toBeEmpty();
});

test("every code of the service is tested here, except one that no request may cause and one of a request whose id is not read", () => {
  states(
    "client/README.md",
    "The request is invalid, or its headers are too large. | `details` |",
    "The key is unknown, expired, revoked or disabled. | |",
    "`ScopeError` | 403 | The key lacks the scope. | |",
    "`ConflictError` | 409 | The state of the resource, or of another one, does not allow the change. | |",
    "The idempotency key of a creation is in use. | |",
    "`RemovedError` | 410 | The operation was removed. | |",
    "`RateLimitError` | 429 | A limit is used up, or the key is banned. | `retryAfter`, `limits` |",
    "`ServiceError` | 5xx | The service cannot process the request now. | `retryAfter` |",
    "`PetstoreError` itself | 405, 410 | The address does not answer this method, or a position is no longer kept. | |",
  );
  const tested = new Set<string>(cases.map(({ code }) => code));
  expect(Object.keys(publicStatuses).filter((code) => !tested.has(code))).toEqual([
    "request_header_too_large",
    "internal_error",
  ]);
});

test("a ValidationError lists every problem", async () => {
  const error = await (await petstoreOf(service)).createPet({ name: "", categoryId: 1.5 }).catch((reason) => reason);
  expect(error).toBeInstanceOf(ValidationError);
  expect(error.details.map(({ field }: { field: string }) => field)).toEqual(["name", "categoryId"]);
});

test("a RateLimitError has the seconds to wait and the state of both limits", async () => {
  const { secret } = await service.createKey({ limits: { perMinute: 1, perDay: 100 } });
  const petstore = await petstoreOf(service, { ...once, apiKey: secret, clock: clockOf(service) });
  await petstore.listPets();
  const error = await petstore.listPets().catch((reason) => reason);
  expect(error).toBeInstanceOf(RateLimitError);
  expect(error.retryAfter).toBeWithin(60, 62);
  expect(error.limits).toMatchObject({ minute: { limit: 1, remaining: 0 }, day: { limit: 100, remaining: 99 } });
  expect(error.limits.minute.resetAt.getTime() - service.now).toBeWithin(60_000, 62_000);
  expect(petstore.rateLimits).toEqual(error.limits);
});

test("the request id is the same as in the service's log", async () => {
  states(
    "docs/test-against-it.md",
    "decides by `code`, and reports those that it does not handle, with their `X-Request-Id`: Errors",
  );
  await using logged = await startService({ env: { PETSTORE_REQUEST_LOG: "true", PETSTORE_LOG_LEVEL: "info" } });
  const petstore = await petstoreOf(logged);
  const told = waitFor(logged, (line) => line.includes('"status":400'));
  const error = await petstore.listPets({ limit: 0 }).catch((reason) => reason);
  expect(await told).toContain(error.requestId);
  states(
    "client/README.md",
    "and `requestId`, which identifies the request in the service's log. The code determines its class:",
  );
});
