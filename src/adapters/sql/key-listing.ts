import { setImmediate as nextTurn } from "node:timers/promises";
import type { Awaitable } from "../../domain/awaitable.ts";
import type { KeyCount, KeyFilter, KeysPage, Position } from "../../domain/keys/listing.ts";
import type { State } from "../../domain/keys/state.ts";
import {
  type Conditions,
  conditionsOf,
  inState,
  isSearchable,
  POSSIBLY_INACTIVE,
  REHEARSING,
  searchedText,
} from "./key-filter.ts";
import type { Row, Sql, Values } from "./sql.ts";

type Order = KeysPage["order"];

/** How an order reads its index. `slices`: the columns at which it is cut. */
const directions = {
  newest: { orderBy: "ORDER BY created_at DESC, id DESC", after: "<", until: ">=", slices: ["created_at"] },
  oldest: { orderBy: "ORDER BY created_at, id", after: ">", until: "<=", slices: ["created_at"] },
  owner: {
    orderBy: "ORDER BY owner_key, created_at, id",
    after: ">",
    until: "<=",
    slices: ["owner_key", "created_at"],
  },
} as const satisfies Record<Order, object>;

/** The indexes that contain what filters compare, for the orders and filters that read each. */
export type ScannedTables = {
  byAge: string;
  byOwner: string;
  byOwnerName: string;
  rehearsing: string;
  /** The keys of POSSIBLY_INACTIVE: an index without texts. */
  possiblyInactive: string;
  possiblyInactiveByOwner: string;
};

/** How an engine applies a filter. */
export type Filtering = {
  /** The number of keys in a turn of the event loop, so that an engine in this process does not keep requests waiting. */
  sliceSize: number;
  /** The table of keys for each index: a search or a filter by plan looks at each key in it. */
  scanned: ScannedTables;
  /** The index of what a search compares. */
  texts: KeyTexts;
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
    const { selected, table, slicesOf } = await this.#select(filter, order, now);
    const { orderBy } = directions[order];
    const rows: Row[] = [];
    for await (const slice of slicesOf(after)) {
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
      const counts = await this.countByState(now);
      return { total: state.reduce((sum, one) => sum + counts[one], 0), isExact: true };
    }
    const found = hasSearchOnly(filter) ? await this.#filtering.texts.count(searchedText(filter), most + 1) : undefined;
    if (found !== undefined) return { total: Math.min(found, most), isExact: found <= most };
    const { selected, table, slicesOf } = await this.#select(filter, "newest", now);
    let count = 0;
    for await (const slice of slicesOf()) {
      const { where, values } = allOf(selected, slice);
      const found = `SELECT 1 FROM ${table} ${where} LIMIT :limit`;
      const text = `SELECT count(*) AS count FROM (${found}) AS found`;
      const row = await this.#sql.first(text, { ...values, limit: most + 1 - count });
      count += Number(row?.count);
      if (count > most) return { total: most, isExact: false };
    }
    return { total: count, isExact: true };
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

  async #select(filter: KeyFilter, order: Order, now: number): Promise<Selection> {
    const selected = conditionsOf(filter, now);
    const few = isSearchable(filter) ? await this.#filtering.texts.few(searchedText(filter)) : undefined;
    if (few !== undefined) {
      return {
        selected: both(selected, few.conditions),
        table: few.table,
        slicesOf: (position) => [startOf(order, position)],
      };
    }
    const table = this.#tableFor(filter, order);
    const sliced = { table, order, only: slicedBy(filter) };
    return { selected, table, slicesOf: (position) => this.#slices(selected, sliced, position) };
  }

  /** An index of a state is faster for that state alone. Few keys have a simulation. */
  #tableFor(filter: KeyFilter, order: Order): string {
    const { owner, plan, search, isRehearsing } = filter;
    const { byAge, byOwner, byOwnerName, rehearsing, possiblyInactive, possiblyInactiveByOwner } =
      this.#filtering.scanned;
    if (isRehearsing) return rehearsing;
    if (isPossiblyInactive(filter) && order === "owner") return possiblyInactiveByOwner;
    if (isPossiblyInactive(filter) && plan !== undefined) return possiblyInactive;
    if (order === "owner" || owner?.email !== undefined) return byOwner;
    if (owner !== undefined) return byOwnerName;
    return plan === undefined && search === undefined ? "petstore.keys" : byAge;
  }

  /**
   * Yields conditions that each select a slice of the keys after a position, in this order, and together all of them. Keys
   * that were created in the same millisecond are in one slice: to compare ids too takes as long as the filter.
   */
  async *#slices({ texts }: Conditions, of: Sliced, position?: Position): AsyncGenerator<Conditions> {
    const { after, until, slices } = directions[of.order];
    let start = both(of.only, startOf(of.order, position));
    while (texts.length > 0) {
      const end = await this.#endOfSlice(of, start);
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
  async #endOfSlice({ table, order }: Sliced, start: Conditions): Promise<Values | undefined> {
    const { sliceSize } = this.#filtering;
    if (sliceSize === Infinity) return undefined;
    const { where, values } = allOf(start);
    const { orderBy, slices } = directions[order];
    const row = await this.#sql.first(
      `SELECT ${slices.join(", ")} FROM ${table} ${where} ${orderBy} LIMIT 1 OFFSET :offset`,
      { ...values, offset: sliceSize - 1 },
    );
    return row as Values | undefined;
  }
}

function hasSearchOnly({ search, ...others }: KeyFilter): boolean {
  return isSearchable({ search }) && conditionsOf(others, 0).texts.length === 0;
}

/** Conditions on the keys of a table, and what cuts them into slices, from a position on. */
type Selection = {
  selected: Conditions;
  table: string;
  slicesOf: (position?: Position) => AsyncIterable<Conditions> | Iterable<Conditions>;
};

/** What is cut into slices: a table in an order, and the conditions without which a key is in no slice. */
type Sliced = { table: string; order: Order; only: Conditions };

/** The conditions of a filter by owner or simulation alone, and of its index: other keys are in no slice. */
function slicedBy(filter: KeyFilter): Conditions {
  const { owner, isRehearsing } = filter;
  const selected = conditionsOf({ owner, isRehearsing }, 0);
  return isPossiblyInactive(filter) ? both(selected, { texts: [POSSIBLY_INACTIVE], values: {} }) : selected;
}

/** Whether only keys of POSSIBLY_INACTIVE can match, and the filter compares no text. */
function isPossiblyInactive({ owner, search, state }: KeyFilter): boolean {
  return owner === undefined && search === undefined && state !== undefined && !state.includes("active");
}

function both(some: Conditions, others: Conditions): Conditions {
  return { texts: [...some.texts, ...others.texts], values: { ...some.values, ...others.values } };
}

/** The keys after a position, or all. By owner, a position is where its key is now. */
function startOf(order: Order, position: Position | undefined): Conditions {
  if (position === undefined) return { texts: [], values: {} };
  const { createdAt, id } = position;
  const [columns, start] =
    order === "owner"
      ? ["owner_key, created_at, id", "(SELECT owner_key FROM petstore.keys WHERE id = :startId), :startAt, :startId"]
      : ["created_at, id", ":startAt, :startId"];
  return {
    texts: [`(${columns}) ${directions[order].after} (${start})`],
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
