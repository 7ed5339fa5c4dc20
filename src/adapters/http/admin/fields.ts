import { z } from "zod";
import type { Awaitable } from "../../../domain/awaitable.ts";
import { type ErrorCode, PetstoreError } from "../../../domain/errors.ts";
import { isName, MAX_NAME_LENGTH, NAME_RULE } from "../../../domain/keys/key.ts";
import { required, text } from "../parameters.ts";

const MAX_ID_LENGTH = 100;

/** The name of a key or of an operator, in a request. */
export const name = z
  .string({ error: required("must be a string") })
  .refine(isName, { error: NAME_RULE })
  .meta({
    description: "A name for people, not blank, without control characters.",
    minLength: 1,
    maxLength: MAX_NAME_LENGTH,
    examples: ["My app"],
  });

/** An id in a response. */
export const id = text(MAX_ID_LENGTH);

/** The `next` of a page, in a response: the id of its last item, as a rule. */
export const nextId = z
  .int()
  .nullable()
  .meta({ type: ["integer", "null"], minimum: 1, description: "The `after` of the next page; null on the last page." });

/** The same for a list that is newest first. */
export const olderId = nextId.meta({ description: "The `before` of the next page; null on the last page." });

/** How many items a list has on all pages, in a response. */
export const total = z
  .int()
  .nullable()
  .meta({
    type: ["integer", "null"],
    minimum: 0,
    description: "How many match, on all pages; null if they were not counted.",
  });

/** The form of ids. Other text is not looked up: PostgreSQL refuses NUL characters. */
export const ID = new RegExp(`^[0-9A-Za-z_]{1,${MAX_ID_LENGTH}}$`);

/** The id in a path. Text that cannot be an id raises the error that an unknown id raises. */
export const pathId = (example: string, code: ErrorCode) =>
  z
    .string()
    .transform((text) => {
      if (ID.test(text)) return text;
      throw new PetstoreError(code);
    })
    .meta({
      type: "string",
      maxLength: MAX_ID_LENGTH,
      description: "The id, as the lists have it.",
      examples: [example],
    });

/** A page of a list. `next` is the id after which the next page begins; null on the last page. */
type Page<Item extends { id: unknown }> = { items: Item[]; next: Item["id"] | null };

/** Reads a page of at most `limit` items, and one item more, to find out whether another page follows. */
export async function readPage<Item extends { id: unknown }>(
  limit: number,
  list: (limit: number) => Awaitable<Item[] & { readTo?: Item["id"] }>,
): Promise<Page<Item>> {
  const found = await list(limit + 1);
  const items = found.slice(0, limit);
  return { items, next: (found.length > limit ? items.at(-1)?.id : found.readTo) ?? null };
}
