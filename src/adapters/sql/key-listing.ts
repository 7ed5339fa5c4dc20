import { setImmediate as nextTurn } from "node:timers/promises";
import type { KeyFilter, KeysPage, Position } from "../../domain/keys/listing.ts";
import type { State } from "../../domain/keys/state.ts";
import { type Conditions, conditionsOf, inState } from "./key-filter.ts";
import type { Row, Sql } from "./sql.ts";

type Order = KeysPage["order"];

const directions = {
  newest: { orderBy: "ORDER BY created_at DESC, id DESC", after: "<", until: ">=" },
  oldest: { orderBy: "ORDER BY created_at, id", after: ">", until: "<=" },
} as const satisfies Record<Order, object>;

/**
 * Lists and counts keys. A filter is applied to `sliceSize` keys in a turn of the event loop, so that an engine that runs
 * in this process does not keep requests waiting.
 */
export class KeyListing {
  readonly #sql: Sql;
  readonly #sliceSize: number;

  constructor(sql: Sql, sliceSize: number) {
    this.#sql = sql;
    this.#sliceSize = sliceSize;
  }

  /** Returns the rows of a page of keys. */
  async page({ order, limit, after, ...filter }: KeysPage, now: number): Promise<Row[]> {
    const selected = conditionsOf(filter, now);
    const { orderBy } = directions[order];
    const rows: Row[] = [];
    for await (const slice of this.#slices(selected, order, after)) {
      const { where, values } = allOf(selected, slice);
      // The inner query reads an index only.
      const ids = `SELECT id FROM petstore.keys ${where} ${orderBy} LIMIT :limit`;
      const text = `SELECT * FROM petstore.keys WHERE id IN (${ids}) ${orderBy}`;
      rows.push(...(await this.#sql.all(text, { ...values, limit: limit - rows.length })));
      if (rows.length === limit) break;
    }
    return rows;
  }

  async count(filter: KeyFilter, now: number): Promise<number> {
    const { state, ...others } = filter;
    if (state !== undefined && conditionsOf(others, now).texts.length === 0) {
      const counts = await this.countByState(now);
      return state.reduce((sum, one) => sum + counts[one], 0);
    }
    const selected = conditionsOf(filter, now);
    let count = 0;
    for await (const slice of this.#slices(selected, "newest")) {
      const { where, values } = allOf(selected, slice);
      const row = await this.#sql.first(`SELECT count(*) AS count FROM petstore.keys ${where}`, values);
      count += Number(row?.count);
    }
    return count;
  }

  /** Each state except `active` has an index. */
  async countByState(now: number): Promise<Record<State, number>> {
    const count = (where: string) => `(SELECT count(*) FROM petstore.keys ${where})`;
    const row = await this.#sql.first(
      `SELECT ${count("")} AS total, ${count(`WHERE ${inState.banned}`)} AS banned,
         ${count(`WHERE ${inState.disabled}`)} AS disabled, ${count(`WHERE ${inState.expired}`)} AS expired,
         ${count(`WHERE ${inState.revoked}`)} AS revoked`,
      { now },
    );
    const [total = 0, banned = 0, disabled = 0, expired = 0, revoked = 0] = [
      row?.total,
      row?.banned,
      row?.disabled,
      row?.expired,
      row?.revoked,
    ].map(Number);
    return { active: total - banned - disabled - expired - revoked, banned, disabled, expired, revoked };
  }

  /** Yields conditions that each select a slice of the keys after a position, in this order, and together all of them. */
  async *#slices({ texts }: Conditions, order: Order, after?: Position): AsyncGenerator<Conditions> {
    let start = after;
    while (texts.length > 0) {
      const end = await this.#endOfSlice(order, start);
      if (end === undefined) break;
      yield between(order, start, end);
      start = end;
      await nextTurn();
    }
    yield between(order, start);
  }

  /** Returns the position of the last key of the slice that begins after `start`; undefined when it is the last slice. */
  async #endOfSlice(order: Order, start: Position | undefined): Promise<Position | undefined> {
    if (this.#sliceSize === Infinity) return undefined;
    const { where, values } = allOf(between(order, start));
    const row = await this.#sql.first(
      `SELECT created_at, id FROM petstore.keys ${where} ${directions[order].orderBy} LIMIT 1 OFFSET :offset`,
      { ...values, offset: this.#sliceSize - 1 },
    );
    return row && { createdAt: Number(row.created_at), id: String(row.id) };
  }
}

/** The condition on keys after `start` and up to `end`. */
function between(order: Order, start?: Position, end?: Position): Conditions {
  const { after, until } = directions[order];
  return {
    texts: [
      ...(start === undefined ? [] : [`(created_at, id) ${after} (:startAt, :startId)`]),
      ...(end === undefined ? [] : [`(created_at, id) ${until} (:endAt, :endId)`]),
    ],
    values: {
      ...(start && { startAt: start.createdAt, startId: start.id }),
      ...(end && { endAt: end.createdAt, endId: end.id }),
    },
  };
}

function allOf(...conditions: Conditions[]): { where: string; values: Conditions["values"] } {
  const texts = conditions.flatMap(({ texts }) => texts);
  return {
    where: texts.length === 0 ? "" : `WHERE ${texts.join(" AND ")}`,
    values: Object.assign({}, ...conditions.map(({ values }) => values)),
  };
}
