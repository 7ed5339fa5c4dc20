import { expect, spyOn, test } from "bun:test";
import { openApi } from "../../../test/support/descriptions.ts";
import { states } from "../../../test/support/markdown.ts";
import { useService } from "../../../test/support/use-service.ts";
import { NotFoundError, PetstoreClient, type RequestEvent, type ResponseEvent } from "../../src/main.ts";
import { petstoreOf } from "../support/petstore.ts";

const service = useService();

/** A client whose hooks and logger record what they get. */
async function observed(options: Parameters<typeof petstoreOf>[1] = {}) {
  const requests: RequestEvent[] = [];
  const responses: ResponseEvent[] = [];
  const lines: string[] = [];
  const { secret: apiKey } = await service.createKey();
  const petstore = await petstoreOf(service, {
    apiKey,
    onRequest: (event) => requests.push(event),
    onResponse: (event) => responses.push(event),
    logger: { debug: (line) => lines.push(line) },
    ...options,
  });
  return { petstore, requests, responses, lines, apiKey };
}

test("onRequest and onResponse get each request, with the id that the service logs", async () => {
  states("client/README.md", "`onRequest` is called before each request, and `onResponse` after it,");
  const { petstore, requests, responses } = await observed();
  const { requestId } = await petstore.createPet({ name: "Seen", categoryId: 1 }).withResponse();
  await petstore.listPets({ name: "Seen" });
  expect(requests).toEqual([
    { operation: "createPet", method: "POST", url: `${service.url}/v1/pets`, requestId },
    { operation: "listPets", method: "GET", url: `${service.url}/v1/pets?name=Seen`, requestId: expect.any(String) },
  ]);
  expect(responses).toMatchObject(requests.map((request, i) => ({ ...request, status: i === 0 ? 201 : 200 })));
  for (const { headers, duration, requestId, error } of responses) {
    expect(headers?.get("X-Request-Id")).toBe(requestId);
    expect(duration).toBeGreaterThanOrEqual(0);
    expect(error).toBeUndefined();
  }
});

test("each call names its operation as the OpenAPI document does", async () => {
  const { petstore, requests } = await observed({ onDeprecation() {} });
  const change = { ifMatch: '"v1"' };
  await Promise.allSettled([
    petstore.listPets(),
    petstore.createPet({ name: "Named", categoryId: 1 }),
    petstore.getPet(4711),
    petstore.updatePet(4711, { name: "Renamed" }, change),
    petstore.deletePet(4711),
    petstore.inventory(),
    petstore.usage(),
    petstore.events({ after: 0 }).next(),
    petstore.categories.list(),
    petstore.categories.create({ name: "Named" }),
    petstore.categories.get(4711),
    petstore.categories.put(4711, { name: "Renamed" }, change),
    petstore.categories.delete(4711),
    petstore.orders.list(),
    petstore.orders.place({ petId: 4711 }),
    petstore.orders.get(4711),
    petstore.orders.approve(4711),
  ]);
  const operationOf = ({ method, url }: RequestEvent) => {
    const path = new URL(url).pathname.replace(/^\/v1/, "").replace(/(pets|categories|orders)\/\d+$/, "$1/{id}");
    const route = Object.keys(openApi.clients.paths).find((one) => one.replace(/\{\w+\}/, "{id}") === path) ?? "";
    return openApi.clients.paths[route][method.toLowerCase()].operationId;
  };
  expect(requests.map(({ operation }) => operation)).toEqual(requests.map(operationOf));
  expect(new Set(requests.map(({ operation }) => operation)).size).toBe(17);
});

test("onResponse gets refusals, lost responses and aborts, and each retry has hooks of its own", async () => {
  states(
    "client/README.md",
    "Hooks watch: they cannot change a request. To change it, pass your own `fetch`.",
    "`onRequest`, `onResponse` | | Called before and after each request. They must not throw.",
  );
  states("client/README.md", "`status` is 0 without a response, and `error` says why.");
  let lost = 2;
  const { petstore, requests, responses } = await observed({
    fetch: (url, init) => (lost-- > 0 ? Promise.reject(new Error("the cable is out")) : fetch(url, init)),
    clock: { now: () => service.now, random: () => 0, sleep: async () => {} },
    onDeprecation() {},
  });
  const refused = await petstore.getPet(4711).catch((error) => error);
  expect(refused).toBeInstanceOf(NotFoundError);
  expect(responses.map(({ status }) => status)).toEqual([0, 0, 404]);
  expect(String(responses[0]?.error)).toEndWith("failed: the cable is out");
  expect(responses[0]?.headers).toBeUndefined();
  expect(requests.map(({ requestId }) => requestId.slice(-2))).toEqual(["-1", "-2", "-3"]);
  expect(responses.at(-1)?.requestId).toBe(refused.requestId);

  const controller = new AbortController();
  const reason = new Error("enough");
  const { petstore: stopped, responses: seen } = await observed({
    fetch: (url, init) => {
      controller.abort(reason);
      return fetch(url, init);
    },
  });
  await expect(stopped.listPets({}, controller)).rejects.toBe(reason);
  expect(seen.map(({ status, error }) => [status, error])).toEqual([[0, reason]]);
  await expect(stopped.listPets({}, controller)).rejects.toBe(reason);
  expect(seen).toHaveLength(1);
  states("client/README.md", "also for retries and without a response:");
});

test("the log has each request, response, retry and wait, and neither the key nor bodies", async () => {
  states("client/README.md", "for each request, response, retry and wait. `logger` takes these lines instead,");
  let lost = 1;
  const { petstore, lines, apiKey } = await observed({
    fetch: (url, init) => (lost-- > 0 ? Promise.reject(new Error("the cable is out")) : fetch(url, init)),
    clock: { now: () => service.now, random: () => 0, sleep: async () => {} },
  });
  const { requestId } = await petstore.createPet({ name: "Secretive", categoryId: 815 }).withResponse();
  const url = `${service.url}/v1/pets`;
  const [kinds, events] = [0, 1].map((part) => lines.map((line) => line.split(/(?<=^@petstore\/client: \w+) /)[part]));
  expect(kinds).toEqual(
    ["request", "response", "retry", "request", "response"].map((kind) => `@petstore/client: ${kind}`),
  );
  expect(events?.map((text) => JSON.parse(text ?? ""))).toMatchObject([
    { operation: "createPet", method: "POST", url, requestId: requestId.replace("-2", "-1") },
    { status: 0, error: `ConnectionError: The connection to ${url} failed: the cable is out` },
    { operation: "createPet", retry: 1, delay: 0 },
    { operation: "createPet", method: "POST", url, requestId },
    { operation: "createPet", requestId, status: 201 },
  ]);
  for (const word of [apiKey, apiKey.slice(10), "Secretive", "815", "Bearer"]) expect(lines.join()).not.toContain(word);
  states(
    "client/README.md",
    "The log has neither the key nor bodies. It has the URLs, with the names in their queries.",
  );
});

test("a reason that JSON cannot have does not replace the error in the log", async () => {
  const controller = new AbortController();
  const reason: { self?: unknown; big: bigint } = { big: 1n };
  reason.self = reason;
  const { petstore, lines } = await observed({
    fetch: (url, init) => {
      controller.abort(reason);
      return fetch(url, init);
    },
  });
  await expect(petstore.listPets({}, controller)).rejects.toBe(reason);
  expect(lines).toHaveLength(2);
});

test("PETSTORE_LOG=debug writes the log to the standard error, and nothing else does", async () => {
  states("docs/proxies.md", "To see which requests are sent, set `PETSTORE_LOG=debug`");
  states(
    "client/README.md",
    "`logger` | the standard error, if `PETSTORE_LOG` is `debug` | `debug` of it gets the lines of the log.",
    "On Deno the variable needs `--allow-env=PETSTORE_LOG`.",
  );
  states(
    "client/README.md",
    "With the environment variable `PETSTORE_LOG=debug`, the client writes a line to the standard error",
  );
  const { secret: apiKey } = await service.createKey();
  const written = spyOn(console, "error").mockImplementation(() => {});
  const before = process.env.PETSTORE_LOG;
  try {
    for (const [level, lines] of [
      ["debug", 2],
      ["info", 0],
      ["", 0],
    ] as const) {
      process.env.PETSTORE_LOG = level;
      written.mockClear();
      await new PetstoreClient({ apiKey, baseUrl: service.url }).listPets();
      expect(written.mock.calls.map(([line]) => String(line).split(" {")[0])).toEqual(
        ["@petstore/client: request", "@petstore/client: response"].slice(0, lines),
      );
    }
  } finally {
    if (before === undefined) delete process.env.PETSTORE_LOG;
    else process.env.PETSTORE_LOG = before;
    written.mockRestore();
  }
  states(
    "client/README.md",
    "the client writes a line to the standard error for each request, response, retry and wait.",
  );
});
