import type { PublicErrorCode } from "../domain/errors.ts";
import type { Scope } from "../domain/keys/key.ts";
import type { Limits, Plan } from "../domain/limits/limits.ts";

/** A point in time, from 1970 to 9998: a Date, its text such as `2030-12-05T00:00:00Z`, or Unix milliseconds. */
export type Instant = Date | string | number;

/** What a key may do. */
export interface KeyOptions {
  /** Its plan, which sets its limits. By default `business`: 1,000 requests per minute, 100,000 per day. */
  readonly plan?: Plan | undefined;
  /** Its own limits, which the plan `enterprise` requires and other plans refuse. */
  readonly limits?: Readonly<Limits> | undefined;
  /** Its scopes. By default all but `key:rotate`. */
  readonly scopes?: readonly Scope[] | undefined;
  /** When it expires, by the clock of the pet store. By default never. */
  readonly expiresAt?: Instant | undefined;
}

/** The options of a pet store. Those of a key are for `store.key`. */
export interface PetstoreOptions extends KeyOptions {
  /** The number of pets at the start, with their categories and orders. By default 20; 0 for an empty store. */
  readonly pets?: number | undefined;
  /** An integer from 0 to 4294967295. The same seed gives the same pets, orders and keys. By default 1. */
  readonly seed?: number | undefined;
  /** The time of its clock at the start. By default the time of the machine. */
  readonly now?: Instant | undefined;
  /** The port. By default a free one. */
  readonly port?: number | undefined;
  /** The origins, such as `http://localhost:3000`, whose pages may call it from a browser. By default none. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** How long an order may be placed before it expires, by the clock. By default for good. */
  readonly orderExpiry?: ClockAdvance | undefined;
  /** Where its events are sent: a receiver of `startWebhookReceiver`, or your own. By default nowhere. */
  readonly webhook?: WebhookOptions | undefined;
}

/** An endpoint that gets webhooks (docs/webhooks.md) of what is changed after the start of a pet store, or after a reset. */
export interface WebhookOptions {
  /** An address with http or https. */
  readonly url: string;
  /** What signs them: base64 with the prefix `whsec_`. */
  readonly secret: string;
  /** The types of events that it gets. By default all. */
  readonly types?: readonly EventType[] | undefined;
}

/** A key and its id. */
export interface IssuedKey {
  readonly id: string;
  /** The text for the header `Authorization: Bearer <key>`. */
  readonly key: string;
}

/** A pet; `categoryId` is a bigint only if no number is exact. */
export interface Pet {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number | bigint;
  readonly status: "available" | "pending" | "sold";
}

/** How far the clock moves: the sum of these. */
export interface ClockAdvance {
  readonly days?: number | undefined;
  readonly hours?: number | undefined;
  readonly minutes?: number | undefined;
  readonly seconds?: number | undefined;
  readonly milliseconds?: number | undefined;
}

/** The clock of a pet store: windows, bans, expiry and the removal of getPet follow it, and no timer does. */
export interface TestClock {
  /** Its time. */
  now(): Date;
  /** Moves it forward. */
  advance(by: ClockAdvance): void;
  /** Sets it. It runs on from there, or stands still there if it did. */
  set(to: Instant): void;
  /** Stops it, so that it moves only by `advance` and `set`. */
  freeze(): void;
}

/**
 * A value of the request header `Petstore-Simulate` (docs/rehearsal.md): the code of an error, a delay in ms, a cut of the
 * connection before or after the work, another time for the request, or several of them, separated by commas.
 */
export type SimulationText =
  | PublicErrorCode
  | "disconnect"
  | "lost-answer"
  | `delay=${number}`
  | `now=${string}`
  | `${string},${string}`;

/** What the next requests under /v1 get instead of their own answers. Requests with Petstore-Simulate have their own. */
export interface PlannedFailures {
  /** The next `times` requests (by default 1) get this answer, after what is planned already. @throws TypeError for an invalid value */
  next(simulation: SimulationText, options?: { readonly times?: number | undefined }): void;
  /** How many are planned and not used yet. */
  readonly pending: number;
  /** Forgets what is planned. */
  clear(): void;
}

/** A request as it arrived. */
export interface ReceivedRequest {
  /** When it arrived, by the clock of the pet store. */
  readonly at: Date;
  readonly method: string;
  /** The path without the query, such as `/v1/pets`. */
  readonly path: string;
  /** The query without its question mark; empty without one. */
  readonly query: string;
  /** By their names in lower case. Credentials other than the keys of this pet store are replaced by `[redacted]`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Its body as text; undefined without one, and for one that is too large. */
  readonly body: string | undefined;
  /** The id of its key, if that is one of this pet store. */
  readonly keyId: string | undefined;
  /** What `fail.next` planned for it. */
  readonly planned: string | undefined;
  /** The status of its answer; undefined before, and if the connection was cut. */
  readonly status: number | undefined;
}

/** What was changed, and how. */
export type EventType =
  | `${"pet" | "category"}.${"created" | "updated" | "deleted"}`
  | `order.${"placed" | "approved" | "delivered" | "cancelled" | "deleted"}`;

/** An event of the feed (docs/events.md): the subject after the change, whose integers are bigints only if no number is exact. */
export interface StoreEvent {
  readonly id: number;
  readonly type: EventType;
  /** When the change was made, by the clock of the pet store. */
  readonly at: Date;
  /** What was changed, such as `pets/7`. */
  readonly subject: string;
  readonly version: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** The `X-Request-Id` of the request that made the change, if one did. */
  readonly requestId: string | undefined;
}

/** Which events: of this type, of this subject. By default all. */
export interface EventFilter {
  readonly type?: EventType | undefined;
  readonly subject?: string | undefined;
}

/** The events of a pet store since its start or the last reset: what it began with has none. */
export interface StoreEvents {
  /** Returns those that match, the oldest first. */
  list(filter?: EventFilter): Promise<StoreEvent[]>;
  /** Resolves with the first that matches, once there is one. @throws Error when none came within `timeout`, by default 5,000 ms */
  waitFor(filter: EventFilter, options?: { readonly timeout?: number | undefined }): Promise<StoreEvent>;
}

/** A webhook as it arrived. To verify it, give `body`, `headers`, the receiver's `secret` and the pet store's time to `verifyWebhook`. */
export interface ReceivedWebhook {
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body, parsed. */
  readonly message: {
    readonly type: EventType;
    readonly timestamp: string;
    readonly data: Omit<StoreEvent, "at"> & { readonly at: string };
  };
}

/** A receiver of webhooks on a free port of 127.0.0.1. */
export interface WebhookReceiver extends WebhookOptions, AsyncDisposable {
  /** What has arrived, in order. It may arrive twice, if the first answer was none of success. */
  readonly received: readonly ReceivedWebhook[];
  /** Returns the status of an answer, by default 204. Set it to rehearse failures: what fails is sent again later, by the clock. */
  answer: (webhook: ReceivedWebhook) => number | Promise<number>;
  /** Resolves with the first that matches, once there is one. @throws Error when none came within `timeout`, by default 5,000 ms */
  waitFor(filter: EventFilter, options?: { readonly timeout?: number | undefined }): Promise<ReceivedWebhook>;
  /** Closes it and all connections. */
  close(): Promise<void>;
}

/** A running pet store: the real service on a free port of 127.0.0.1, in this process and in memory. */
export interface TestPetstore extends AsyncDisposable {
  /** The base address, which ends in `/v1`. */
  readonly url: string;
  /** The text of its first key. */
  readonly key: string;
  readonly clock: TestClock;
  readonly fail: PlannedFailures;
  /** All requests that have arrived, of which it keeps the last 10,000, oldest first. */
  readonly requests: readonly ReceivedRequest[];
  readonly events: StoreEvents;
  /** Creates a further key. @throws TypeError for invalid options */
  createKey(options?: KeyOptions): Promise<IssuedKey>;
  /** Creates a pet without a request. @throws TypeError for an invalid pet */
  createPet(pet: { name: string; categoryId: number | bigint; status?: Pet["status"] | undefined }): Promise<Pet>;
  /** Makes everything as it was at the start: pets, `key`, limits, clock. Forgets further keys, requests and failures. */
  reset(): Promise<void>;
  /** Closes it and all connections, at once. Calling it again changes nothing. */
  close(): Promise<void>;
}
