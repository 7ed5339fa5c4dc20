import type { Action, Authored, Change } from "./audit.ts";
import { PetstoreError } from "./errors.ts";
import { toJson } from "./json.ts";
import { timestampOf } from "./time.ts";

// An entity tag identifies a state of a resource. Clients know it as the resource's ETag. Source: RFC 9110, 8.8.3.

const EXCLUDED = "The resource exists already, or has an ETag that If-None-Match excludes. Nothing was changed.";

/** The tags that a request names: "any" names every tag of what exists. */
export type EntityTags = readonly string[] | "any";

/** The tag of a resource whose version grows with every change. */
export function tagOfVersion(version: number): string {
  return `v${version}`;
}

/**
 * What proxies and servers append to the tag of a response that they compress, some more than once: `-gzip` (Apache, Caddy),
 * `--gzip` (Jetty), `;br` (LiteSpeed), `-df`. The state of the resource is the same.
 */
const CODINGS = /^(?:(?:--?|[;:])(?:x-)?(?:gzip|gz|br|brotli|zstd|zst|deflate|df|compress|bzip2|identity)|;;;)*$/i;

/** Whether a request names this tag, perhaps with the suffix of a content coding. */
export function names(tags: EntityTags, tag: string): boolean {
  return tags === "any" || tags.some((one) => one.startsWith(tag) && CODINGS.test(one.slice(tag.length)));
}

/** What a change requires of its resource: one of the tags in `ifMatch`, and none of those in `ifNoneMatch`. */
export type Preconditions = { ifMatch?: EntityTags | undefined; ifNoneMatch?: EntityTags | undefined };

/**
 * The tag is undefined for a resource that does not exist.
 * @throws precondition_failed unless each condition that is given is true. Source: RFC 9110, 13.2.2.
 */
export function requireTag(tag: string | undefined, { ifMatch, ifNoneMatch }: Preconditions = {}): void {
  const isNamedIn = (tags: EntityTags) => tag !== undefined && names(tags, tag);
  if (ifMatch !== undefined && !isNamedIn(ifMatch)) throw new PetstoreError("precondition_failed");
  if (ifNoneMatch !== undefined && isNamedIn(ifNoneMatch)) {
    throw new PetstoreError("precondition_failed", { message: EXCLUDED });
  }
}

/**
 * The idempotency key of a request that creates something, which the client may then repeat safely. Each API key has its own
 * idempotency keys. `now` (Unix ms) is the time of the request.
 */
export type IdempotencyKey = { keyId: string; key: string; now: number };

/** The result of an idempotent creation. `isReplay`: an earlier request created it. */
export type IdempotentCreation<T> = { created: T; isReplay: boolean };

/** What is stored for an idempotency key: the request as text, the ids of what it created, in order, and when (Unix ms). */
export type Creation = { request: string; ids: readonly bigint[]; at: number };

/** The lifetime of an idempotency key in ms: 24 h. After that it may be used again. */
export const IDEMPOTENCY_KEY_LIFETIME = 86_400_000;

/** @throws idempotency_key_reused unless the repeated request has the text of the first one */
export function requireSameRequest(first: Creation, request: string): void {
  if (first.request !== request) throw new PetstoreError("idempotency_key_reused");
}

/** @throws idempotency_in_progress, always */
export function refuseInProgress(): never {
  throw new PetstoreError("idempotency_in_progress");
}

/** The idempotent creations in progress in this process. */
export class CreationsInProgress {
  readonly #keys = new Set<string>();

  /** Runs `work`. @throws idempotency_in_progress when work for this key is in progress, and what `work` throws */
  async once<T>({ keyId, key }: IdempotencyKey, work: () => Promise<T>): Promise<T> {
    const scopedKey = `${keyId} ${key}`;
    if (this.#keys.has(scopedKey)) refuseInProgress();
    this.#keys.add(scopedKey);
    try {
      return await work();
    } finally {
      this.#keys.delete(scopedKey);
    }
  }
}

/** Who makes a change, and the state that the resource must have. */
export type ChangeOptions = Authored & { preconditions?: Preconditions | undefined };

export type CreationOptions = Authored & { key?: IdempotencyKey | undefined };

// A change is recorded as an event of the feed, which says what it changed.

/** An order is only deleted by the retention, and by a reset of staging. */
export const eventTypes = [
  "pet.created",
  "pet.updated",
  "pet.deleted",
  "category.created",
  "category.updated",
  "category.deleted",
  "order.placed",
  "order.approved",
  "order.delivered",
  "order.cancelled",
  "order.deleted",
] as const;

type EventType = (typeof eventTypes)[number];

/** What changes, and the name of its resources in a subject such as `pets/7`. */
export const collections = { pet: "pets", category: "categories", order: "orders" } as const;
export type Noun = keyof typeof collections;

export function nounOf(type: EventType): Noun {
  return type.slice(0, type.indexOf(".")) as Noun;
}

export function subjectOf(type: EventType, id: number | bigint | string): string {
  return `${collections[nounOf(type)]}/${id}`;
}

/**
 * A change to be stored. `members`: the JSON text of what follows the id and the type of its event, so that a page of the feed is made
 * of texts. `at` is in Unix ms.
 */
export type NewEvent = { at: number; type: EventType; resourceId: number | bigint; members: string };

/** In `members` it stands for the id of a subject that gets it as it is stored. JSON text has no such character. */
export const UNKNOWN_ID = "\u0001";

/** The members of an event around the id of its subject, its version, and its data without the id. */
export function partsOf(type: EventType, { requestId, now }: Pick<Authored, "requestId" | "now">) {
  return {
    start: `"at":"${timestampOf(now)}","subject":"${subjectOf(type, "")}`,
    end: requestId === undefined ? "}" : `,"requestId":${JSON.stringify(requestId)}}`,
  };
}

/** The members of the event of a pet that gets its id as it is stored. `json`: the pet, with any id. */
export function membersOfCreation(json: { id: number }, version: number, authored: Authored): string {
  const { start, end } = partsOf("pet.created", authored);
  const data = JSON.stringify(json).replace(/^\{"id":\d+/, `{"id":${UNKNOWN_ID}`);
  return `${start}${UNKNOWN_ID}","version":${version},"data":${data}${end}`;
}

/** A change, of which that by the retention has no entry in the audit log. */
export type RecordedChange<T extends { id: number | bigint }> = Omit<Change<T>, "action"> & {
  action: Action | "order.delete";
};

/** The event of a change of what has a version. */
export function newEvent<T extends { id: number | bigint; version: number }>(
  { action, json, before, after, version }: RecordedChange<T>,
  { by, requestId = by?.requestId, now }: Authored,
): NewEvent {
  const state = after ?? before;
  if (state === undefined) throw new Error("a change has a state before or after it");
  const data = json(state);
  const type = typeOf(action, data);
  const { start, end } = partsOf(type, { requestId, now });
  const shown = version ?? (after === undefined ? state.version + 1 : state.version);
  const members = `${start}${state.id}","version":${shown},"data":${toJson(data)}${end}`;
  return { at: now, type, resourceId: state.id, members };
}

const endings: Record<string, string> = { create: "created", update: "updated", delete: "deleted" };

/** The type of a change: that of an order is named for the status that it leads to. */
function typeOf(action: string, data: object): EventType {
  const [noun, verb = ""] = action.split(".");
  const ending = noun === "order" && verb !== "delete" && "status" in data ? data.status : endings[verb];
  const type = eventTypes.find((one) => one === `${noun}.${ending}`);
  if (type === undefined) throw new Error(`no event has the type of ${action}`);
  return type;
}
