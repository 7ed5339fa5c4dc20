// What a program does with the client: the test has each runtime and a browser run it.
import {
  ConflictError,
  ConnectionError,
  NotFoundError,
  PetstoreClient,
  PreconditionError,
  RateLimitError,
  ValidationError,
} from "@petstore/client";

const LARGEST = 9223372036854775807n;

/**
 * Calls everything once, and throws where something is not as it should be. Gives what it saw, for the test to look at.
 * @param {{ apiKey: string, smallKey: string, baseUrl: string, fragileUrl: string }} places
 */
export async function tour({ apiKey, smallKey, baseUrl, fragileUrl }) {
  /** @type {string[]} */
  const events = [];
  let responses = 0;
  const petstore = new PetstoreClient({
    apiKey,
    baseUrl,
    onResponse: ({ status }) => {
      responses += status;
    },
    onDeprecation: ({ operation, sunset, successor }) =>
      events.push(`${operation} ${sunset?.toISOString()} ${successor}`),
  });

  const created = await petstore.createPet({ name: "Rex 9007199254740993 \u{1f415}", categoryId: LARGEST });
  const ids = [created.id];
  for (const status of /** @type {const} */ (["sold", "pending"])) {
    ids.push((await petstore.createPet({ name: status, categoryId: 1, status })).id);
  }
  const [same] = await petstore.getPetsByIds([ids[0] ?? 0]);
  check(same?.categoryId === LARGEST && same.name === created.name, "an int64 comes back exactly");
  check((await petstore.getPet(created.id)).id === created.id, "getPet");
  const bigints = new PetstoreClient({ apiKey, baseUrl, integers: "bigint" });
  check(typeof (await bigints.listPets({ limit: 1 })).pets[0]?.id === "bigint", "always bigints");

  const found = [];
  for await (const pet of petstore.pets({ ids, limit: 1 })) found.push(pet.id);
  check(found.join() === ids.join(), "pages");
  check((petstore.rateLimits.minute?.remaining ?? 0) > 0, "the limits can be read");

  const key = { idempotencyKey: `tour-${created.id}` };
  const first = await petstore.createPet({ name: "Once", categoryId: 1 }, key);
  check((await petstore.createPet({ name: "Once", categoryId: 1 }, key)).id === first.id, "a creation happens once");

  const invalid = await petstore.createPet({ name: "", categoryId: 1 }).catch((error) => error);
  check(invalid instanceof ValidationError && invalid.details[0]?.field === "name", "ValidationError");
  const missing = await petstore.getPet(4711).catch((error) => error);
  check(missing instanceof NotFoundError && missing.requestId.endsWith("-1"), "NotFoundError");

  const small = new PetstoreClient({ apiKey: smallKey, baseUrl, budget: 1_000 });
  await small.listPets();
  const limited = await small.listPets().catch((error) => error);
  check(limited instanceof RateLimitError && limited.retryAfter > 50, "RateLimitError, without a request");
  const eager = new PetstoreClient({ apiKey: smallKey, baseUrl, budget: 1_000, waitForLimits: false });
  const refused = await eager.listPets().catch((error) => error);
  check(
    refused instanceof RateLimitError && refused.retryAfter > 50 && refused.limits.day?.limit === 1_000,
    "Retry-After",
  );

  // Every other connection there is cut before it has answered.
  const codes = new Set();
  const fragile = new PetstoreClient({
    apiKey,
    baseUrl: fragileUrl,
    maxRetries: 20,
    onRetry: ({ error }) => codes.add(error.code),
  });
  for (let call = 0; call < 6; call++) await fragile.listPets({ limit: 1 });
  check(codes.size === 0 || [...codes].join() === "connection_failed", `only lost connections: ${[...codes]}`);
  const nowhere = new PetstoreClient({ apiKey, baseUrl: "http://127.0.0.1:1/v1", maxRetries: 0 });
  check((await nowhere.listPets().catch((error) => error)) instanceof ConnectionError, "ConnectionError");

  const silent = new PetstoreClient({ apiKey, baseUrl, timeout: 1, maxRetries: 0, fetch: (_url, init) => never(init) });
  check((await silent.listPets().catch((error) => error)).code === "timed_out", "timed_out");
  const reason = new Error("enough");
  const aborted = petstore.listPets({}, { signal: AbortSignal.abort(reason) });
  check((await aborted.catch((error) => error)) === reason, "AbortSignal");
  // Node warns on the standard error when a signal has more than ten listeners.
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 20 }, () => petstore.listPets({ limit: 1 }, { signal })));
  // All digits, or a string of them where the platform lacks JSON.rawJSON.
  const json = JSON.stringify([created]);
  check(json.includes("rawJSON" in JSON ? `:${LARGEST}` : `"${LARGEST}"`), `JSON.stringify: ${json}`);

  const { data, response, requestId } = await petstore.listPets({ limit: 1 }).withResponse();
  check(data.pets.length === 1 && response.status === 200, "withResponse");
  check(response.headers.get("X-Request-Id") === requestId, "the request id can be read");
  check((await petstore.usage()).minute.used > 0, "usage");
  check(
    Object(await petstore.request("GET", "/pets", { query: { ids: [created.id] } }))[0].categoryId === LARGEST,
    "request",
  );
  check((await petstore.pets({ limit: 1 }).toArray({ max: 2 })).length === 2, "toArray");
  check(data.requestId === requestId, "a result has its request id");
  const results = [];
  const many = [
    { name: "One", categoryId: 1 },
    { name: "", categoryId: 1 },
  ];
  for await (const { index, pet } of petstore.createPets(many)) results[index] = pet?.name;
  check(results.join() === "One,", "createPets");

  const { id } = created;
  const renamed = await petstore.updatePet(id, ({ name }) => ({ name: `${name}!` })).withResponse();
  check(renamed.data.name === `${created.name}!`, "updatePet");
  const ifMatch = renamed.response.headers.get("ETag");
  await petstore.updatePet(id, { categoryId: LARGEST - 1n }, { ifMatch });
  const stale = await petstore.deletePet(id, { ifMatch }).catch((error) => error);
  check(stale instanceof PreconditionError && ifMatch !== null, "PreconditionError");
  const category = await petstore.categories.put(LARGEST - 1n, { name: `Number ${id}` });
  check((await petstore.categories.get(category.id)).id === LARGEST - 1n, "an int64 in a path");
  check((await petstore.categories.list({ name: category.name })).categories.length === 1, "categories");
  const order = await petstore.orders.place({ petId: id });
  check((await petstore.inventory()).pending > 0, "inventory");
  const reserved = await petstore.deletePet(id).catch((error) => error);
  check(reserved instanceof ConflictError && reserved.code === "pet_reserved", "ConflictError");
  check((await petstore.orders.cancel(order.id)).status === "cancelled", "orders");
  for await (const { petId, status } of petstore.orders.all({ ids: [order.id] }))
    check(petId === id && status === "cancelled", "orders are listed");
  await petstore.deletePet(id);
  await petstore.categories.delete(category.id);
  check((await petstore.getPetsByIds([id])).length === 0, "deletePet");

  check(responses > 200, "onResponse");

  /** @type {(string | null)[]} */
  const userAgents = [];
  const named = new PetstoreClient({
    apiKey,
    baseUrl: baseUrl.replace("/v1", ""),
    appInfo: { name: "tour", version: "1" },
    fetch: (url, init) => {
      userAgents.push(new Headers(init.headers).get("User-Agent"));
      return fetch(url, init);
    },
  });
  await named.listPets({ limit: 1 });
  return { events, userAgents, petId: String(created.id) };
}

/**
 * A request that is answered only by its being aborted.
 * @param {RequestInit} init
 * @returns {Promise<Response>}
 */
function never({ signal }) {
  return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
}

/**
 * @param {boolean} holds
 * @param {string} what
 */
function check(holds, what) {
  if (!holds) throw new Error(`it does not hold: ${what}`);
}
