import { backOff, type Calls, isWorthRetrying } from "./calls.ts";
import { linkTo } from "./deprecation.ts";
import { PetstoreError } from "./errors.ts";
import type { IntegerMode } from "./int64.ts";
import type { CallOptions } from "./options.ts";
import {
  type Kind,
  MOST,
  type Query,
  type QueryOf,
  queryIn,
  queryText,
  type Resource,
  ResourceCalls,
} from "./resource.ts";
import type { components, operations } from "./schema.ts";

type Schemas = components["schemas"];

/** What was changed, and how, such as `pet.updated`. */
export type EventType = Schemas["EventType"];

/** A change of a pet, a category or an order: `data` is its state after it. Its `id` is a position in the feed. */
export type Event<Mode extends IntegerMode = "mixed"> = Resource<Mode, Schemas["Event"]>;

/** The events to follow: with ids above `after`, of these `types`, of this `subject`. */
export type EventQuery = Omit<QueryOf<NonNullable<operations["listEvents"]["parameters"]["query"]>>, "limit">;

const EVENT: Kind<Schemas["Event"]> = {
  name: "an event",
  path: "/events",
  list: "listEvents",
  integers: ["id", "version"],
  nested: ["id", "categoryId", "petId"],
};

/** How long a request waits for the next event, in s: less than the time-out of a request. */
const WAIT = 20;

/** Follows the feed, without an end. */
export async function* follow<Mode extends IntegerMode>(
  calls: Calls,
  mode: Mode,
  { after, types, subject }: EventQuery,
  options: CallOptions,
): AsyncGenerator<Event<Mode>, void, undefined> {
  const resources = new ResourceCalls<Schemas["Event"], Mode>(calls, EVENT, mode);
  const headers = { ...options.headers, Prefer: `handling=strict, wait=${WAIT}` };
  let position: Query[string] = after;
  for (let failures = 0; ; ) {
    try {
      const { value, response, requestId } = await calls.make({
        operation: EVENT.list,
        method: "GET",
        path: EVENT.path,
        query: queryText({ limit: MOST, types, subject, after: position }),
        options: { ...options, headers },
      });
      const events = resources.resourcesOf(value, requestId);
      yield* events;
      position = queryIn(linkTo("next", response.headers) ?? "").after ?? events.at(-1)?.id ?? position;
      failures = 0;
    } catch (error) {
      if (!(error instanceof PetstoreError && isWorthRetrying(error))) throw error;
      failures += 1;
      await calls.clock.sleep(backOff(failures, calls.clock.random()), options.signal);
    }
  }
}
