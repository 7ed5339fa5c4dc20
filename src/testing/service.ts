import pino from "pino";
import type { Author } from "../domain/audit.ts";
import { parseJsonText } from "../domain/json.ts";
import type { Key } from "../domain/keys/key.ts";
import { fixedSecret, hashOf, SECRET_LIKE } from "../domain/keys/secret.ts";
import type { Log } from "../wiring/log.ts";
import { type Runtime, startService } from "../wiring/service.ts";
import type { Stores } from "../wiring/stores.ts";
import {
  FailureQueue,
  firstFound,
  MovableClock,
  matches,
  type NewKey,
  newKeyOf,
  parse,
  ReceivedRequests,
  type Settings,
  settingsOf,
} from "./controls.ts";
import type {
  EventFilter,
  IssuedKey,
  Pet,
  PetstoreOptions,
  StoreEvent,
  StoreEvents,
  TestPetstore,
  WebhookOptions,
} from "./petstore.ts";
import "../adapters/listen/bun.ts";
import "../adapters/listen/node.ts";
import "../wiring/sqlite-stores.ts";
import { z } from "zod";
import type { App } from "../adapters/http/app.ts";
import { CUT, type HttpRequest, type HttpResponse, pathOf } from "../adapters/http/request.ts";
import type { Listen } from "../adapters/listen/listener.ts";
import { IN_MEMORY } from "../adapters/sqlite/errors.ts";
import { thisRuntime } from "../commands/program.ts";
import { type Awaitable, after } from "../domain/awaitable.ts";
import { detailsOf, type EventStore, type StoredEvent } from "../domain/events.ts";
import { NewPet } from "../domain/pets.ts";
import { sampleShop } from "../domain/shop.ts";
import { SIMULATE } from "../domain/simulation.ts";
import type { Clock } from "../domain/time.ts";
import { type Config, readConfig } from "../wiring/config.ts";

export { startWebhookReceiver } from "./receiver.ts";

/** How many events are read at a time. */
const EVENTS_PAGE = 100;

const AUTHOR: Author = { operator: { name: "@petstore/server/testing" } };

/** Creates the keys of a pet store: the same ones for the same seed. */
function seededKeys(seed: number) {
  const ids = new Map<string, string>();
  return {
    idOf: (key: string): string | undefined => ids.get(key),
    async create({ plan, limits, scopes, expiresAt }: NewKey, { keys }: Stores, now: number): Promise<IssuedKey> {
      const number = ids.size + 1;
      const id = `key_test${String(number).padStart(12, "0")}`;
      const secret = fixedSecret("staging", `seed${seed}key${number}x`);
      ids.set(secret, id);
      const key: Key = { id, name: `test key ${number}`, plan, limits, scopes, createdAt: now };
      if (expiresAt !== undefined) key.expiresAt = expiresAt;
      const stored = { hash: hashOf(secret), keyId: id, lastFour: secret.slice(-4), createdAt: now };
      await keys.add(key, stored, { ...AUTHOR, at: now, action: "key.create", target: id, after: key });
      return { id, key: secret };
    },
  };
}

/** A log of what should not happen: errors of the service itself, on the console of the test run. */
export const log: Log = pino(
  { level: "error", base: null },
  { write: (line: string) => console.error(line.trimEnd().replace(SECRET_LIKE, "[key]")) },
);

// Loaded with the module, so that starts need not wait for what they load on demand.

/** A pet that a test creates. Its category may be a number. */
const NewTestPet = NewPet.extend({
  categoryId: z
    .union([z.int64(), z.int().transform(BigInt)], { error: "must be an exact integer, or a bigint of 64 bits" })
    .pipe(NewPet.shape.categoryId),
});

/** Where a service listens, and its clock. */
type Place = Runtime & { port: number; clock: Clock };

/** A service on staging, with a database in memory and what its seed gives. */
type SeededService = Awaited<ReturnType<typeof startSeeded>>;

async function startSeeded(settings: Settings, place: Place) {
  const { key, pets, seed, now: start, webhook } = settings;
  const { port, clock } = place;
  const keys = seededKeys(seed);
  const { promise: filled, resolve } = Promise.withResolvers<{ stores: Stores; firstKey: IssuedKey }>();
  const fill = async (stores: Stores) => {
    const now = start ?? clock();
    if (pets > 0) await stores.shop.replace(sampleShop({ pets, seed, now }), { by: AUTHOR, now });
    if (webhook !== undefined) await addWebhook(webhook, stores, now);
    resolve({ stores, firstKey: await keys.create(key, stores, now) });
  };
  const service = await startService(configFor(port, settings), log, place, { clock, fill });
  const { stores, firstKey } = await filled;
  const position = await stores.events.newest();
  return {
    firstKey,
    keyId: keys.idOf,
    createKey: (key: NewKey) => keys.create(key, stores, clock()),
    async createPet(pet: NewPet): Promise<Pet> {
      const { id, name, categoryId, status } = await stores.pets.create(pet, { now: clock() });
      const number = Number(categoryId);
      return { id, name, categoryId: Number.isSafeInteger(number) ? number : categoryId, status };
    },
    events: eventsSince(stores.events, position, () => stores.orders.expire(clock())),
    /** Cancels what has expired by the clock, sooner than the background task does. */
    expireOrders: () => stores.orders.expire(clock()),
    /** Stops it. Requests in flight fail. */
    stop: () => service.stop(0),
  };
}

/** The events of a feed after a position. `settle`: what has happened by the clock takes effect. */
function eventsSince(events: EventStore, position: bigint, settle: () => Awaitable<unknown>): StoreEvents {
  const list = async (filter: EventFilter = {}): Promise<StoreEvent[]> => {
    await settle();
    const found: StoredEvent[] = [];
    for (let after = position, isOver = false; !isOver; ) {
      const page = await events.list({ after, limit: EVENTS_PAGE });
      found.push(...page);
      after = BigInt(page.at(-1)?.id ?? after);
      isOver = page.length < EVENTS_PAGE;
    }
    return found
      .filter((event) => matches(event, filter))
      .map(({ text, ...event }) => {
        const { data, ...details } = detailsOf({ text });
        return { ...event, ...details, at: new Date(event.at), data: Object(plain(parseJsonText(data))) };
      });
  };
  return {
    list,
    waitFor: (filter, options) =>
      firstFound(
        {
          what: "events.waitFor: no event",
          filter,
          look: async () => (await list(filter))[0],
          follow: (listener) => events.follow(listener),
        },
        options,
      ),
  };
}

/** A value of JSON whose integers are numbers where those are exact. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

async function addWebhook({ secret, ...webhook }: WebhookOptions, { webhooks, events }: Stores, now: number) {
  const id = "whe_test000000000001";
  const position = Number(await events.newest());
  const progress = { position, failures: 0, revision: 0, createdAt: now };
  const endpoint = {
    id,
    ...webhook,
    types: [...(webhook.types ?? [])],
    description: "",
    secrets: [{ secret }],
    ...progress,
  };
  await webhooks().add(endpoint, { ...AUTHOR, at: now, action: "webhook.create", target: id });
}

function configFor(port: number, { corsOrigins, orderExpiry, webhook }: Settings): Config {
  const config = readConfig({
    HOST: "127.0.0.1",
    PORT: String(port),
    PETSTORE_DEPLOYMENT: "staging",
    PETSTORE_ADMIN_PORT: "off",
    // Nobody could read it.
    PETSTORE_REQUEST_HISTORY: "0",
    // What a test sends goes where the test says.
    ...(webhook !== undefined && { PETSTORE_WEBHOOK_HOSTS: new URL(webhook.url).hostname }),
  });
  return { ...config, corsOrigins, orderExpiry, database: { engine: "sqlite", path: IN_MEMORY } };
}

type Observed = { fail: FailureQueue; received: ReceivedRequests; clock: Clock; before: () => Awaitable<unknown> };

/**
 * The listening socket of a pet store, behind which one service replaces another when it is reset: the one that listened last
 * gets all requests. The socket stays open when the service stops. @throws when it cannot listen
 */
async function persistentListener(listen: Listen, port: number, { fail, received, clock, before }: Observed) {
  let current: App | undefined;
  const app: App = {
    /** Has the service respond to a request, or simulate what is planned for it, and records both. */
    respond(request, connection) {
      const app = current;
      if (app === undefined) return unready();
      const planned = isPlannable(request) ? fail.take() : undefined;
      const entry = received.add(request, planned);
      const simulating = planned === undefined ? request : withHeader(request, SIMULATE, planned);
      const respond = () => app.respond(simulating, connection);
      return after(after(before(), respond), (response) => {
        if (response === CUT) return response;
        entry.status = response.status;
        // Clients that compare dates see one clock.
        response.headers.Date = new Date(clock()).toUTCString();
        return response;
      });
    },
    refuse: (malformation, connection) => current?.refuse(malformation, connection) ?? unready(),
    maxBytes: (method, url) => current?.maxBytes?.(method, url) ?? 0,
  };
  const listener = await listen(() => app, { host: "127.0.0.1", port, isShared: false });
  const listenAgain: Listen = async (appOn) => {
    current = appOn(listener.port);
    return { port: listener.port, stop: async () => {}, close: async () => {} };
  };
  return { port: listener.port, listen: listenAgain, close: () => listener.close() };
}

/** Whether a planned simulation applies: not to preflights, pages, and requests that have their own. */
function isPlannable({ method, url, headers }: HttpRequest): boolean {
  return pathOf(url).startsWith("/v1/") && method !== "OPTIONS" && !headers.has(SIMULATE);
}

function withHeader(request: HttpRequest, name: string, value: string): HttpRequest {
  const headers = new Headers([...request.headers]);
  headers.set(name, value);
  return { ...request, headers };
}

/** Before a service is there. */
function unready(): HttpResponse {
  return { status: 503, headers: {}, body: null };
}

/** The machine's clock, also when a test replaces Date later. */
const { now } = Date;

/**
 * Starts a pet store in this process, in memory, on a free port. Close it, or declare it with `await using`.
 *
 *     await using store = await startPetstore({ plan: "free", pets: 50, seed: 7 });
 *     const pets = await fetch(`${store.url}/pets`, { headers: { Authorization: `Bearer ${store.key}` } });
 *
 * @throws TypeError for invalid options
 */
export async function startPetstore(options: PetstoreOptions = {}): Promise<TestPetstore> {
  const settings = settingsOf(options);
  const runtime = await thisRuntime();
  const clock = new MovableClock(now, settings.now);
  const fail = new FailureQueue();
  let service: SeededService;
  const received = new ReceivedRequests(clock.read, (key) => service.keyId(key));
  const listener = await persistentListener(runtime.listen, settings.port, {
    ...{ fail, received, clock: clock.read },
    before: () => service.expireOrders(),
  });
  const start = () =>
    startSeeded(settings, { ...runtime, listen: listener.listen, port: listener.port, clock: clock.read });
  try {
    service = await start();
  } catch (error) {
    await listener.close();
    throw error;
  }
  let closed: Promise<void> | undefined;
  const requireOpen = () => {
    if (closed !== undefined) throw new Error("This pet store is closed.");
    return service;
  };
  // Resets follow each other, and a close follows the last: none leaves a service behind.
  let resets: Promise<void> = Promise.resolve();
  const reset = async () => {
    const before = requireOpen();
    clock.reset();
    service = await start();
    fail.clear();
    received.clear();
    await before.stop();
  };
  const close = () => {
    closed ??= Promise.all([listener.close(), resets.catch(() => {})]).then(() => service.stop());
    return closed;
  };

  return {
    url: `http://127.0.0.1:${listener.port}/v1`,
    key: service.firstKey.key,
    clock,
    fail,
    get requests() {
      return received.all;
    },
    events: {
      list: async (filter) => requireOpen().events.list(filter),
      waitFor: async (filter, waiting) => requireOpen().events.waitFor(filter, waiting),
    },
    createKey: async (keyOptions = {}) => requireOpen().createKey(newKeyOf(keyOptions)),
    createPet: async (pet) => requireOpen().createPet(parse(NewTestPet, pet, "createPet")),
    reset() {
      resets = resets.catch(() => {}).then(reset);
      return resets;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
