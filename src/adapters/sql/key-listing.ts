import type { Awaitable } from "../../domain/awaitable.ts";
import type { KeyCount, KeyFilter, KeysPage, Position } from "../../domain/keys/listing.ts";
import { type State, states } from "../../domain/keys/state.ts";
import { allOf, both, type Conditions } from "./conditions.ts";
import { conditionsOf, inState, isSearchable, REHEARSING, searchedText } from "./key-filter.ts";
import { type ScannedTables, slicedBy, tableFor } from "./key-index.ts";
import { directions, type Order, startOf } from "./key-order.ts";
import { slicesOf } from "./key-slices.ts";
import type { Row, Sql } from "./sql.ts";

/** How an engine applies a filter. */
export type Filtering = {
  /** The number of keys in a turn of the event loop, so that an engine in this process does not keep requests waiting. */
  sliceSize: number;
  /** The table of keys for each index: a search or a filter by plan looks at each key in it. */
  scanned: ScannedTables;
  /** The index of what a search compares. */
  texts: KeyTexts;
  /** An expression: the number of all keys. */
  total: string;
};

/** An index of texts. Both functions return undefined if the keys that contain a text are many. */
export type KeyTexts = {
  /** Counts the keys that contain a text, no further than `most`. */
  count: (text: string, most: number) => Awaitable<number | undefined>;
  /** Returns the keys that contain a text. */
  few: (text: string) => Awaitable<Few | undefined>;
};

/** A few keys: a table, and the conditions on its keys. */
type Few = { table: string; conditions: Conditions };

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
    const { selected, table, slices } = await this.#select(filter, order, now);
    const { orderBy } = directions[order];
    const rows: Row[] = [];
    for await (const slice of slices(after)) {
      const { where, values } = allOf(selected, slice);
      // The inner query reads an index only.
      const ids = `SELECT id FROM ${table} ${where} ${orderBy} LIMIT :limit`;
      const text = `SELECT * FROM petstore.keys WHERE id IN (${ids}) ${orderBy}`;
      rows.push(...(await this.#sql.all(text, { ...values, limit: limit - rows.length })));
      if (rows.length === limit) break;
    }
    return rows;
  }

  async count(filter: KeyFilter, now: number, most: number): Promise<KeyCount> {
    const { state, ...others } = filter;
    if (state !== undefined && conditionsOf(others, now).texts.length === 0) {
      return { total: await this.#countInStates(state, now), isExact: true };
    }
    const found = hasSearchOnly(filter) ? await this.#filtering.texts.count(searchedText(filter), most + 1) : undefined;
    if (found !== undefined) return { total: Math.min(found, most), isExact: found <= most };
    const { selected, table, slices } = await this.#select(filter, "newest", now);
    let count = 0;
    for await (const slice of slices()) {
      const { where, values } = allOf(selected, slice);
      const found = `SELECT 1 FROM ${table} ${where} LIMIT :limit`;
      const text = `SELECT count(*) AS count FROM (${found}) AS found`;
      const row = await this.#sql.first(text, { ...values, limit: most + 1 - count });
      count += Number(row?.count);
      if (count > most) return { total: most, isExact: false };
    }
    return { total: count, isExact: true };
  }

  /** Each state except `active` has an index, so the active keys are all but those of the other states. */
  async #countInStates(counted: readonly State[], now: number): Promise<number> {
    const isComplement = counted.includes("active");
    const others = states.filter((one) => counted.includes(one) !== isComplement);
    const counts = others.map((one) => `(SELECT count(*) FROM petstore.keys WHERE ${inState[one]})`);
    const sum = counts.join(" + ") || "0";
    const row = await this.#sql.first(
      `SELECT ${isComplement ? `${this.#filtering.total} - (${sum})` : sum} AS count`,
      sum.includes(":now") ? { now } : {},
    );
    return Number(row?.count);
  }

  async countByState(now: number): Promise<Record<State, number>> {
    const count = (where: string) => `(SELECT count(*) FROM petstore.keys ${where})`;
    const row = await this.#sql.first(
      `SELECT ${this.#filtering.total} AS total, ${count(`WHERE ${inState.banned}`)} AS banned,
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

  async #select(filter: KeyFilter, order: Order, now: number): Promise<Selection> {
    const selected = conditionsOf(filter, now);
    const few = isSearchable(filter) ? await this.#filtering.texts.few(searchedText(filter)) : undefined;
    if (few !== undefined) {
      return {
        selected: both(selected, few.conditions),
        table: few.table,
        slices: (position) => [startOf(order, position)],
      };
    }
    const { scanned, sliceSize } = this.#filtering;
    const table = tableFor(filter, order, scanned);
    const sliced = { table, order, only: slicedBy(filter), size: sliceSize };
    return { selected, table, slices: (position) => slicesOf(this.#sql, sliced, selected, position) };
  }
}

function hasSearchOnly({ search, ...others }: KeyFilter): boolean {
  return isSearchable({ search }) && conditionsOf(others, 0).texts.length === 0;
}

/** Conditions on the keys of a table, and what cuts them into slices, from a position on. */
type Selection = {
  selected: Conditions;
  table: string;
  slices: (position?: Position) => AsyncIterable<Conditions> | Iterable<Conditions>;
};
