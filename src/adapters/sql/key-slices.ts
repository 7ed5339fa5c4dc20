import { setImmediate as nextTurn } from "node:timers/promises";
import type { Position } from "../../domain/keys/listing.ts";
import { allOf, both, type Conditions } from "./conditions.ts";
import { directions, type Order, startOf } from "./key-order.ts";
import type { Sql, Values } from "./sql.ts";

/** What is cut into slices: a table in an order, and the conditions without which a key is in no slice. */
export type Sliced = {
  table: string;
  order: Order;
  only: Conditions;
  /** The number of keys in a slice; Infinity for a single one. */
  size: number;
};

/**
 * Yields conditions that each select a slice of the keys after a position, in this order, and together all of them. Keys
 * that were created in the same millisecond are in one slice: to compare ids too takes as long as the filter.
 */
export async function* slicesOf(
  sql: Sql,
  of: Sliced,
  { texts }: Conditions,
  position?: Position,
): AsyncGenerator<Conditions> {
  const { after, until, slices } = directions[of.order];
  let start = both(of.only, startOf(of.order, position));
  while (texts.length > 0) {
    const end = await endOfSlice(sql, of, start);
    if (end === undefined) break;
    const compared = (operator: string, name: string) => ({
      texts: [`(${slices.join(", ")}) ${operator} (${slices.map((column) => `:${name}_${column}`).join(", ")})`],
      values: Object.fromEntries(slices.map((column) => [`${name}_${column}`, end[column] ?? null])),
    });
    const last = compared(until, "end");
    yield { texts: [...start.texts, ...last.texts], values: { ...start.values, ...last.values } };
    start = both(of.only, compared(after, "start"));
    await nextTurn();
  }
  yield start;
}

/** Returns where the slice that begins with `start` ends, by column; undefined when it is the last slice. */
async function endOfSlice(sql: Sql, { table, order, size }: Sliced, start: Conditions): Promise<Values | undefined> {
  if (size === Infinity) return undefined;
  const { where, values } = allOf(start);
  const { orderBy, slices } = directions[order];
  const row = await sql.first(`SELECT ${slices.join(", ")} FROM ${table} ${where} ${orderBy} LIMIT 1 OFFSET :offset`, {
    ...values,
    offset: size - 1,
  });
  return row as Values | undefined;
}
