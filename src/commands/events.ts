import { setTimeout as pause } from "node:timers/promises";
import { eventTypes } from "../domain/changes.ts";
import {
  detailsOf,
  type EventStore,
  type EventsPage,
  type EventType,
  parseSubject,
  type StoredEvent,
  type Subject,
} from "../domain/events.ts";
import { parseJsonText } from "../domain/json.ts";
import { pagesOf } from "../wiring/exports.ts";
import { type ListOptions, printList, rangeOptions } from "./lists.ts";
import { anyOfOption, defineGroup, integer, parser } from "./options.ts";
import { formatTime } from "./output.ts";
import { defineStoreCommand } from "./stores.ts";

type EventOptions = ListOptions & { types?: EventType[]; subject?: Subject; follow?: boolean };

const subjectOf = parser(parseSubject, "must be pets/, categories/ or orders/ with an id, such as pets/7");

/** How often the feed is asked for new events, in ms. */
const POLL = 500;

const list = defineStoreCommand({
  name: "list",
  description: "List what has changed: the events of pets, categories and orders, oldest first.",
  options: [
    anyOfOption("--types <types>", "only events of these types", eventTypes),
    ["--subject <subject>", "only events of this pet, category or order, such as pets/7", subjectOf],
    ["--follow", "go on with new events as they happen, each as a line of JSON, until Ctrl+C"],
    ...rangeOptions("events", integer(0n)),
  ],
  examples: ["petstore events list --subject pets/1", "petstore events list --types order.placed --follow"],
  action: ({ events }, { types, subject, follow = false, ...options }: EventOptions) => {
    const filter = { types, subject };
    if (follow) return followFrom(events, filter, options.after);
    return printList(
      {
        pages: pagesOf(({ limit, after = 0n }) => events.list({ ...filter, limit, after }), options.after),
        json: ({ text }) => Object(parseJsonText(text)),
        head: ["ID", "TIME", "TYPE", "SUBJECT", "VERSION", "DATA"],
        flexible: "DATA",
        row: rowOf,
        none: "No event matches.",
      },
      options,
    );
  },
});

function rowOf(event: StoredEvent): string[] {
  const { id, at, type, subject } = event;
  const { version, data } = detailsOf(event);
  return [String(id), formatTime(at), type, subject, String(version), data];
}

/** Prints events from a position on, by default the newest, and never ends by itself. */
async function followFrom(
  events: EventStore,
  filter: Omit<EventsPage, "after" | "limit">,
  start?: bigint,
): Promise<void> {
  let after = start ?? (await events.newest());
  for (;;) {
    const page = await events.list({ ...filter, after, limit: 100 });
    for (const event of page) process.stdout.write(`${event.text}\n`);
    after = BigInt(page.at(-1)?.id ?? after);
    if (page.length === 0) await pause(POLL);
  }
}

export const eventsCommand = defineGroup("events", "List what changes, and follow it. Works while the service runs.", [
  list,
]);
