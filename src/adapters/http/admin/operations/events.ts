import { z } from "zod";
import { Event, exampleEvent } from "../../../../domain/events.ts";
import { INT64_MAX } from "../../../../domain/int64.ts";
import { PAGE } from "../../../../domain/pets.ts";
import { timestampOf } from "../../../../domain/time.ts";
import { EventsQuery } from "../../operations/events.ts";
import { withLimit } from "../../paging.ts";
import { int64, timestamp } from "../../parameters.ts";
import { jsonText } from "../../request.ts";
import { olderId, readPage } from "../fields.ts";
import { operation } from "./operation.ts";

export const EventPage = z
  .strictObject({
    events: z.array(Event).max(PAGE.max),
    next: olderId,
    keptSince: timestamp
      .nullable()
      .meta({ type: ["string", "null"], description: "When the oldest event was made that is kept; null if none is." }),
  })
  .meta({
    id: "EventPage",
    description: "A page of events, newest first.",
    examples: [{ events: [exampleEvent], next: exampleEvent.id, keptSince: exampleEvent.at }],
  });

const { after: _, ...shape } = EventsQuery.shape;

const Query = z.object({
  ...shape,
  before: int64(1)
    .optional()
    .meta({ examples: [42], description: "Only events older than this one." }),
});

export const listEvents = operation({
  id: "listEvents",
  route: "GET /events",
  role: "viewer",
  summary: "List what changed",
  description:
    "Lists the events that match all given filters, newest first. With `subject` they are the history of one pet, category or order.",
  request: { query: Query },
  answers: { 200: { description: "A page of events.", schema: EventPage } },
  handle: async ({ events }, { query, context }) => {
    const { before: after = INT64_MAX, ...page } = withLimit(query);
    const [{ items, next }, [oldest]] = await Promise.all([
      readPage(page.limit, (limit) => events.list({ ...page, limit, after, order: "desc" })),
      events.list({ after: 0n, limit: 1 }),
    ]);
    const keptSince = JSON.stringify(oldest === undefined ? null : timestampOf(oldest.at));
    const text = `{"events":[${items.map(({ text }) => text).join(",")}],"next":${next},"keptSince":${keptSince}}`;
    return jsonText(context, 200, text);
  },
});
