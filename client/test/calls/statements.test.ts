/** What the README says of calls, where no other test shows it. */
import { describe, expect, test } from "bun:test";
import { publicStatuses } from "../../../test/support/codes.ts";
import { read, states, tableOf } from "../../../test/support/markdown.ts";
import { useService } from "../../../test/support/use-service.ts";
import { errorOf } from "../../src/errors.ts";
import { PetstoreClient, PreconditionError } from "../../src/main.ts";
import { lossy } from "../support/losses.ts";
import { petstoreOf, recorder } from "../support/petstore.ts";

const README = "client/README.md";
const REX = { name: "Rex", categoryId: 1 };
const service = useService();
const swift = { now: () => performance.now(), random: () => 0, sleep: async () => {} };

test("an idempotency key is valid for 24 hours, and not for another pet", async () => {
  states(README, "It is valid for 24 hours; the same key with another pet is refused.");
  const petstore = await petstoreOf(service);
  const options = { idempotencyKey: "a day" };
  const first = await petstore.createPet(REX, options);
  await service.advance({ seconds: 86_400 - 60 });
  expect(await petstore.createPet(REX, options)).toEqual(first);
  const other = petstore.createPet({ ...REX, name: "Mia" }, options);
  await expect(other).rejects.toMatchObject({ name: "IdempotencyError", status: 422 });
  await service.advance({ seconds: 120 });
  expect((await petstore.createPet(REX, options)).id).not.toBe(first.id);
});

test("each creation sends the idempotency key that is chosen for it", async () => {
  states(README, "`idempotencyKey` | For `createPet`, `createPets`, `categories.create` and `orders.place`:");
  const { fetch, requests } = recorder();
  const petstore = await petstoreOf(service, { fetch });
  const keyOf = (idempotencyKey: string) => ({ idempotencyKey });
  const { id: petId } = await petstore.createPet(REX, keyOf("one"));
  await petstore.createPets([REX, REX], { idempotencyKey: (_, index) => `many ${index}` }).toArray({ max: 2 });
  await petstore.categories.create({ name: "Chosen" }, keyOf("category"));
  await petstore.orders.place({ petId }, keyOf("order"));
  expect(requests.map(({ headers }) => headers["idempotency-key"])).toEqual([
    ...["one", "many 0", "many 1", "category", "order"],
  ]);
});

describe("without ifMatch", () => {
  test("the last change wins", async () => {
    states(README, "Without `ifMatch`, the last change wins.");
    const [one, other] = [await petstoreOf(service), await petstoreOf(service)];
    const { id } = await one.createPet(REX);
    await other.updatePet(id, { name: "Max" });
    expect((await one.updatePet(id, { name: "Bo" })).name).toBe("Bo");
  });

  test("a change that is repeated replaces what another client has made meanwhile", async () => {
    states(
      README,
      "Without `ifMatch`, a repeated change or removal also replaces what another client has made of the resource in the meantime.",
    );
    const direct = await petstoreOf(service);
    const { id } = await direct.createPet(REX);
    const { fetch } = lossy("response", () => direct.updatePet(id, { name: "Theirs" }));
    const petstore = await petstoreOf(service, { fetch, clock: swift });
    expect((await petstore.updatePet(id, { name: "Ours" })).name).toBe("Ours");
  });
});

test("a function whose change was lost gets a pet that has it, once another client has changed the pet", async () => {
  states(README, "or the function gets a pet that has its change already.");
  const direct = await petstoreOf(service);
  const { id } = await direct.createPet(REX);
  const { fetch } = lossy("response", () => direct.updatePet(id, { name: "Rex! again" }));
  const petstore = await petstoreOf(service, { fetch, clock: swift });
  const seen: string[] = [];
  await petstore.updatePet(id, ({ name }) => {
    seen.push(name);
    return { name: `${name}!` };
  });
  expect(seen).toEqual(["Rex", "Rex! again"]);
});

test("an order says what was sold, also when the pet has been renamed or removed; each change of it takes ifMatch", async () => {
  states(
    README,
    "`petstore.orders` has `place`, `get`, `list`, `pages`, `all` and `update`;",
    "`pet` says what was sold, also when the pet has been renamed or removed since.",
    "`update`, `approve`, `deliver` and `cancel` take `ifMatch`.",
    "`ifMatch` | For changes and removals: the ETag that the resource must still have, or `*`.",
  );
  const petstore = await petstoreOf(service);
  const { id: petId } = await petstore.createPet(REX);
  const { id } = await petstore.orders.place({ petId });
  const ifMatch = '"stale"';
  for (const change of ["approve", "deliver", "cancel"] as const)
    await expect(petstore.orders[change](id, { ifMatch })).rejects.toBeInstanceOf(PreconditionError);
  const update = petstore.orders.update(id, { status: "approved" }, { ifMatch });
  await expect(update).rejects.toBeInstanceOf(PreconditionError);
  await petstore.orders.approve(id, { ifMatch: "*" });
  await petstore.orders.deliver(id);
  await petstore.updatePet(petId, { name: "Max", categoryId: 2 });
  expect((await petstore.orders.get(id)).pet).toEqual(REX);
  await petstore.deletePet(petId);
  expect((await petstore.orders.get(id)).pet).toEqual(REX);
});

test("the budget is that of each request of a method that makes several", async () => {
  states(README, "For methods that make several requests: each of them.");
  let now = 0;
  const fetch = async (url: string) => {
    now += 600;
    const after = Number(new URL(url).searchParams.get("after") ?? 0) + 1;
    return new Response("[]", { headers: after < 5 ? { Link: `</v1/pets?after=${after}>; rel="next"` } : {} });
  };
  const petstore = new PetstoreClient({ apiKey: "pets_live_x", fetch, clock: { ...swift, now: () => now } });
  expect(await petstore.pages({}, { budget: 1_000 }).toArray({ max: 9 })).toHaveLength(5);
});

test("hooks see a request and cannot change it; the global fetch sends it; its limits are waited for", async () => {
  states(
    README,
    "Hooks watch: they cannot change a request.",
    "`fetch` | the global one | Sends the requests.",
    "`waitForLimits` | `true` | Whether calls wait when the limits are used up.",
    '`integers` | `"mixed"` | `"bigint"` makes every id a bigint.',
  );
  const before = globalThis.fetch;
  const sent: string[] = [];
  const headers = { "RateLimit-Policy": '"day";q=9;w=86400', RateLimit: '"day";r=0;t=600' };
  const body = '[{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"sold"}]';
  try {
    globalThis.fetch = Object.assign(async (url: unknown) => {
      sent.push(String(url));
      return new Response(body, { headers });
    }, before);
    const petstore = new PetstoreClient({
      ...{ apiKey: "pets_live_x", baseUrl: "http://pets.test", budget: 1_000 },
      onRequest: (event) => Object.assign(event, { url: "http://elsewhere.test", method: "DELETE" }),
    });
    const { pets } = await petstore.listPets();
    expect([pets[0]?.id, pets[0]?.categoryId]).toEqual([1, 9223372036854775807n]);
    await expect(petstore.listPets()).rejects.toMatchObject({ name: "RateLimitError" });
  } finally {
    globalThis.fetch = before;
  }
  expect(sent).toEqual(["http://pets.test/v1/pets"]);
});

/** What the table of errors says of a code, in the row of its class. */
const SAYS: Record<string, string> = {
  ...{ validation_failed: "is invalid", request_header_too_large: "its headers are too large" },
  ...{ invalid_api_key: "unknown", expired_api_key: "expired", revoked_api_key: "revoked" },
  ...{ disabled_api_key: "disabled", insufficient_scope: "lacks the scope", pet_not_found: "pet" },
  ...{ category_not_found: "category", order_not_found: "order", not_found: "address" },
  ...{ invalid_transition: "the state of the resource", category_in_use: "or of another one" },
  ...{ precondition_failed: "has changed since it was read", idempotency_in_progress: "is in use" },
  ...{ idempotency_key_reused: "is in use", operation_removed: "was removed", method_not_allowed: "this method" },
  ...{ position_expired: "no longer kept", rate_limit_exceeded: "limit is used up", key_banned: "banned" },
  ...{ service_unavailable: "cannot process the request now", internal_error: "cannot process the request now" },
};

test("the table of errors says when there is each, and which properties it adds", () => {
  const rows = tableOf(read(README), "Class", "Status", "When", "Additional properties");
  const rowOf = (name: string) => rows.find(([one]) => one?.startsWith(`\`${name}\``));
  const context = { address: "", requestId: "r-1", retryAfter: 7, limits: { day: undefined } as never };
  for (const [code, part] of Object.entries(SAYS)) {
    const status = publicStatuses[code] ?? 0;
    const error = errorOf({ code, message: "No.", details: [{ field: "name" }] }, { ...context, status });
    const [, , when = "", properties = ""] = rowOf(error.name) ?? [];
    expect([code, when.toLowerCase()]).toEqual([code, expect.stringContaining(part)]);
    const added = [...properties.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    // Of the classes of `retryAfter`, which each error may have, only these are errors that go away by themselves.
    const own = Object.keys(error).filter((name) => ["details", "limits"].includes(name));
    const waits = status === 429 || status >= 500 ? ["retryAfter"] : [];
    expect([code, added.toSorted()]).toEqual([code, [...own, ...waits].toSorted()]);
  }
});
