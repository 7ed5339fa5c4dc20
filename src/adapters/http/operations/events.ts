import { z } from "zod";
import { type Awaitable, after as next } from "../../../domain/awaitable.ts";
import {
  type EventStore,
  Events,
  type EventsPage,
  eventText,
  eventTypes,
  exampleEvent,
  FIRST_POSITION,
  parseSubject,
  type StoredEvent,
} from "../../../domain/events.ts";
import { INT64_MAX } from "../../../domain/int64.ts";
import { ofFeed } from "../openapi-headers.ts";
import { operation } from "../operation.ts";
import { limitOf, nextQuery, withLimit } from "../paging.ts";
import { int64, listOf, parsed } from "../parameters.ts";
import { etagOf, type Representation, tagOfText } from "../responses.ts";

const EventsQuery = z.object({
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
      description: "Only events of this pet, category or order.",
      examples: ["pets/7"],
    }),
});

/** GET /events. Source: docs/events.md. */
export const listEvents = operation({
  id: "listEvents",
  route: "GET /events",
  scope: "events:read",
  summary: "Follow what changes",
  description:
    'Returns a page of events, by id, ascending: one for each change of a pet, a category or an order. The `Link` with `rel="next"` is always there: it leads to what comes next, also when nothing has happened yet.',
  request: { query: EventsQuery },
  answers: {
    200: { description: "A page of events, possibly empty.", schema: Events, example: [exampleEvent], headers: ofFeed },
  },
  refusals: ["position_expired"],
  read:
    ({ events, baseUrl }) =>
    ({ query }) => {
      const { after = 0n, subject, ...others } = withLimit(query);
      const page = { ...others, after, subject };
      return next(readPage(events, page), ({ found, position }): Representation => {
        const body = `[${found.map(eventText).join(",")}]`;
        const shown = { ...others, subject: subject?.text };
        return {
          body,
          etag: etagOf(tagOfText(`${body}${position}`)),
          link: `<${baseUrl}/events?${nextQuery(shown, position)}>; rel="next"`,
        };
      });
    },
});

/** A page, and the position from which a reader goes on: with a filter it passes by what the filter leaves out. */
function readPage(events: EventStore, page: EventsPage): Awaitable<{ found: StoredEvent[]; position: bigint }> {
  const isFiltered = page.types !== undefined || page.subject !== undefined;
  // What is read later has all events up to here.
  const newest = isFiltered ? events.newest() : FIRST_POSITION;
  return next(newest, (known) =>
    next(events.list(page), (found) => {
      const last = BigInt(found.at(-1)?.id ?? page.after);
      return { found, position: found.length === page.limit || last > known ? last : known };
    }),
  );
}
