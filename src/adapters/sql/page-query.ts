import type { Statement, Values } from "./sql.ts";

/** A condition of a query, with the values that it names. */
export type Condition = { text: string; values: Values };

/** The rows with one of these ids. */
export function among(ids: readonly bigint[]): Condition {
  const values = Object.fromEntries(ids.map((id, i) => [`id${i}`, id]));
  return { text: `id IN (${Object.keys(values).map((name) => `:${name}`)})`, values };
}

/** Returns the statement of a page: the first `limit` rows by id that satisfy all conditions. */
export function pageQuery(select: string, limit: number, conditions: Condition[]): Statement {
  const where = conditions.length === 0 ? "" : ` WHERE ${conditions.map(({ text }) => text).join(" AND ")}`;
  return {
    text: `${select}${where} ORDER BY id LIMIT :limit`,
    values: Object.assign({ limit }, ...conditions.map(({ values }) => values)),
  };
}
