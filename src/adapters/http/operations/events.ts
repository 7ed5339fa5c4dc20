import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { type Awaitable, after as next } from "../../../domain/awaitable.ts";
import { eventTypes } from "../../../domain/changes.ts";
import {
  type AscendingPage,
  CloudEvents,
  cloudEventText,
  type EventStore,
  Events,
  type EventsPage,
  type EventsText,
  eventsText,
  exampleCloudEvent,
  exampleEvent,
  FIRST_POSITION,
  parseSubject,
  selects,
} from "../../../domain/events.ts";
import { INT64_MAX, plainInt64 } from "../../../domain/int64.ts";
import { ofFeed } from "../openapi-headers.ts";
import { operation } from "../operation.ts";
import { RequestCoalescer } from "../pages.ts";
import { limitOf, nextQuery, withLimit } from "../paging.ts";
import { applied, int64, listOf, Preferring, parsed } from "../parameters.ts";
import type { RequestContext } from "../request.ts";
import { etagOf, preferred, type Representation, varyWith } from "../responses.ts";

export const EventsQuery = z.object({
  limit: limitOf("events"),
  after: int64(0, `must be a position: an integer from 0 to ${INT64_MAX}`)
    .optional()
    .meta({
      default: 0,
      examples: [42],
      description:
        "Only events with an id above this one: the position from which you go on. With 0 the page begins with the oldest event that is kept.",
    }),
  types: listOf(eventTypes, { $ref: "#/components/schemas/EventType" })
    .optional()
    .meta({
      description: "Only events of these types, separated by commas.",
      examples: [["pet.created", "pet.updated"]],
    }),
  subject: parsed(parseSubject, "must be pets/, categories/ or orders/ with an id, such as pets/7")
    .optional()
    .meta({
      type: "string",
      minLength: 6,
      maxLength: 31,
      description: "Only events of this pet, category or order.",
      examples: ["pets/7"],
    }),
});

/** How often requests are looked for that have waited for long enough, in ms. */
const TICK = 50;
/** The new events that are compared with what each request waits for. With more of them, all requests read. */
const COMPARED = 1_000;
/** The requests that are woken at a time. */
const WOKEN = 500;
const MAX_WAIT = 60;

/** The media type of a page in the form of CloudEvents. */
const CLOUD_EVENTS = "application/cloudevents-batch+json";
const FORMS = ["application/json", CLOUD_EVENTS];

type Filter = Pick<EventsPage, "types" | "subject">;

/** A request that waits, until a time (performance.now()), unless its client leaves. */
type Waiter = { filter: Filter; until: number; signal: AbortSignal; wake: (isOver: boolean) => void };

/** Has requests wait for events. */
class Waiters {
  readonly #events: EventStore;
  readonly #stopping: AbortSignal;
  readonly #waiting = new Set<Waiter>();
  #isFollowing = false;

  constructor(events: EventStore, stopping: AbortSignal) {
    this.#events = events;
    this.#stopping = stopping;
    stopping.addEventListener("abort", () => {
      for (const waiter of this.#waiting) this.#end(waiter, true);
    });
  }

  /** Waits for an event that is added from now on. `isOver`: the time is, or the client leaves, or the service stops. */
  join(filter: Filter, until: number, signal: AbortSignal): { woken: Promise<boolean>; leave: () => void } {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter = { filter, until, signal, wake: resolve };
    this.#waiting.add(waiter);
    if (this.#stopping.aborted) this.#end(waiter, true);
    else if (!this.#isFollowing) void this.#follow();
    return { woken: promise, leave: () => this.#end(waiter, true) };
  }

  #end(waiter: Waiter, isOver: boolean): void {
    this.#waiting.delete(waiter);
    waiter.wake(isOver);
  }

  /** Follows the feed while requests wait. */
  async #follow(): Promise<void> {
    this.#isFollowing = true;
    const leave = this.#events.follow((newest, before) => this.#compare(newest, before));
    while (this.#waiting.size > 0) {
      await pause(TICK, undefined, { ref: false });
      const now = performance.now();
      for (const waiter of this.#waiting) if (now >= waiter.until || waiter.signal.aborted) this.#end(waiter, true);
    }
    leave();
    this.#isFollowing = false;
  }

  /** Wakes the requests that new events concern: all if it is not known which are new. */
  async #compare(newest: bigint, before: bigint | undefined): Promise<void> {
    const found = before === undefined ? [] : await this.#events.list({ after: before, limit: COMPARED });
    const last = BigInt(found.at(-1)?.id ?? 0);
    const woken = [...this.#waiting].filter(
      ({ filter }) => last < newest || found.some((event) => selects(filter, event)),
    );
    for (let i = 0; i < woken.length; i += WOKEN) {
      for (const waiter of woken.slice(i, i + WOKEN)) this.#end(waiter, false);
      await nextTurn();
    }
  }
}

/** The seconds that a request prefers to wait; 0 for a value that is not valid, which is ignored. */
function waitOf(preferences: ReadonlyMap<string, string> | undefined): number {
  const seconds = Number(plainInt64(preferences?.get("wait") ?? ""));
  return seconds >= 1 && seconds <= MAX_WAIT ? seconds : 0;
}

/** GET /events. Source: docs/events.md. */
export const listEvents = operation({
  id: "listEvents",
  route: "GET /events",
  scope: "events:read",
  summary: "Follow what changes",
  description:
    'Returns a page of events, by id, ascending: one for each change of a pet, a category or an order. The `Link` with `rel="next"` is on each page, also on an empty one: it leads to what comes next. With `Prefer: wait=30` a page that would be empty waits for the first event, at most so many seconds. With `Accept: application/cloudevents-batch+json` the page is a batch of CloudEvents 1.0 of that media type.',
  request: { query: EventsQuery, headers: Preferring },
  answers: {
    200: {
      description: "A page of events, possibly empty.",
      schema: Events,
      example: [exampleEvent],
      headers: ofFeed,
      otherForms: { [CLOUD_EVENTS]: { schema: CloudEvents, example: [exampleCloudEvent] } },
    },
  },
  refusals: ["position_expired"],
  read: ({ events, baseUrl, stopping }) => {
    const waiters = new Waiters(events, stopping);
    const coalescer = new RequestCoalescer<FeedPage>();
    const plainText: ReadText = (page) => events.text(page);
    const cloudText: ReadText = (page) =>
      next(events.list(page), (found) => eventsText(found, (event) => cloudEventText(event, baseUrl)));
    return ({ query, headers, context }) => {
      const { after = 0n, subject, ...others } = withLimit(query);
      const page = { ...others, after, subject };
      const seconds = waitOf(headers.Prefer);
      if (seconds > 0) applied(context, `wait=${seconds}`);
      const isCloud = preferred(FORMS, context.request.headers.get("Accept") ?? "") === CLOUD_EVENTS;
      const read = () => readPage(events, page, isCloud ? cloudText : plainText);
      const found =
        seconds === 0
          ? read()
          : waitForPage(waiters, page, {
              ...{ context, seconds },
              read: () => coalescer.run(`${isCloud} ${context.request.url}`, read),
            });
      return next(found, ({ text, count, first, position }): Representation => {
        varyWith("Accept", context.headers);
        const shown = { ...others, subject: subject?.text };
        return {
          body: `[${text}]`,
          // Events never change, and none appears between two others: these say which ones the page has.
          etag: etagOf(`${isCloud ? "cloud-" : ""}${first}-${count}-${position}`),
          ...(isCloud && { type: CLOUD_EVENTS }),
          link: `<${baseUrl}/events?${nextQuery(shown, position)}>; rel="next"`,
        };
      });
    };
  },
});

/** Events, and the position from which a reader goes on. */
type FeedPage = Omit<EventsText, "last"> & { position: bigint };

type ReadText = (page: AscendingPage) => Awaitable<EventsText | undefined>;

/** Reads a page. With a filter, a reader passes by what it leaves out. */
function readPage(events: EventStore, page: EventsPage, readText: ReadText): Awaitable<FeedPage> {
  const isFiltered = page.types !== undefined || page.subject !== undefined;
  // What is read later has all events up to here.
  const newest = isFiltered ? events.newest() : FIRST_POSITION;
  return next(newest, (known) =>
    next(readText(page), (found = { text: "", count: 0, first: 0n, last: page.after }) => {
      const { last, ...shown } = found;
      return { ...shown, position: shown.count === page.limit || last > known ? last : known };
    }),
  );
}

type Waiting = { context: RequestContext; seconds: number; read: () => Awaitable<FeedPage> };

/** Reads a page that is not empty, as soon as there is one within the time. The time of waiting is none of the request's. */
async function waitForPage(waiters: Waiters, page: EventsPage, { context, seconds, read }: Waiting): Promise<FeedPage> {
  const until = performance.now() + seconds * 1_000;
  for (;;) {
    // Before the page is read: what is added afterwards wakes it.
    const { woken, leave } = waiters.join(page, until, context.connection.signal);
    try {
      const result = await read();
      if (result.count > 0) return result;
      const from = performance.now();
      const isOver = await woken;
      context.startedAt += performance.now() - from;
      if (isOver) return result;
    } finally {
      leave();
    }
  }
}
