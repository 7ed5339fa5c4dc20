import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { operations } from "../../src/adapters/http/operations/index.ts";
import { pathOf as decodedPathOf, urlOf } from "../../src/adapters/http/request.ts";
import { routerOf } from "../../src/adapters/http/routes.ts";
import { newSecret } from "../../src/domain/keys/secret.ts";
import { lastOf, OTHER, TOTAL } from "../../src/domain/usage/counting.ts";
import { pointsOf } from "../../src/domain/usage/reading.ts";
import { type Answer, type Client, requireListedCode } from "../support/client.ts";
import { checkAgainstDocument } from "../support/document.ts";
import { eventually } from "../support/eventually.ts";
import { Connection } from "./connection.ts";
import { bytesOf, type GeneratedRequest, INVALID_HOSTS, requests } from "./generated-requests.ts";
import { SOON, unknownSecret, useTarget } from "./target.ts";
import type { WireAnswer } from "./wire.ts";

/** The number of requests, from PETSTORE_FUZZ. A failure prints the seed, which PETSTORE_FUZZ_SEED sets. */
const REQUESTS = Number(process.env.PETSTORE_FUZZ ?? 3_000);
const SEED = Number(
  process.env.PETSTORE_FUZZ_SEED ?? (process.env.PETSTORE_FUZZ === undefined ? 1 : Date.now() % 2 ** 31),
);
/** The number of concurrent connections, and of consecutive requests on each. */
const CLIENTS = 16;
const IN_A_ROW = 8;
const BATCH = CLIENTS * IN_A_ROW;

const target = useTarget({
  PETSTORE_REQUEST_LOG: "true",
  PETSTORE_TRUSTED_PROXIES: "127.0.0.0/8",
  PETSTORE_CORS_ORIGINS: "https://shop.example.com",
});
let secrets: string[];
const connections: Connection[] = [];

beforeAll(async () => {
  const { service } = target;
  const readOnly = await service.createKey({ scopes: ["pets:read"] });
  const small = await service.createKey({ limits: { perMinute: 20, perDay: 30 } });
  const revoked = await service.createKey();
  await service.changeKey((keys) => keys.revoke(revoked.id, service.now));
  const expired = await service.createKey({ expiresAt: service.now });
  secrets = [readOnly.secret, small.secret, revoked.secret, expired.secret];
  secrets.push(unknownSecret, newSecret("staging"));
});
afterAll(() => {
  for (const connection of connections) connection.close();
});

/** Makes these requests one by one, on this client's connection while it is open. */
async function make(client: number, batch: GeneratedRequest[]): Promise<void> {
  for (const request of batch) {
    const connection = await usable(client);
    let answer: WireAnswer | undefined;
    try {
      answer = await connection.ask(request.method, bytesOf(request), SOON);
      await check(request, answer);
    } catch (error) {
      throw new Error(`${Buffer.from(bytesOf(request)).toString("latin1").slice(0, 2_000)}`, { cause: error });
    }
    if (isLast(request, answer)) connection.close();
  }
}

async function usable(client: number): Promise<Connection> {
  const known = connections[client];
  if (known !== undefined && !known.isClosed) return known;
  const connection = await Connection.open(target.service.url);
  connections[client] = connection;
  return connection;
}

/** Whether the connection ends with this response, by a header or because of HTTP/1.0. */
function isLast({ version, fields }: GeneratedRequest, answer: WireAnswer | undefined): boolean {
  if (answer === undefined || version === "HTTP/1.0") return true;
  const said = [
    answer.headers.get("Connection"),
    ...fields.filter(([name]) => name === "Connection").map(([, its]) => its),
  ];
  return said.includes("close");
}

const statuses = new Map<number | string, number>();
/** The number of responses under /v1, by operation. */
const answered = new Map<string, number>();
const router = routerOf("/v1", operations);
/** The latest state of each pet and each order that was acknowledged, by its id, with the number of its ETag. */
type Acknowledged = Map<number, { version: number; text: string }>;
const pets: Acknowledged = new Map();
const orders: Acknowledged = new Map();
const removed = new Set<string>();
/** The pets that were ordered: their status changes with their order. */
const ordered = new Set<number>();

const count = (outcome: number | string) => statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);

async function check(request: GeneratedRequest, wire: WireAnswer | undefined): Promise<void> {
  if (wire === undefined) throw new Error("the connection was closed without an answer");
  count(wire.status);
  expect(wire.status).toBeLessThan(500);
  if (request.fields.some(([name, value]) => name === "Host" && INVALID_HOSTS.includes(value))) {
    expect(wire.status).toBe(400);
    return;
  }
  const text = Buffer.from(wire.body, "latin1").toString();
  const isJson = wire.headers.get("Content-Type") === "application/json" && text !== "";
  const answer = { status: wire.status, headers: wire.headers, text, body: isJson ? JSON.parse(text) : undefined };
  requireListedCode(answer);
  expect(wire.headers.get("X-Request-Id")).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  const path = pathOf(request.path);
  const operation = router(request.method, path).operation?.id ?? OTHER;
  if (/^\/v1(\/|$)/.test(path)) answered.set(operation, (answered.get(operation) ?? 0) + 1);
  // This also checks the limit headers of every response under /v1.
  await checkAgainstDocument(target.service.url, request.method, path, answer);
  if (operation === "deletePet" && wire.status === 204) removed.add(path);
  if (![200, 201].includes(wire.status)) return;
  if (["createPet", "updatePet"].includes(operation)) acknowledge(pets, answer);
  if (["placeOrder", "updateOrder"].includes(operation)) acknowledge(orders, answer);
  if (operation === "placeOrder") ordered.add(answer.body.petId);
}

/** Responses to changes at the same time arrive in any order: the ETag identifies the last one. */
function acknowledge(known: Acknowledged, { headers, text, body }: Answer): void {
  const version = Number(/^"v(\d+)"$/.exec(headers.get("ETag") ?? "")?.[1]);
  if (version > (known.get(body.id)?.version ?? 0)) known.set(body.id, { version, text });
}

/** All pets or orders, as they are in the end, each with the text of its page. */
async function* walk(client: Client, path: string) {
  for (let after = 0; ; ) {
    const { text, body } = await client.get(`${path}?limit=100&after=${after}`);
    for (const item of body) yield { item, text };
    if (body.length < 100) return;
    after = body.at(-1).id;
  }
}

/** The path of a target as the service reads it: without origin, dots and query, and percent-decoded. */
function pathOf(path: string): string {
  const origin = /^https?:\/\/[^/]*/.exec(path)?.[0] ?? "";
  return decodedPathOf(urlOf("GET", path.slice(origin.length)) ?? "");
}

test(
  `${REQUESTS} generated requests get correct responses, and the service keeps running`,
  async () => {
    const { service } = target;
    const { pid } = service.process;
    const batch = fc.array(requests([target.secret, ...secrets]), {
      minLength: BATCH,
      maxLength: BATCH,
      size: "max",
    });
    const made = fc.asyncProperty(batch, async (all) => {
      const shares = Array.from({ length: CLIENTS }, (_, i) => all.slice(i * IN_A_ROW, (i + 1) * IN_A_ROW));
      await Promise.all(shares.map((share, i) => make(i, share)));
    });
    await fc.assert(made, {
      numRuns: Math.ceil(REQUESTS / BATCH),
      seed: SEED,
      // The cause contains the failed request: no need to search for a smaller batch.
      endOnFailure: true,
      reporter: ({ failed, errorInstance }) => {
        if (failed) throw new Error(`PETSTORE_FUZZ_SEED=${SEED} has this happen again`, { cause: errorInstance });
      },
    });

    expect(service.process.pid).toBe(pid);
    const today = lastOf("day", 1, service.now);
    const { usage } = service.stores;
    const counted = async () => pointsOf(today, await usage.usageOf(TOTAL, { day: today }))[0]?.byOperation;
    await eventually(async () => {
      const byOperation = await counted();
      return [...answered].every(([operation, count]) => byOperation?.[operation] === count);
    });
    expect(answered.get("getUsage") ?? 0).toBeGreaterThan(REQUESTS / 200);
    const client = service.withSecret(target.secret);
    const counts: Record<string, number> = { available: 0, pending: 0, sold: 0 };
    let walked = 0;
    for await (const { item: pet, text } of walk(client, "/v1/pets")) {
      expect(removed).not.toContain(`/v1/pets/${pet.id}`);
      const known = pets.get(pet.id)?.text ?? `a pet that was acknowledged as ${pet.id}`;
      expect(text).toContain(ordered.has(pet.id) ? known.replace(/"\w+"}$/, `"${pet.status}"}`) : known);
      counts[pet.status] = (counts[pet.status] ?? 0) + 1;
      walked += 1;
    }
    expect(walked).toBe(pets.size - removed.size);
    expect((await client.get("/v1/store/inventory")).body).toEqual(counts);
    const held = new Set<number>();
    for await (const { item: order, text } of walk(client, "/v1/store/orders")) {
      expect(text).toContain(orders.get(order.id)?.text ?? `an order that was acknowledged as ${order.id}`);
      if (!["placed", "approved"].includes(order.status)) continue;
      expect(held.has(order.petId)).toBe(false);
      held.add(order.petId);
      expect((await client.get(`/v1/pets?ids=${order.petId}`)).body[0].status).toBe("pending");
    }
    // How many still hold their pets is chance.
    expect(orders.size).toBeGreaterThan(0);

    const output = service.output.join("\n");
    for (const secret of [target.secret, ...secrets])
      expect(output.includes(secret.slice("pets_live_".length, -"_checks".length))).toBe(false);

    // The requests must reach every part of the service, not only its parser.
    for (const status of [200, 201, 204, 400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 429])
      expect(statuses.get(status) ?? 0).toBeGreaterThan(REQUESTS / 500);
    expect(statuses.get("parser") ?? 0).toBeLessThan(REQUESTS / 5);
  },
  Math.max(60_000, REQUESTS * 10),
);
