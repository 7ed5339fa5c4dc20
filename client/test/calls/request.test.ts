import { expect, test } from "bun:test";
import { states } from "../../../test/support/markdown.ts";
import { useService } from "../../../test/support/use-service.ts";
import { ConflictError, type Pet, RateLimitError, ValidationError } from "../../src/main.ts";
import { clockOf, petstoreOf, recorder } from "../support/petstore.ts";

const service = useService();
const LARGEST = 9223372036854775807n;

test("request calls any operation, with exact integers in its query, its body and its result", async () => {
  states(
    "client/README.md",
    "The type of the result is what you say: it is not checked, and its integers are numbers if that is exact and bigints otherwise, in both modes.",
  );
  states(
    "client/README.md",
    "`request` calls an operation that the client has no method for,",
    "The path follows the base address. `query` has the parameters,",
    "and its integers are numbers if that is exact and bigints otherwise, in both modes.",
  );
  const { fetch, requests } = recorder();
  const petstore = await petstoreOf(service, { fetch });
  const body = { name: "Rex", categoryId: LARGEST, status: undefined };
  const { data, response } = await petstore.request<Pet>("POST", "/pets", { body }).withResponse();
  expect(response.status).toBe(201);
  expect(data).toEqual({ id: expect.any(Number), name: "Rex", categoryId: LARGEST, status: "available" });
  expect(requests[0]?.body).toBe(`{"name":"Rex","categoryId":${LARGEST}}`);
  const query = { ids: [data.id, LARGEST], categoryId: LARGEST, order: "desc", limit: 2, status: undefined };
  expect(await petstore.request<Pet[]>("GET", "/pets", { query })).toEqual([data]);
  const batch = { pets: [{ name: "In a batch", categoryId: LARGEST }] };
  expect(await petstore.request("POST", "/pets/batch", { body: batch })).toMatchObject({ pets: batch.pets });
  expect(await petstore.request("DELETE", `/pets/${data.id}`)).toBeUndefined();
  states("client/README.md", "its integers are numbers if that is exact and bigints otherwise, in both modes.");
});

test.each([
  [{ at: new Date(0), nested: { list: [1n, "a", null, { deep: LARGEST }] } }, null],
  [[LARGEST, undefined, true, 1.5], null],
  ["text", null],
  [{ id: 2 ** 53 }, "is not an exact integer"],
  [[[{ id: 2 ** 60 }]], "is not an exact integer"],
])("a body %# is written as JSON.stringify does, with all digits of bigints", async (body, refusal) => {
  states("client/README.md", "`body` is sent as JSON with every digit of bigints,");
  const { fetch, requests } = recorder();
  const petstore = await petstoreOf(service, { fetch });
  const failure = await petstore.request("POST", "/pets", { body }).catch((error) => error);
  if (refusal !== null) {
    expect(String(failure)).toContain(refusal);
    return;
  }
  expect(failure).toBeInstanceOf(ValidationError);
  const text = JSON.stringify(body, (_key, value) => (typeof value === "bigint" ? `n${value}` : value));
  expect(requests[0]?.body).toBe(text.replace(/"n(\d+)"/g, "$1"));
});

test("a pet that was read is written back whole, nested in a body", async () => {
  const petstore = await petstoreOf(service);
  const pet = await petstore.createPet({ name: "Nested", categoryId: LARGEST });
  const copies = { pets: [pet, { ...pet, name: "Copied" }] };
  const { pets } = await petstore.request<{ pets: Pet[] }>("POST", "/pets/batch", {
    body: copies,
    headers: { Prefer: "handling=lenient" },
  });
  expect(pets.map(({ categoryId }) => categoryId)).toEqual([LARGEST, LARGEST]);
});

test("request has the errors, the retries and the idempotency keys of all calls", async () => {
  states("docs/idempotency.md", "The client sends an `Idempotency-Key` with each creation.");
  states(
    "client/README.md",
    "It has the limits, the retries and the errors of all calls:",
    "Events name the operation by its method and path, without ids: `DELETE /pets/{id}`.",
  );
  const seen: string[] = [];
  let losses = 1;
  const { fetch, requests } = recorder();
  const petstore = await petstoreOf(service, {
    clock: clockOf(service),
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (losses-- > 0) throw new Error("the response was lost");
      return response;
    },
    onRetry: ({ operation, error }) => seen.push(`${operation} ${error.code}`),
  });
  const category = await petstore.request<{ id: number }>("POST", "/categories", { body: { name: "Once" } });
  expect(seen).toEqual(["POST /categories connection_failed"]);
  const [first, second] = requests.map(({ headers }) => headers["idempotency-key"]);
  expect(first).toBe(second);
  const taken = await petstore.request("POST", "/categories", { body: { name: "once" } }).catch((error) => error);
  expect(taken).toBeInstanceOf(ConflictError);
  losses = 1;
  await petstore.request("DELETE", `/categories/${category.id}`, { ifMatch: "*" });
  expect(seen.at(-1)).toBe("DELETE /categories/{id} connection_failed");
  expect(requests.at(-1)?.headers).toMatchObject({ "if-match": "*", prefer: "handling=strict" });
  losses = 1;
  await petstore.request("GET", "/pets/12/photos/34").catch(() => {});
  expect(seen.at(-1)).toBe("GET /pets/{id}/photos/{id} connection_failed");
  states("docs/interface.md", "The client sends it with each request.");
  expect(new Set(requests.map(({ headers }) => headers.prefer))).toEqual(new Set(["handling=strict"]));
});

test("request waits for the limits, unless the operation is free", async () => {
  const { secret: apiKey } = await service.createKey({ limits: { perMinute: 1, perDay: 100 } });
  const petstore = await petstoreOf(service, { apiKey, budget: 1_000 });
  await petstore.request("GET", "/store/inventory");
  const refused = await petstore.request("GET", "/store/inventory").catch((error) => error);
  expect(refused).toBeInstanceOf(RateLimitError);
  expect(await petstore.request("GET", "/usage", { isFree: true })).toMatchObject({ minute: { used: 1 } });
  states("client/README.md", "With `isFree: true` the call waits for no limit, for operations that count in none.");
});
