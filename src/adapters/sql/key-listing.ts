import { setImmediate as nextTurn } from "node:timers/promises";
import type { KeyFilter, KeysPage, Position } from "../../domain/keys/listing.ts";
import type { State } from "../../domain/keys/state.ts";
import { type Conditions, conditionsOf, inState, REHEARSING } from "./key-filter.ts";
import type { Row, Sql } from "./sql.ts";

type Order = KeysPage["order"];

const directions = {
  newest: { orderBy: "ORDER BY created_at DESC, id DESC", after: "<", until: ">=" },
  oldest: { orderBy: "ORDER BY created_at, id", after: ">", until: "<=" },
} as const satisfies Record<Order, object>;

/** How an engine applies a filter. */
export type Filtering = {
  /** The number of keys in a turn of the event loop, so that an engine in this process does not keep requests waiting. */
  sliceSize: number;
  /** The table of keys for a search or a filter by plan, which look at each of them. */
  scanned: string;
};

/** Lists and counts keys. */
export class KeyListing {
  readonly #sql: Sql;
  readonly #filtering: Filtering;

  constructor(sql: Sql, filtering: Filtering) {
    this.#sql = sql;
    this.#filtering = filtering;
  }

  /** Returns the rows of a page of keys. */
  async page({ order, limit, after, ...filter }: KeysPage, now: number): Promise<Row[]> {
    const selected = conditionsOf(filter, now);
    const table = this.#tableFor(filter);
    const { orderBy } = directions[order];
    const rows: Row[] = [];
    for await (const slice of this.#slices(selected, order, after)) {
      const { where, values } = allOf(selected, slice);
      // The inner query reads an index only.
      const ids = `SELECT id FROM ${table} ${where} ${orderBy} LIMIT :limit`;
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
    const table = this.#tableFor(filter);
    let count = 0;
    for await (const slice of this.#slices(selected, "newest")) {
      const { where, values } = allOf(selected, slice);
      const row = await this.#sql.first(`SELECT count(*) AS count FROM ${table} ${where}`, values);
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

  async countRehearsing(): Promise<number> {
    const row = await this.#sql.first(`SELECT count(*) AS count FROM petstore.keys WHERE ${REHEARSING}`);
    return Number(row?.count);
  }

  /** An index of a state is faster for that state alone, and so is that of keys with a simulation. */
  #tableFor({ plan, search, isRehearsing }: KeyFilter): string {
    const isScanned = (plan !== undefined || search !== undefined) && !isRehearsing;
    return isScanned ? this.#filtering.scanned : "petstore.keys";
  }

  /**
   * Yields conditions that each select a slice of the keys after a position, in this order, and together all of them. Keys
   * that were created in the same millisecond are in one slice: to compare ids too takes as long as the filter.
   */
  async *#slices({ texts }: Conditions, order: Order, position?: Position): AsyncGenerator<Conditions> {
    const { after, until } = directions[order];
    let start: Conditions = position === undefined ? { texts: [], values: {} } : afterPosition(order, position);
    while (texts.length > 0) {
      const end = await this.#endOfSlice(order, start);
      if (end === undefined) break;
      yield {
        texts: [...start.texts, `created_at ${until} :end`],
        values: { ...start.values, end },
      };
      start = { texts: [`created_at ${after} :start`], values: { start: end } };
      await nextTurn();
    }
    yield start;
  }

  /** Returns the creation of the last key of the slice that begins with `start`; undefined when it is the last slice. */
  async #endOfSlice(order: Order, start: Conditions): Promise<number | undefined> {
    const { sliceSize } = this.#filtering;
    if (sliceSize === Infinity) return undefined;
    const { where, values } = allOf(start);
    const row = await this.#sql.first(
      `SELECT created_at FROM petstore.keys ${where} ${directions[order].orderBy} LIMIT 1 OFFSET :offset`,
      { ...values, offset: sliceSize - 1 },
    );
    return row && Number(row.created_at);
  }
}

function afterPosition(order: Order, { createdAt, id }: Position): Conditions {
  return {
    texts: [`(created_at, id) ${directions[order].after} (:startAt, :startId)`],
    values: { startAt: createdAt, startId: id },
  };
}

function allOf(...conditions: Conditions[]): { where: string; values: Conditions["values"] } {
  const texts = conditions.flatMap(({ texts }) => texts);
  return {
    where: texts.length === 0 ? "" : `WHERE ${texts.join(" AND ")}`,
    values: Object.assign({}, ...conditions.map(({ values }) => values)),
  };
}
