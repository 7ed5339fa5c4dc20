import { z } from "zod";
import type { Awaitable } from "../../../domain/awaitable.ts";
import { type ErrorCode, PetstoreError } from "../../../domain/errors.ts";
import { isName, MAX_NAME_LENGTH, MAX_SEARCH_LENGTH, NAME_RULE } from "../../../domain/keys/key.ts";
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

/** A count in a response, or null. */
export const countOrNull = z
  .int()
  .min(0)
  .nullable()
  .meta({ type: ["integer", "null"], minimum: 0 });

export const NEXT = "The `after` of the next page; null on the last page.";
/** The same for a list that is newest first. */
export const OLDER = "The `before` of the next page; null on the last page.";

/** The `next` of a page, in a response: the id of its last item, as a rule. */
export const nextId = countOrNull.meta({ minimum: 1, description: NEXT });
export const olderId = nextId.meta({ description: OLDER });

/** How many items a list has on all pages, in a response. */
export const total = countOrNull.meta({ description: "How many match, on all pages; null if they were not counted." });

/** Text of a key by which a list finds it, in a query. */
export const keyText = (description: string) =>
  z
    .string()
    .max(MAX_SEARCH_LENGTH, { error: `must be ${MAX_SEARCH_LENGTH} characters at most` })
    .optional()
    .meta({ maxLength: MAX_SEARCH_LENGTH, description, examples: ["My app"] });

/** The form of ids. Other text is not looked up: PostgreSQL refuses NUL characters. */
export const ID = new RegExp(`^[0-9A-Za-z_]{1,${MAX_ID_LENGTH}}$`);

/** What a path names. Text that cannot name one raises the error that an unknown one raises. */
export const pathPart = <T>(schema: z.ZodType<T>, code: ErrorCode) =>
  z.string().transform((text) => {
    const { success, data } = schema.safeParse(text);
    if (success) return data;
    throw new PetstoreError(code);
  });

/** The id in a path. */
export const pathId = (example: string, code: ErrorCode) =>
  pathPart(z.string().regex(ID), code).meta({
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
