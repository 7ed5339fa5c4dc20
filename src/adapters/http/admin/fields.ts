import { z } from "zod";
import type { Awaitable } from "../../../domain/awaitable.ts";
import { type ErrorCode, PetstoreError } from "../../../domain/errors.ts";
import { isName, MAX_NAME_LENGTH, NAME_RULE } from "../../../domain/keys/key.ts";
import { SECRET_LENGTH } from "../../../domain/keys/secret.ts";
import { MAX_REQUEST_ID_LENGTH } from "../../../domain/requests.ts";

const MAX_ID_LENGTH = 100;

/** The problem with a field of a body: that it is missing, or else `problem`. */
export const required = (problem: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? "is required" : problem;

/** The problem with a body that is not an object. */
export const JSON_OBJECT = { error: "must be a JSON object" };

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

/** An integer in a request body, where `parseJson` makes every integer a bigint. */
export const integer = (min: number, max: number) => {
  const error = required(`must be an integer from ${min} to ${max}`);
  return z
    .bigint({ error })
    .min(BigInt(min), { error })
    .max(BigInt(max), { error })
    .transform(Number)
    .meta({ type: "integer", minimum: min, maximum: max });
};

/** A text in a response that has at most so many characters. */
export const text = (maxLength: number) => z.string().meta({ maxLength });

/** An id in a response. */
export const id = text(MAX_ID_LENGTH);

/** The `X-Request-Id` of a response. */
export const requestId = text(MAX_REQUEST_ID_LENGTH);

/** What only one response shows: the secret of a key, or the token of an operator. */
export const secret = text(SECRET_LENGTH).meta({ description: "Only this response shows it." });

/** A time in a response: RFC 3339 in UTC, to the millisecond. */
export const timestamp = z.string().meta({ format: "date-time", examples: ["2026-12-02T10:00:00.250Z"] });

export const count = z.int().min(0).meta({ type: "integer", minimum: 0 });

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
