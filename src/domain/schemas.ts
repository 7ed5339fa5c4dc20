import { z } from "zod";
import { INT64_MAX, INT64_MIN } from "./int64.ts";
import { isSingleLine } from "./text.ts";

/**
 * The schema as a reference in the OpenAPI document. `meta` on it stands beside the reference; on the schema itself it would
 * make a copy without the name.
 */
export const reference = <Schema extends z.ZodType>(schema: Schema) => z.lazy(() => schema);

/** A name in one line: what it must be, for people; its bounds, in the document; and its schema. */
export function nameUpTo(maxLength: number, description: string, example: string) {
  const rule = `1 to ${maxLength} characters, not blank, without control characters or lone surrogates`;
  const bounds = { minLength: 1, maxLength, examples: [example] };
  const isValid = (text: string) => isSingleLine(text, maxLength);
  const schema = z
    .string({ error: (issue) => (issue.input === undefined ? "is required" : "must be a string") })
    .refine(isValid, { error: `must be ${rule}` })
    .meta({ ...bounds, description });
  return { rule, bounds, isValid, schema };
}

const int64 = { type: "integer", format: "int64", examples: [1] } as const;

/** Any int64: a bigint in the code, an integer in JSON. */
export const anyInt64 = (description: string) =>
  z
    .bigint({
      error: (issue) =>
        issue.input === undefined ? "is required" : `must be an integer from ${INT64_MIN} to ${INT64_MAX}`,
    })
    .meta({ ...int64, description, minimum: INT64_MIN, maximum: INT64_MAX });

/** An id that the service assigns: positive and below 2^53. */
export const assignedId = (description: string) =>
  z.int().meta({ ...int64, description, minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
