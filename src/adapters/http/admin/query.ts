import { z } from "zod";
import { type Detail, PetstoreError } from "../../../domain/errors.ts";

/** A whole number in a query string. */
export const wholeNumber = (min: number, max: number) => {
  const error = `must be an integer from ${min} to ${max}`;
  return z
    .string()
    .regex(/^(0|[1-9]\d{0,15})$/, { error })
    .transform(Number)
    .pipe(z.number().min(min, { error }).max(max, { error }))
    .meta({ type: "integer", minimum: min, maximum: max });
};

/** A moment in a query string, in Unix milliseconds from then on. */
export const moment = z.iso
  .datetime({ offset: true, error: "must be a moment such as 2026-12-02T10:00:00Z" })
  .transform((text) => Date.parse(text))
  .meta({ type: "string", format: "date-time" });

/** One of these words, or several of them, separated by commas. */
export const words = <const Word extends string>(known: readonly Word[]) => {
  const error = `must be one or several of ${known.join(", ")}, separated by commas`;
  return z
    .string()
    .transform((text, context): Word[] => {
      const named = text.split(",");
      const found = known.filter((word) => named.includes(word));
      if (named.every((word) => known.some((one) => one === word))) return found;
      context.addIssue(error);
      return z.NEVER;
    })
    .meta({ type: "array", items: { type: "string", enum: [...known] }, param: { style: "form", explode: false } });
};

/**
 * What a query string says, as `schema` has it. Unknown parameters are ignored, nothing is clamped.
 * @throws invalid_parameter naming every parameter that is repeated or wrong
 */
export function readQuery<T>(url: string, schema: z.ZodType<T>): T {
  const start = url.indexOf("?");
  const query = new URLSearchParams(start === -1 ? "" : url.slice(start + 1));
  const repeated = [...new Set(query.keys())].filter((name) => query.getAll(name).length > 1);
  const result = schema.safeParse(Object.fromEntries(query));
  const issues = result.success ? [] : result.error.issues;
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const details: Detail[] = [
    ...repeated.filter((name) => known.includes(name)).map((field) => detail(field, "must be given once")),
    ...issues.map(({ path, message }) => detail(path.join("."), message)),
  ];
  if (result.success && details.length === 0) return result.data;
  const message = details.map(({ field, problem }) => `Query parameter ${field} ${problem}.`).join(" ");
  throw new PetstoreError("invalid_parameter", { message, details });
}

function detail(field: string, problem: string): Detail {
  return { in: "query", field, problem };
}
