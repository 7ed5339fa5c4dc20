import type { Values } from "./sql.ts";

/** Conditions that all hold, with their values. */
export type Conditions = { texts: string[]; values: Values };

export function both(some: Conditions, others: Conditions): Conditions {
  return { texts: [...some.texts, ...others.texts], values: { ...some.values, ...others.values } };
}

/** The WHERE clause of all these conditions, empty without any, and its values. */
export function allOf(...conditions: Conditions[]): { where: string; values: Values } {
  const texts = conditions.flatMap(({ texts }) => texts);
  return {
    where: texts.length === 0 ? "" : `WHERE ${texts.join(" AND ")}`,
    values: Object.assign({}, ...conditions.map(({ values }) => values)),
  };
}
