import { setImmediate as nextTurn } from "node:timers/promises";
import type { Awaitable } from "../../domain/awaitable.ts";
import { type Owner, ownerKeyOf, ownerNameKeyOf, type State, states } from "../../domain/keys/key.ts";
import type { KeyCounts, KeyFilter, KeysPage, Position } from "../../domain/keys/store.ts";
import { allOf, both, type Conditions, type Row, type Sql, type Values } from "./sql.ts";

/** `stateOf` in `domain/keys/key.ts` as conditions on a key at `:now`. */
const inState: Record<State, string> = {
  revoked: "revoked_at IS NOT NULL",
  expired: "revoked_at IS NULL AND expires_at <= :now",
  disabled: "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now) AND disabled_at IS NOT NULL",
  banned:
    "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now) AND disabled_at IS NULL AND banned_until > :now",
  active: `revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now) AND disabled_at IS NULL
    AND (banned_until IS NULL OR banned_until <= :now)`,
};

/** The condition on a key that has a simulation. */
const REHEARSING = "simulation IS NOT NULL";

/** A condition on the keys in every state except `active`: of the others only those that expire later or were banned satisfy it. */
const POSSIBLY_INACTIVE =
  "(revoked_at IS NOT NULL OR expires_at IS NOT NULL OR disabled_at IS NOT NULL OR banned_until IS NOT NULL)";

/** What a search compares, in lower case: id, name and owner; the last four characters of all secrets. */
const searched = ["search_text", "last_fours"];

/** The text that a filter searches for, in lower case; empty without one. */
function searchedText({ search = "" }: KeyFilter): string {
  return search.trim().toLowerCase();
}

/** Whether a filter searches for a text that a key may contain. */
function isSearchable(filter: KeyFilter): boolean {
  const text = searchedText(filter);
  return text !== "" && !isInNoKey(text);
}

/** The conditions on a key that a filter selects at `now` (Unix ms). Without a filter there are none. */
function conditionsOf(filter: KeyFilter, now: number): Conditions {
  const { owner, plan, state, isRehearsing } = filter;
  const text = searchedText(filter);
  if (isInNoKey(text)) return { texts: [anyOf([])], values: {} };
  const owned = owner === undefined ? { texts: [], values: {} } : conditionOf(owner);
  return {
    texts: [
      ...owned.texts,
      ...(plan === undefined ? [] : [anyOf(plan.map((_, i) => `plan = :plan${i}`))]),
      ...(state === undefined ? [] : [anyOf(state.map((one) => inState[one]))]),
      ...(isRehearsing ? [REHEARSING] : []),
      ...(text === "" ? [] : [anyOf(searched.map((column) => `${column} LIKE :pattern ESCAPE '\\'`))]),
    ],
    values: {
      ...owned.values,
      ...Object.fromEntries((plan ?? []).map((one, i) => [`plan${i}`, one])),
      ...(state?.some((one) => inState[one].includes(":now")) && { now }),
      ...(text !== "" && { pattern: `%${text.replace(/[\\%_]/g, "\\$&")}%` }),
    },
  };
}

/** PostgreSQL refuses U+0000, and a control character separates what an index of texts compares. */
function isInNoKey(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

function conditionOf(owner: Owner): Conditions {
  if (owner.email !== undefined) return { texts: ["owner_key = :owner"], values: { owner: ownerKeyOf(owner) } };
  return { texts: ["owner_name_key = :owner"], values: { owner: ownerNameKeyOf(owner.name ?? "") } };
}

function anyOf(conditions: string[]): string {
  return conditions.length === 0 ? "1 = 0" : `(${conditions.map((one) => `(${one})`).join(" OR ")})`;
}

type Order = KeysPage["order"];

/** How an order reads its index. `slices`: the columns at which it is cut. */
const keyOrders = {
  newest: { orderBy: "ORDER BY created_at DESC, id DESC", after: "<", until: ">=", slices: ["created_at"] },
  oldest: { orderBy: "ORDER BY created_at, id", after: ">", until: "<=", slices: ["created_at"] },
  owner: {
    orderBy: "ORDER BY owner_key, created_at, id",
    after: ">",
    until: "<=",
    slices: ["owner_key", "created_at"],
  },
} as const satisfies Record<Order, object>;

/** The keys after a position, or all. By owner, a position is where its key is now. */
function startOf(order: Order, position: Position | undefined): Conditions {
  if (position === undefined) return { texts: [], values: {} };
  const { createdAt, id } = position;
  const [columns, start] =
    order === "owner"
      ? ["owner_key, created_at, id", "(SELECT owner_key FROM petstore.keys WHERE id = :startId), :startAt, :startId"]
      : ["created_at, id", ":startAt, :startId"];
  return {
    texts: [`(${columns}) ${keyOrders[order].after} (${start})`],
    values: { startAt: createdAt, startId: id },
  };
}

/** The conditions of a filter by owner or simulation alone, and of its index: other keys are in no slice. */
function slicedBy(filter: KeyFilter): Conditions {
  const { owner, isRehearsing } = filter;
  const selected = conditionsOf({ owner, isRehearsing }, 0);
  return isPossiblyInactive(filter) ? both(selected, { texts: [POSSIBLY_INACTIVE], values: {} }) : selected;
}

/** Whether only keys of POSSIBLY_INACTIVE can match, and the filter compares no text. */
export function isPossiblyInactive({ search, state }: KeyFilter): boolean {
  return search === undefined && state !== undefined && !state.includes("active");
}

/** What is cut into slices: a table in an order, and the conditions without which a key is in no slice. */
type Sliced = {
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
async function* slicesOf(sql: Sql, of: Sliced, { texts }: Conditions, position?: Position): AsyncGenerator<Conditions> {
  const { after, until, slices } = keyOrders[of.order];
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
  const { orderBy, slices } = keyOrders[order];
  const row = await sql.first(`SELECT ${slices.join(", ")} FROM ${table} ${where} ${orderBy} LIMIT 1 OFFSET :offset`, {
    ...values,
    offset: size - 1,
  });
  return row as Values | undefined;
}

/** How an engine reads keys, and applies a filter. */
export type Filtering = {
  /** The columns of a key in a statement that reads `petstore.keys`. */
  columns: string;
  /** The number of keys in a turn of the event loop, so that an engine in this process does not keep requests waiting. */
  sliceSize: number;
  /** The table of keys that a search or a filter looks through, with the index that an engine has to be given. */
  tableFor: (filter: KeyFilter, order: KeysPage["order"]) => string;
  texts: KeyTexts;
};

export type KeyTexts = {
  /** Finds the keys that contain a text, if they are few: otherwise the order of a list finds them sooner. */
  find: (text: string) => Awaitable<FewKeys | undefined>;
};

/** A table of a few keys, and their number. */
type FewKeys = { table: string; values: Values; count: number };

export const TABLE = "petstore.keys";
/** The number of all keys, which triggers keep. */
const TOTAL = "(SELECT keys FROM petstore.key_total)";

export class KeyListing {
  readonly #sql: Sql;
  readonly #filtering: Filtering;

  constructor(sql: Sql, filtering: Filtering) {
    this.#sql = sql;
    this.#filtering = filtering;
  }

  async page({ order, limit, after, ...filter }: KeysPage, now: number): Promise<Row[]> {
    return await this.#read(await this.#select(filter, order, now), { order, limit, after });
  }

  /** Returns the rows of a page of keys, and what counts those on all pages: a search finds them once for both. */
  async countedPage({ order, limit, after, ...filter }: KeysPage, now: number): Promise<CountedPage> {
    const selection = await this.#select(filter, order, now);
    const rows = await this.#read(selection, { order, limit, after });
    const first = after === undefined ? rows : [];
    const matching = rows.length < limit ? rows.length : first[0]?.matching;
    await nextTurn();
    const counting = async () => {
      if (after === undefined && matching !== undefined) return Number(matching);
      return (await this.#countInStates(filter, now)) ?? this.#count(filter, selection, { now, first });
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

  async #count(filter: KeyFilter, selection: Selection, { now, first }: Counting): Promise<number> {
    const { selected, table, slices, few } = selection;
    const hasSearchOnly = conditionsOf({ ...filter, search: undefined }, now).texts.length === 0;
    if (few !== undefined && hasSearchOnly) return few;
    const last = first.at(-1);
    let count = first.length;
    for await (const slice of slices(last && { createdAt: Number(last.created_at), id: String(last.id) })) {
      const { where, values } = allOf(selected, slice);
      const row = await this.#sql.first(`SELECT count(*) AS count FROM ${table} ${where}`, values);
      count += Number(row?.count);
    }
    return count;
  }

  /**
   * Counts all keys, or those of a filter by state alone. Each state except `active` has an index, so the active keys are all but
   * those of the other states.
   */
  async #countInStates({ state: counted = states, ...filter }: KeyFilter, now: number): Promise<number | undefined> {
    if (conditionsOf(filter, now).texts.length > 0) return undefined;
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

  async #select(filter: KeyFilter, order: Order, now: number): Promise<Selection> {
    const few = isSearchable(filter) ? await this.#filtering.texts.find(searchedText(filter)) : undefined;
    // An engine in this process lets requests in between.
    await nextTurn();
    if (few !== undefined) {
      const others = conditionsOf({ ...filter, search: undefined }, now);
      const selected = both(others, { texts: [], values: few.values });
      return { selected, table: few.table, slices: (position) => [startOf(order, position)], few: few.count };
    }
    const { tableFor, sliceSize } = this.#filtering;
    const selected = conditionsOf(filter, now);
    const table = tableFor(filter, order);
    const sliced = { table, order, only: slicedBy(filter), size: sliceSize };
    return { selected, table, slices: (position) => slicesOf(this.#sql, sliced, selected, position) };
  }
}

type Unfiltered = Pick<KeysPage, "order" | "limit" | "after">;
type CountedPage = { rows: Row[]; counting: () => Promise<number> };

/** How to count keys at `now` (Unix ms). `first`: the rows of the first page, if it was read: others are counted. */
type Counting = { now: number; first: readonly Row[] };

/** Conditions on the keys of a table, and what cuts them into slices, from a position on. */
type Selection = {
  selected: Conditions;
  table: string;
  slices: (position?: Position) => AsyncIterable<Conditions> | Iterable<Conditions>;
  /** How many keys the table has, if it is one of few. */
  few?: number;
};

/** The statement that reads a page, up to `:limit` keys of a slice. */
function pageText(columns: string, { selected, table, few }: Selection, where: string, order: Order): string {
  const { orderBy } = keyOrders[order];
  const found = `FROM ${table} ${where} ${orderBy} LIMIT :limit`;
  if (few !== undefined) {
    const counted = `SELECT id, count(*) OVER () AS matching ${found}`;
    return `SELECT ${columns} FROM (${counted}) AS found JOIN ${TABLE} USING (id) ${orderBy}`;
  }
  if (table === TABLE && selected.texts.length === 0) return `SELECT ${columns} ${found}`;
  // A filter compares what an index has, and no rows of the table.
  return `SELECT ${columns} FROM ${TABLE} WHERE id IN (SELECT id ${found}) ${orderBy}`;
}
