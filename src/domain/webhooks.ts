import { createHmac, randomBytes } from "node:crypto";
import { type AlertMessage, type AlertStore, type AlertType, alertJson, alertTypes } from "./alerts.ts";
import { type Action, type Author, type NewAuditEntry, snapshotOf } from "./audit.ts";
import type { Awaitable } from "./awaitable.ts";
import { eventTypes } from "./changes.ts";
import { invalidField, invalidState, PetstoreError, unavailable } from "./errors.ts";
import type { EventStore, EventType, StoredEvent } from "./events.ts";
import { toJson } from "./json.ts";
import { randomBase62 } from "./keys/secret.ts";
import { timestampOf } from "./time.ts";

/** What an endpoint can get: events of the feed, or alerts of operators, which the feed never has. */
export const webhookTypes = [...eventTypes, ...alertTypes] as const;
export type WebhookType = EventType | AlertType;

/** What is delivered, with its position in the feed or among the messages of alerts as its id. */
export type Message = StoredEvent | AlertMessage;

/** How far an endpoint has got. `position`: the id of the message up to which all were delivered. Times are Unix ms. */
export type Progress = {
  position: number;
  /** Failed attempts at the next event in a row. */
  failures: number;
  /** When the next attempt is due, after a failure. */
  nextAttemptAt?: number | undefined;
  /** Undefined while it is enabled. */
  disabled?: { at: number; by: "operator" | "service"; reason: string } | undefined;
};

/** Signs deliveries: base64 with the prefix `whsec_`. One without `expiresAt` (Unix ms) is the current one. */
type WebhookSecret = { secret: string; expiresAt?: number | undefined };

/** A URL that gets events, or alerts. */
export type Endpoint = Progress & {
  id: string;
  url: string;
  /** The types that it gets, either of events or of alerts; all events if there are none. */
  types: WebhookType[];
  description: string;
  /** Newest first, at most two. */
  secrets: WebhookSecret[];
  createdAt: number;
  /** Increases with each change. */
  revision: number;
};

/** What became of an attempt: the status of the answer, or why there was none. */
export type Outcome = { status: number; error?: undefined } | { status?: undefined; error: string };

/** An attempt at `at` (Unix ms). Without `eventId` it was a test event. */
export type NewDelivery = Outcome & {
  eventId?: number | undefined;
  type: string;
  at: number;
  /** How often this event was tried in a row, from 1. */
  attempt: number;
  milliseconds: number;
};
export type Delivery = NewDelivery & { id: number };

/** The delays before the second attempt and each later one, in ms. After the last one the endpoint is disabled. */
const DELAYS = [5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000];

/** How long a receiver may take to answer, in ms. */
export const DELIVERY_TIMEOUT = 10_000;
/** How many deliveries of an endpoint are kept. */
export const KEPT_DELIVERIES = 100;
/** The most endpoints, all of which are read every second. */
export const MAX_ENDPOINTS = 100;
export const MAX_URL_LENGTH = 2_048;
export const MAX_DESCRIPTION_LENGTH = 255;

export function isDelivered({ status = 0 }: Outcome): boolean {
  return status >= 200 && status < 300;
}

/** The state of an endpoint after a failed attempt at `now` (Unix ms), whose next event is the one that failed. */
export function afterFailure({ position, failures }: Progress, outcome: Outcome, now: number): Progress {
  const failed = { position, failures: failures + 1 };
  const disabledFor = (reason: string): Progress => ({ ...failed, disabled: { at: now, by: "service", reason } });
  if (outcome.status === 410) return disabledFor("The receiver answered 410 Gone.");
  const delay = DELAYS[failures];
  if (delay !== undefined) return { ...failed, nextAttemptAt: now + delay };
  return disabledFor(`${failed.failures} attempts failed, the last with ${outcomeText(outcome)}.`);
}

export function outcomeText(outcome: Outcome): string {
  return outcome.error ?? `status ${outcome.status}`;
}

/** The state of an endpoint whose next events were deleted before they were delivered. */
export function afterExpiry({ position, failures }: Progress, now: number): Progress {
  const reason = `Events after ${position} were deleted before they were delivered. Redeliver from 0, the oldest kept, to go on.`;
  return { position, failures, disabled: { at: now, by: "service", reason } };
}

function areAlerts(types: readonly WebhookType[]): boolean {
  return types.some((type) => type.startsWith("alert."));
}

/** What an endpoint follows: the feed, or the alerts. */
export function sourceOf<Events, Alerts>(
  { types }: { types: readonly WebhookType[] },
  { events, alerts }: { events: Events; alerts: Alerts },
): Events | Alerts {
  return areAlerts(types) ? alerts : events;
}

export function receives({ types }: Pick<Endpoint, "types">, { type }: Pick<Message, "type">): boolean {
  return types.length === 0 || types.includes(type);
}

/** A request that is ready to be sent. */
export type WebhookRequest = { url: string; headers: Record<string, string>; body: string };

/** The request that delivers a message at `now` (Unix ms). All attempts at it have the same id and body. */
export function deliveryOf(endpoint: Endpoint, message: Message, now: number): WebhookRequest {
  const { id, type, at } = message;
  const data = "alert" in message ? toJson(alertJson(message.alert)) : message.text;
  const body = `{"type":"${type}","timestamp":"${timestampOf(at)}","data":${data}}`;
  return signed(endpoint, `msg_${id}_${endpoint.id}`, body, now);
}

/** The type of an event that tests an endpoint. */
export const TEST_TYPE = "webhook.test";

function testOf(endpoint: Endpoint, now: number): WebhookRequest {
  const body = toJson({ type: TEST_TYPE, timestamp: timestampOf(now), data: { endpoint: endpoint.id } });
  return signed(endpoint, `msg_test_${randomBase62(16)}_${endpoint.id}`, body, now);
}

/** Signs a body with each secret that is valid at `now` (Unix ms). Source: Standard Webhooks 1.0. */
function signed({ url, secrets }: Endpoint, id: string, body: string, now: number): WebhookRequest {
  const timestamp = String(Math.floor(now / 1_000));
  const signatures = secrets
    .filter(({ expiresAt = Infinity }) => now < expiresAt)
    .map(({ secret }) => {
      const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
      return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
    });
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
    "content-type": "application/json",
  };
  return { url, headers, body };
}

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

function newSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** Sends requests over HTTP, to addresses that the settings allow. */
export interface WebhookSender {
  /** Why nothing may be sent to this URL; undefined if it may. A name that it has is not resolved. */
  problemOf(url: string): string | undefined;
  /** Opens connections that its requests share. */
  connect(): WebhookConnections;
}

export interface WebhookConnections extends Disposable {
  /** Sends a request. Never rejects: what went wrong is the outcome's error. */
  send(request: WebhookRequest): Promise<Outcome>;
}

/** Stores endpoints and their last deliveries. Every method throws service_unavailable when the store cannot be reached. */
export interface WebhookStore {
  /** All endpoints, oldest first. */
  list(): Awaitable<Endpoint[]>;
  get(id: string): Awaitable<Endpoint | undefined>;
  add(endpoint: Endpoint, entry: NewAuditEntry): Promise<void>;
  /** Replaces an endpoint, unless it has changed since it was read: then it returns false, and logs nothing. */
  replace(endpoint: Endpoint, entry: NewAuditEntry): Promise<boolean>;
  /** Returns false, and logs nothing, when there is none. */
  delete(id: string, entry: NewAuditEntry): Promise<boolean>;
  /** The last deliveries of an endpoint, newest first. */
  deliveries(id: string): Awaitable<Delivery[]>;
  /** Keeps a delivery that an operator asked for. */
  keep(id: string, delivery: NewDelivery, entry: NewAuditEntry): Promise<void>;
  /**
   * Returns the enabled endpoints that this process is to deliver for the next LEASE ms, counted from the call: those
   * that no other one delivers. A process that ends without `release` keeps its own for that time.
   */
  claim(process: string): Awaitable<Endpoint[]>;
  release(process: string): Promise<void>;
  /**
   * Saves how far an endpoint has got, and keeps deliveries. Returns false, and changes nothing, when the endpoint has
   * changed since it was read, or another process delivers it.
   */
  record(process: string, endpoint: Endpoint, deliveries: NewDelivery[]): Promise<boolean>;
}

/** In ms. */
export const LEASE = 10_000;

export const webhookStates = ["enabled", "failing", "disabled"] as const;

function stateOf({ disabled, failures }: Endpoint): (typeof webhookStates)[number] {
  if (disabled !== undefined) return "disabled";
  return failures > 0 ? "failing" : "enabled";
}

/** How many endpoints have each state. Those that the service has disabled are `failed`. */
export function countsByState(endpoints: Endpoint[]): Record<string, number> {
  const counts = { enabled: 0, failing: 0, disabled: 0, failed: 0 };
  for (const endpoint of endpoints) counts[endpoint.disabled?.by === "service" ? "failed" : stateOf(endpoint)] += 1;
  return counts;
}

export function endpointJson(endpoint: Endpoint) {
  const { id, url, types, description, secrets, createdAt, position, failures, nextAttemptAt, disabled } = endpoint;
  return {
    id,
    url,
    types,
    description,
    state: stateOf(endpoint),
    disabledAt: timestampOf(disabled?.at),
    disabledBy: disabled?.by ?? null,
    disabledReason: disabled?.reason ?? null,
    position,
    failures,
    nextAttemptAt: timestampOf(nextAttemptAt),
    oldSecretExpiresAt: timestampOf(secrets[1]?.expiresAt),
    createdAt: timestampOf(createdAt),
  } as const;
}

export function deliveryJson({
  id,
  eventId,
  type,
  at,
  attempt,
  milliseconds,
  status,
  error,
}: Delivery | (NewDelivery & { id?: undefined })) {
  return {
    id: id ?? null,
    eventId: eventId ?? null,
    type,
    at: timestampOf(at),
    attempt,
    milliseconds,
    status: status ?? null,
    error: error ?? null,
  };
}

export type NewEndpoint = {
  url: string;
  types?: WebhookType[] | undefined;
  description?: string | undefined;
  /** The id of the event after which it begins; by default the last one. */
  after?: number | undefined;
};
/** What is undefined stays. */
export type EndpointChange = { url?: string | undefined } & Pick<NewEndpoint, "types" | "description">;

/** An endpoint with its new secret, which cannot be read again. */
export type IssuedEndpoint = { endpoint: Endpoint; secret: string };

type WebhookParts = { webhooks: WebhookStore; events: EventStore; alerts: AlertStore; webhookSender: WebhookSender };

/** Attempts at a change while others change the same endpoint. */
const MAX_TRIES = 10;

/**
 * Manages endpoints on behalf of `author`. Each change is stored with its audit entry. `now` is in Unix milliseconds. Every
 * method that takes an id throws webhook_not_found for an unknown one.
 */
export class WebhookAdministration {
  readonly #store: WebhookStore;
  readonly #sources: Pick<WebhookParts, "events" | "alerts">;
  readonly #sender: WebhookSender;
  readonly #author: Author;

  constructor({ webhooks, events, alerts, webhookSender }: WebhookParts, author: Author) {
    this.#store = webhooks;
    this.#sources = { events, alerts };
    this.#sender = webhookSender;
    this.#author = author;
  }

  /** @throws validation_failed for a URL to which nothing may be sent, or types of events and of alerts, and invalid_state when there are too many */
  async create({ url, types = [], description = "", after }: NewEndpoint, now: number): Promise<IssuedEndpoint> {
    this.#requireAllowed(url);
    requireOneSource(types);
    if ((await this.#store.list()).length >= MAX_ENDPOINTS)
      throw invalidState(`There are ${MAX_ENDPOINTS} endpoints, which is the most. Delete one first.`);
    const secret = newSecret();
    const endpoint: Endpoint = {
      id: `whe_${randomBase62(16)}`,
      url,
      types,
      description,
      secrets: [{ secret }],
      createdAt: now,
      position: after ?? Number(await sourceOf({ types }, this.#sources).newest()),
      failures: 0,
      revision: 0,
    };
    await this.#store.add(endpoint, this.#entry("webhook.create", endpoint.id, now, undefined, endpoint));
    return { endpoint, secret };
  }

  /** @throws validation_failed for a URL to which nothing may be sent, and for types with which it would follow something else */
  update(id: string, change: EndpointChange, now: number): Promise<Endpoint> {
    const { url, types, description } = change;
    if (url !== undefined) this.#requireAllowed(url);
    requireOneSource(types ?? []);
    return this.#change("webhook.update", id, now, (endpoint) => {
      if (types !== undefined && areAlerts(types) !== areAlerts(endpoint.types))
        throw invalidField("types", "must stay types of events, or of alerts: create another endpoint for the other");
      return {
        ...endpoint,
        url: url ?? endpoint.url,
        types: types ?? endpoint.types,
        description: description ?? endpoint.description,
      };
    });
  }

  /** Gives an endpoint a new secret. The old one signs, too, for `grace` milliseconds. */
  async rotate(id: string, grace: number, now: number): Promise<IssuedEndpoint> {
    const secret = newSecret();
    const endpoint = await this.#change("webhook.rotate", id, now, (found) => ({
      ...found,
      secrets: [{ secret }, ...found.secrets.slice(0, 1).map((old) => ({ ...old, expiresAt: now + grace }))],
    }));
    return { endpoint, secret };
  }

  /** Goes on after the last event that was delivered. Enabling it again has it try at once. */
  enable(id: string, now: number): Promise<Endpoint> {
    return this.#change("webhook.enable", id, now, ({ disabled, nextAttemptAt, ...endpoint }) => ({
      ...endpoint,
      failures: 0,
    }));
  }

  /** An endpoint that is disabled stays as it is. */
  disable(id: string, now: number): Promise<Endpoint> {
    const disabled = { at: now, by: "operator", reason: "An operator disabled it." } as const;
    return this.#change("webhook.disable", id, now, (endpoint) => ({
      ...endpoint,
      disabled: endpoint.disabled ?? disabled,
    }));
  }

  /** Delivers all events after this one, again, and enables the endpoint. */
  redeliverFrom(id: string, after: number, now: number): Promise<Endpoint> {
    return this.#change("webhook.redeliver", id, now, ({ disabled, nextAttemptAt, ...endpoint }) => ({
      ...endpoint,
      failures: 0,
      position: after,
    }));
  }

  async delete(id: string, now: number): Promise<void> {
    const endpoint = await this.#get(id);
    if (await this.#store.delete(id, this.#entry("webhook.delete", id, now, endpoint))) return;
    throw webhookNotFound(id);
  }

  /** Sends one event again, at once. @throws event_not_found when it is not kept */
  async redeliver(id: string, eventId: number, now: number): Promise<NewDelivery> {
    const endpoint = await this.#get(id);
    const page = { after: BigInt(eventId - 1), limit: 1 };
    const [event] = await messagesOf(endpoint, this.#sources, page);
    if (event?.id !== eventId)
      throw new PetstoreError("event_not_found", { message: `There is no event ${eventId}, or it is no longer kept.` });
    const request = deliveryOf(endpoint, event, now);
    return this.#send("webhook.redeliver", endpoint, request, { eventId, type: event.type, at: now });
  }

  /** Sends an event that says nothing, at once. */
  async test(id: string, now: number): Promise<NewDelivery> {
    const endpoint = await this.#get(id);
    return this.#send("webhook.test", endpoint, testOf(endpoint, now), { type: TEST_TYPE, at: now });
  }

  async #send(
    action: Action,
    { id }: Endpoint,
    request: WebhookRequest,
    sent: Pick<NewDelivery, "eventId" | "type" | "at">,
  ): Promise<NewDelivery> {
    using connections = this.#sender.connect();
    const startedAt = performance.now();
    const outcome = await connections.send(request);
    const milliseconds = Math.round(performance.now() - startedAt);
    const delivery: NewDelivery = { ...sent, ...outcome, attempt: 1, milliseconds };
    const { eventId = null, status = null } = delivery;
    await this.#store.keep(id, delivery, {
      ...this.#author,
      at: sent.at,
      action,
      target: id,
      after: { eventId, status },
    });
    return delivery;
  }

  #requireAllowed(url: string): void {
    const problem = this.#sender.problemOf(url);
    if (problem !== undefined) throw invalidField("url", problem);
  }

  async #get(id: string): Promise<Endpoint> {
    const endpoint = await this.#store.get(id);
    if (endpoint === undefined) throw webhookNotFound(id);
    return endpoint;
  }

  /** Retries with the new state when another operator changes the endpoint meanwhile (optimistic locking). */
  async #change(action: Action, id: string, now: number, change: (endpoint: Endpoint) => Endpoint): Promise<Endpoint> {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const before = await this.#get(id);
      const after = change(before);
      if (await this.#store.replace(after, this.#entry(action, id, now, before, after))) return after;
    }
    throw unavailable(new Error(`endpoint ${id} changed during each of ${MAX_TRIES} attempts`));
  }

  #entry(action: Action, target: string, at: number, before?: Endpoint, after?: Endpoint): NewAuditEntry {
    return {
      ...this.#author,
      at,
      action,
      target,
      ...(before && { before: withoutSecrets(before) }),
      ...(after && { after: withoutSecrets(after) }),
    };
  }
}

/** A page of what an endpoint follows. @throws position_expired */
export function messagesOf(
  { types }: Pick<Endpoint, "types">,
  { events, alerts }: Pick<WebhookParts, "events" | "alerts">,
  page: { after: bigint; limit: number },
): Awaitable<Message[]> {
  return areAlerts(types) ? alerts.messages(page) : events.list(page);
}

/** @throws validation_failed for types of events beside those of alerts */
function requireOneSource(types: readonly WebhookType[]): void {
  if (!areAlerts(types) || types.every((type) => areAlerts([type]))) return;
  throw invalidField("types", "must be of events, or of alerts: create an endpoint for each");
}

/** For the audit log, which anyone who operates the service may read. */
function withoutSecrets({ secrets, revision, failures, nextAttemptAt, ...endpoint }: Endpoint): object {
  return snapshotOf({ ...endpoint, oldSecretExpiresAt: secrets[1]?.expiresAt });
}

export function webhookNotFound(id: string): PetstoreError {
  return new PetstoreError("webhook_not_found", id === "" ? {} : { message: `There is no webhook endpoint ${id}.` });
}
