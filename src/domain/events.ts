import { z } from "zod";
import type { Awaitable } from "./awaitable.ts";
import { Category } from "./categories.ts";
import { collections, eventTypes, type Noun, nounOf } from "./changes.ts";
import { PetstoreError } from "./errors.ts";
import { signedInt64 } from "./int64.ts";
import { Order } from "./orders.ts";
import { type Direction, examplePet, PAGE, Pet } from "./pets.ts";
import { assignedId, reference } from "./schemas.ts";
import { timestampOf } from "./time.ts";

export type EventType = (typeof eventTypes)[number];

export const EventType = z.enum(eventTypes, { error: `must be one of ${eventTypes.join(", ")}` }).meta({
  id: "EventType",
  description: "What was changed, and how. `order.deleted` only happens to old orders, and when staging is reset.",
  examples: ["pet.updated"],
});

export const exampleEvent = {
  id: 42,
  type: "pet.updated",
  at: "2026-12-02T10:00:00.000Z",
  subject: "pets/1",
  version: 2,
  data: { ...examplePet, status: "sold" },
  requestId: "8f14e45f-ceea-467f-a9d2-3c1f0e6d7b55",
} as const;

const EventData = z.union([reference(Pet), reference(Category), reference(Order)]).meta({
  id: "EventData",
  description: "The pet, category or order after the change; its last state once it was removed.",
  examples: [exampleEvent.data],
});

/** docs/events.md: Event. */
export const Event = z
  .object({
    id: assignedId("Positive, increasing, below 2^53. No event ever appears below one that you have seen."),
    type: EventType,
    at: z.iso.datetime().meta({ description: "When the change was made.", examples: [exampleEvent.at] }),
    subject: z.string().meta({
      description: "What was changed: `pets/`, `categories/` or `orders/` with its id.",
      examples: [exampleEvent.subject],
    }),
    version: assignedId("The version of the subject. It grows with each change, and a removal is one."),
    data: reference(EventData),
    requestId: z
      .string()
      .optional()
      .meta({ description: "The X-Request-Id of the request that made the change, if one did." }),
  })
  .meta({ id: "Event", description: "A change of a pet, a category or an order.", examples: [exampleEvent] });

export const Events = z
  .array(reference(Event))
  .max(PAGE.max)
  .meta({ id: "Events", description: "Events, by id, ascending." });

export const exampleCloudEvent = {
  specversion: "1.0",
  id: String(exampleEvent.id),
  source: "https://api.example.com/v1",
  type: exampleEvent.type,
  subject: exampleEvent.subject,
  time: exampleEvent.at,
  datacontenttype: "application/json",
  version: String(exampleEvent.version),
  requestid: exampleEvent.requestId,
  data: exampleEvent.data,
} as const;

/** docs/events.md: an event as CloudEvents 1.0 has it. `version` and `requestid` are extensions. */
const CloudEvent = z
  .object({
    specversion: z.string().meta({ const: "1.0" }),
    id: z.string().meta({ description: "The id of the event.", examples: ["42"] }),
    source: z.url().meta({ description: "The base address of the interface." }),
    type: EventType,
    subject: Event.shape.subject,
    time: Event.shape.at,
    datacontenttype: z.string().meta({ const: "application/json" }),
    version: z.string().meta({ description: "The version of the subject.", examples: ["2"] }),
    requestid: Event.shape.requestId,
    data: Event.shape.data,
  })
  .meta({
    id: "CloudEvent",
    description: "A change of a pet, a category or an order, as CloudEvents 1.0 has it.",
    examples: [exampleCloudEvent],
  });

export const CloudEvents = z
  .array(reference(CloudEvent))
  .max(PAGE.max)
  .meta({ id: "CloudEvents", description: "A batch of CloudEvents, by id, ascending." });

/** An event in the feed. `text` is its JSON. `at` is in Unix ms. */
export type StoredEvent = { id: number; at: number; type: EventType; subject: string; text: string };

/** In a JSON string each quotation mark follows a backslash: none of these names is found in one. */
const DETAILS = /,"version":(\d+),"data":(.*?)(?:,"requestId":("(?:[^"\\]|\\.)*"))?\}$/s;

export type EventDetails = { version: number; data: string; requestId: string | undefined };

/** What only the JSON text of an event has. `data` is JSON text, exactly as the interface gives its subject. */
export function detailsOf({ text }: Pick<StoredEvent, "text">): EventDetails {
  const [, version, data = "", requestId] = DETAILS.exec(text) ?? [];
  return { version: Number(version), data, requestId: requestId === undefined ? undefined : JSON.parse(requestId) };
}

/** The JSON text of an event as CloudEvents 1.0 has it. `source`: the base address. The attributes of its own are extensions. */
export function cloudEventText(event: StoredEvent, source: string): string {
  const { id, type, at, subject } = event;
  const { version, data, requestId } = detailsOf(event);
  const attributes = {
    ...{ specversion: "1.0", id: String(id), source, type, subject, time: timestampOf(at) },
    ...{ datacontenttype: "application/json", version: String(version) },
    ...(requestId !== undefined && { requestid: requestId }),
  };
  return `${JSON.stringify(attributes).slice(0, -1)},"data":${data}}`;
}

/** A subject such as `pets/7`, with the id that it names and the types of its events. */
export type Subject = { text: string; id: bigint; types: readonly EventType[] };

/** Returns undefined for a text that is no subject. */
export function parseSubject(text: string): Subject | undefined {
  const slash = text.indexOf("/");
  const noun = (Object.keys(collections) as Noun[]).find((one) => collections[one] === text.slice(0, slash));
  const id = signedInt64(text.slice(slash + 1));
  if (noun === undefined || id === undefined) return undefined;
  return { text: `${collections[noun]}/${id}`, id, types: eventTypes.filter((type) => nounOf(type) === noun) };
}

/**
 * A page of the feed: at most `limit` events with ids above `after`, ascending, or below it with `order` "desc", descending; of these
 * types; of this subject.
 */
export type EventsPage = {
  limit: number;
  after: bigint;
  order?: Direction | undefined;
  types?: readonly EventType[] | undefined;
  subject?: Subject | undefined;
};

export type AscendingPage = Omit<EventsPage, "order">;

/** A page of the feed as JSON text: its events, separated by commas, their number, and the ids of the first and the last one. */
export type EventsText = { text: string; count: number; first: bigint; last: bigint };

/** `form`: the text of an event. */
export function eventsText(events: StoredEvent[], form = ({ text }: StoredEvent) => text): EventsText | undefined {
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return { text: events.map(form).join(","), count: events.length, first: BigInt(first.id), last: BigInt(last.id) };
}

/** Whether a page has an event of this type and of what has this id. */
export function selects({ types, subject }: Pick<EventsPage, "types" | "subject">, event: StoredEvent): boolean {
  if (types !== undefined && !types.includes(event.type)) return false;
  return subject === undefined || event.subject === subject.text;
}

/** The position before the first event: none has this id. */
export const FIRST_POSITION = 1n;

/**
 * The feed of all changes of pets, categories and orders. Stores add the events of changes, each in the transaction of its change,
 * one for each version. An id is never below one that was shown before it. Every method throws service_unavailable.
 */
export interface EventStore {
  /**
   * Returns a page of the feed. An `after` of 0 is before the oldest event that is kept.
   * @throws position_expired when events above `after` were deleted
   */
  list(page: EventsPage): Awaitable<StoredEvent[]>;
  /** The same page as text; undefined if it is empty. */
  text(page: AscendingPage): Awaitable<EventsText | undefined>;
  /** Returns the id of the oldest event that is kept; undefined before the first one. */
  oldest(): Awaitable<bigint | undefined>;
  /** Returns the id of the newest event, FIRST_POSITION before the first one. What is read later is at least as new. */
  newest(): Awaitable<bigint>;
  /**
   * Returns a position than which nothing is older that clients read from now on, also from a standby. It may be a second behind the
   * newest event.
   */
  position(): Awaitable<bigint>;
  /**
   * Calls a listener each time there are new events: soon after a change of this process, within a second after one of another.
   * Nothing is asked of the store unless there is a listener. Returns what ends the calls.
   */
  follow(listener: NewsListener): () => void;
  /**
   * Deletes a batch of the oldest events that are not kept. The newest one always is. Returns their number: 0 when there are no
   * more.
   */
  prune(kept: KeptEvents, batch: number): Promise<number>;
}

/**
 * Gets the id of the newest event, and that of the call before; undefined at first, and after a failure of the store or of a
 * listener. The next call waits for it.
 */
export type NewsListener = (newest: bigint, before: bigint | undefined) => Awaitable<void>;

/** Which events are kept: those since a time (Unix ms), and at most so many. */
export type KeptEvents = { since: number; most: number };

/** @throws position_expired, always */
export function refuseExpired(): never {
  throw new PetstoreError("position_expired");
}
