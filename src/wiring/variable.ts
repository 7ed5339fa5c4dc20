import { z } from "zod";

/** The documentation of a variable in README.md and .env.example. */
type Documentation = {
  /** The default as text; empty if there is none. */
  default: string;
  /** Whether the default depends on other variables; .env.example does not set these. */
  isDerived: boolean;
  /** Markdown: a cell of the README's table. */
  text: string;
};

/** Of all variables. */
export const documentation = z.registry<Documentation>();

export function variable<T>(schema: z.ZodType<T, string>, value: string, text: string) {
  const documented = { default: value, isDerived: false, text };
  return z.string().prefault(value).pipe(schema).register(documentation, documented);
}

export function optional<T>(schema: z.ZodType<T, string>, text: string) {
  return schema.optional().register(documentation, { default: "", isDerived: false, text });
}

/** `value` is the default when no variable is set; `readConfig` derives it. */
export function derived<T>(schema: z.ZodType<T, string>, value: string, text: string) {
  return schema.optional().register(documentation, { default: value, isDerived: true, text });
}
