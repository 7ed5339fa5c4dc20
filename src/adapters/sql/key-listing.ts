import { setImmediate as nextTurn } from "node:timers/promises";
import type { Awaitable } from "../../domain/awaitable.ts";
import type { KeyCount, KeyFilter, KeysPage, Position } from "../../domain/keys/listing.ts";
import { states } from "../../domain/keys/state.ts";
import type { KeyCounts } from "../../domain/keys/store.ts";
import { allOf, both, type Conditions } from "./conditions.ts";
import { conditionsOf, inState, isSearchable, REHEARSING, searchedText } from "./key-filter.ts";
import { type ScannedTables, slicedBy, tableFor } from "./key-index.ts";
import { directions, type Order, startOf } from "./key-order.ts";
import { slicesOf } from "./key-slices.ts";
import type { Row, Sql, Values } from "./sql.ts";

/** How an engine reads keys, and applies a filter. */
export type Filtering = {
  /** The columns of a key in a statement that reads `petstore.keys`. */
  columns: string;
  /** The number of keys in a turn of the event loop, so that an engine in this process does not keep requests waiting. */
  sliceSize: number;
  /** The table of keys for each index: a search or a filter by plan looks at each key in it. */
  scanned: ScannedTables;
  /** The index of what a search compares. */
  texts: KeyTexts;
};

/** An index of texts. */
export type KeyTexts = {
  /** Finds the keys that contain a text, and counts them up to `most` at least. */
  find: (text: string, most: number) => Awaitable<Found>;
};

/** How many keys contain a text, unless the order of a list finds them sooner; and if they are few, a table of them. */
type Found = { count?: number; few?: { table: string; values: Values } | undefined };

const TABLE = "petstore.keys";
/** The number of all keys, which triggers keep. */
const TOTAL = "(SELECT keys FROM petstore.key_total)";

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
    return await this.#read(await this.#select(filter, order, now), { order, limit, after });
  }

  /** Returns the rows of a page of keys, and what counts those on all pages: a search finds them once for both. */
  async countedPage({ order, limit, after, ...filter }: KeysPage, now: number, most: number): Promise<CountedPage> {
    const selection = await this.#select(filter, order, now, most);
    const [rows, inStates] = await Promise.all([
      this.#read(selection, { order, limit, after }),
      this.#countInStates(filter, now),
    ]);
    const first = after === undefined ? rows : [];
    const matching = rows.length < limit ? rows.length : first[0]?.matching;
    await nextTurn();
    const counting = async () => {
      if (after === undefined && matching !== undefined) return upTo(most, Number(matching));
      if (inStates !== undefined) return { total: inStates, isExact: true };
      return this.#count(filter, selection, { now, most, first });
    };
    return { rows, counting };
  }

  /** On the first page of few keys, each row also has the number of keys on all pages, as `matching`. */
  async #read(selection: Selection, { order, limit, after }: Unfiltered): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const slice of selection.slices(after)) {
      const { where, values } = allOf(selection.selected, slice);
      const text = pageText(this.#filtering.columns, selection, where, order);
      rows.push(...(await this.#sql.all(text, { ...values, limit: limit - rows.length })));
      if (rows.length === limit) break;
    }
    return rows;
  }

  async #count(filter: KeyFilter, selection: Selection, { now, most, first }: Counting): Promise<KeyCount> {
    const { selected, table, slices, found } = selection;
    const hasSearchOnly = conditionsOf({ ...filter, search: undefined }, now).texts.length === 0;
    if (found !== undefined && hasSearchOnly) return upTo(most, found);
    const last = first.at(-1);
    let count = first.length;
    for await (const slice of slices(last && { createdAt: Number(last.created_at), id: String(last.id) })) {
      const { where, values } = allOf(selected, slice);
      const counted = `SELECT 1 FROM ${table} ${where} LIMIT :limit`;
      const text = `SELECT count(*) AS count FROM (${counted}) AS counted`;
      const row = await this.#sql.first(text, { ...values, limit: most + 1 - count });
      count += Number(row?.count);
      if (count > most) break;
    }
    return upTo(most, count);
  }

  /**
   * Counts the keys of a filter by state alone. Each state except `active` has an index, so the active keys are all but those of
   * the other states.
   */
  async #countInStates({ state: counted, ...filter }: KeyFilter, now: number): Promise<number | undefined> {
    if (counted === undefined || conditionsOf(filter, now).texts.length > 0) return undefined;
    await nextTurn();
    const isComplement = counted.includes("active");
    const others = states.filter((one) => counted.includes(one) !== isComplement);
    const counts = others.map((one) => `(SELECT count(*) FROM petstore.keys WHERE ${inState[one]})`);
    const sum = counts.join(" + ") || "0";
    const row = await this.#sql.first(
      `SELECT ${isComplement ? `${TOTAL} - (${sum})` : sum} AS count`,
      sum.includes(":now") ? { now } : {},
    );
    return Number(row?.count);
  }

  async counts(now: number): Promise<KeyCounts> {
    const count = (condition: string) => `(SELECT count(*) FROM petstore.keys WHERE ${condition})`;
    const row = await this.#sql.first(
      `SELECT ${TOTAL} AS total, ${count(inState.banned)} AS banned, ${count(inState.disabled)} AS disabled,
         ${count(inState.expired)} AS expired, ${count(inState.revoked)} AS revoked, ${count(REHEARSING)} AS rehearsing`,
      { now },
    );
    const of = (name: string) => Number(row?.[name]);
    const others = { banned: of("banned"), disabled: of("disabled"), expired: of("expired"), revoked: of("revoked") };
    const active = Object.values(others).reduce((rest, count) => rest - count, of("total"));
    return { byState: { active, ...others }, rehearsing: of("rehearsing") };
  }

  async #select(filter: KeyFilter, order: Order, now: number, most = 0): Promise<Selection> {
    const { texts } = this.#filtering;
    const { few, count: found } = isSearchable(filter) ? await texts.find(searchedText(filter), most + 1) : {};
    // An engine in this process lets requests in between.
    await nextTurn();
    if (few !== undefined) {
      const others = conditionsOf({ ...filter, search: undefined }, now);
      const selected = both(others, { texts: [], values: few.values });
      return { selected, table: few.table, slices: (position) => [startOf(order, position)], found, isFew: true };
    }
    const { scanned, sliceSize } = this.#filtering;
    const selected = conditionsOf(filter, now);
    const table = tableFor(filter, order, scanned);
    const sliced = { table, order, only: slicedBy(filter), size: sliceSize };
    return { selected, table, slices: (position) => slicesOf(this.#sql, sliced, selected, position), found };
  }
}

type Unfiltered = Pick<KeysPage, "order" | "limit" | "after">;
type CountedPage = { rows: Row[]; counting: () => Promise<KeyCount> };

/** How to count up to `most` keys at `now` (Unix ms). `first`: the rows of the first page, if it was read: others are counted. */
type Counting = { now: number; most: number; first: readonly Row[] };

/** Conditions on the keys of a table, and what cuts them into slices, from a position on. */
type Selection = {
  selected: Conditions;
  table: string;
  slices: (position?: Position) => AsyncIterable<Conditions> | Iterable<Conditions>;
  /** How many keys contain the text of the filter, if they were counted. */
  found: number | undefined;
  /** Whether they are few. */
  isFew?: boolean;
};

/** The statement that reads a page, up to `:limit` keys of a slice. */
function pageText(columns: string, { selected, table, isFew }: Selection, where: string, order: Order): string {
  const { orderBy } = directions[order];
  const found = `FROM ${table} ${where} ${orderBy} LIMIT :limit`;
  if (isFew) {
    const counted = `SELECT id, count(*) OVER () AS matching ${found}`;
    return `SELECT ${columns} FROM (${counted}) AS found JOIN ${TABLE} USING (id) ${orderBy}`;
  }
  if (table === TABLE && selected.texts.length === 0) return `SELECT ${columns} ${found}`;
  // A filter compares what an index has, and no rows of the table.
  return `SELECT ${columns} FROM ${TABLE} WHERE id IN (SELECT id ${found}) ${orderBy}`;
}

function upTo(most: number, count: number): KeyCount {
  return { total: Math.min(count, most), isExact: count <= most };
}
