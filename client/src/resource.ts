import { type Calls, type Identified, identified, type PetstorePromise } from "./calls.ts";
import { linkTo } from "./deprecation.ts";
import { unexpected } from "./errors.ts";
import { digitsOf, type IntegerMode, type IntegerOf, integerIn, integerOf, stringify, withJson } from "./int64.ts";
import type { CallOptions, ChangeOptions, CreateOptions, Operation } from "./options.ts";
import type { Call } from "./request.ts";
import type { Int64 } from "./schema.ts";

/** The largest page of the service, and the largest number of `ids` in a request. */
export const MOST = 100;

/** The parameters that are integers. */
const INTEGERS = ["limit", "after", "categoryId", "petId"];

/** The parameters of a query. Those that are undefined are not sent. */
export type Query = { readonly [name: string]: string | boolean | Int64 | readonly (string | Int64)[] | undefined };

/** The query of a list. */
type ListQuery = { [Name in "limit" | "after" | "order" | "ids"]?: Query[string] };

/** Returns the query string of a query, by name. @throws RangeError for a number that is not an exact integer */
export function queryText(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    search.set(name, `${[value].flat().map((one) => (typeof one === "number" ? digitsOf(one) : one))}`);
  }
  search.sort();
  const text = search.toString();
  return text && `?${text}`;
}

/**
 * Returns the query for the page that follows that of `query`; undefined on the last page.
 * @throws ConnectionError when the link to it is invalid, or does not lead on: an iteration would never end
 */
function nextQuery(query: ListQuery, headers: Headers, requestId: string): ListQuery | undefined {
  const address = linkTo("next", headers);
  if (!address) return undefined;
  const next = queryIn(address);
  if (!leadsOn(query, next)) throw unexpected("The response has an invalid link to the next page.", 200, requestId);
  return next;
}

/** Whether the page of `next` begins behind the start of the page of `query`, in the same order. */
function leadsOn({ after: start, order = "asc" }: ListQuery, { after, order: its = "asc" }: ListQuery): boolean {
  if (after === undefined || its !== order) return false;
  return start === undefined || (order === "desc" ? after < start : after > start);
}

/** Returns the query in a link. Only the query of the link counts: the key is sent only to the base address. */
export function queryIn(address: string): ListQuery {
  const search = new URLSearchParams(address.replace(/^[^?]*/, ""));
  const parsed = (name: string, text: string) => {
    const integers = text.split(",").flatMap((part) => integerIn(part) ?? []);
    return name === "ids" ? integers : INTEGERS.includes(name) ? integers[0] : text;
  };
  return Object.fromEntries([...search].map(([name, text]) => [name, parsed(name, text)]));
}

/** An iterator over the results of several requests. */
export interface PetstoreIterator<Item> extends AsyncGenerator<Item, void, undefined> {
  /**
   * Returns the next items as an array, at most `max`, and ends the iteration.
   *
   * @example
   * const sold = await petstore.pets({ status: "sold" }).toArray({ max: 1_000 });
   * @throws RangeError when `max` is less than 1; what the iteration throws
   */
  toArray(options: { readonly max: number }): Promise<Item[]>;
}

/** Adds `toArray` to an iterator. */
export function withToArray<Item>(items: AsyncGenerator<Item, void, undefined>): PetstoreIterator<Item> {
  const toArray = async ({ max }: { readonly max: number }) => {
    if (!(max >= 1)) throw new RangeError("max must be at least 1.");
    const taken: Item[] = [];
    for await (const item of items) if (taken.push(item) >= max) break;
    return taken;
  };
  return Object.assign(items, { toArray });
}

/** Iterates over the pages from this query on, each of 100 resources or `limit`. */
export async function* pagesFrom<Query extends ListQuery, Page extends { readonly next: Query | undefined }>(
  query: Query,
  list: (query: Query) => Promise<Page>,
): AsyncGenerator<Page, void, undefined> {
  let next: Query | undefined = { ...query, limit: query.limit ?? MOST };
  while (next) {
    const page: Page = await list(next);
    yield page;
    next = page.next;
  }
}

/** Iterates over the resources on pages. */
export async function* allOn<Page, Item>(
  pages: AsyncIterable<Page>,
  itemsOf: (page: Page) => Item[],
): AsyncGenerator<Item, void, undefined> {
  for await (const page of pages) yield* itemsOf(page);
}

/** A resource with its int64 fields in the type of the mode, also those of an object in it. */
export type Resource<Mode extends IntegerMode, Fields> = {
  [Field in keyof Fields]: Int64 extends Fields[Field]
    ? IntegerOf<Mode>
    : Fields[Field] extends object | null
      ? Resource<Mode, NonNullable<Fields[Field]>> | Extract<Fields[Field], null>
      : Fields[Field];
};

/** A query whose parameters may be undefined. */
export type QueryOf<Parameters> = { [Name in keyof Parameters]?: Parameters[Name] | undefined };

/**
 * A kind of resource: its name, the path and the operation of its list, its int64 fields, and those that the objects in it may have.
 */
export type Kind<Fields> = {
  name: string;
  path: string;
  list: Operation;
  integers: readonly (keyof Fields & string)[];
  nested?: readonly string[];
};

/** Makes the calls for one kind of resource. */
export class ResourceCalls<Fields, Mode extends IntegerMode> {
  readonly #calls: Calls;
  readonly #kind: Kind<Fields>;
  readonly #mode: Mode;

  constructor(calls: Calls, kind: Kind<Fields>, mode: Mode) {
    this.#calls = calls;
    this.#kind = kind;
    this.#mode = mode;
  }

  /** Lists a page. `pageOf` names its parts. */
  list<Query extends ListQuery, Page>(
    query: Query,
    options: CallOptions,
    pageOf: (resources: Identified<Resource<Mode, Fields>>[], next: Query | undefined) => Page,
  ): PetstorePromise<Page> {
    return this.#calls.run(
      () => this.#listCall(query, options),
      ({ value, response, requestId }) =>
        pageOf(this.identifiedIn(value, requestId), nextQuery(query, response.headers, requestId) as Query | undefined),
    );
  }

  create(operation: Operation, resource: object, options: CreateOptions): PetstorePromise<Resource<Mode, Fields>> {
    const { path } = this.#kind;
    return this.one(() => ({ operation, method: "POST", path, body: stringify(resource), options }));
  }

  get(operation: Operation, id: Int64, options: CallOptions): PetstorePromise<Resource<Mode, Fields>> {
    return this.one(() => ({ operation, method: "GET", path: this.#pathOf(id), options }));
  }

  delete(operation: Operation, id: Int64, options: ChangeOptions): PetstorePromise<void> {
    return this.#calls.run(
      () => ({ operation, method: "DELETE", path: this.#pathOf(id), options }),
      () => {},
    );
  }

  /** The call that changes a resource. */
  changeCall(operation: Operation, method: "PUT" | "PATCH", id: Int64, fields: object, options: ChangeOptions): Call {
    const read = this.#listCall({ ids: [id] }, options);
    return { operation, method, path: this.#pathOf(id), body: stringify(fields), read, options };
  }

  /** Makes a call that returns a resource. */
  one(start: () => Call | Promise<Call>): PetstorePromise<Resource<Mode, Fields>> {
    return this.#calls.run(start, ({ value, requestId }) => this.#resourceOf(value, requestId));
  }

  #pathOf(id: Int64): string {
    return `${this.#kind.path}/${digitsOf(id)}`;
  }

  #listCall(query: ListQuery, options: CallOptions): Call {
    const { list, path } = this.#kind;
    return { operation: list, method: "GET", path, query: queryText(query), options };
  }

  /** @throws ConnectionError when the value is not a list of these resources */
  resourcesOf(value: unknown, requestId: string): Resource<Mode, Fields>[] {
    if (!Array.isArray(value)) throw unexpected("The response is not a list.", 200, requestId);
    return value.map((one) => this.#resourceOf(one, requestId));
  }

  /** The same, each with the request id. */
  identifiedIn(value: unknown, requestId: string): Identified<Resource<Mode, Fields>>[] {
    return this.resourcesOf(value, requestId).map((one) => identified(one, requestId));
  }

  /** @throws ConnectionError when the value is not such a resource */
  #resourceOf(value: unknown, requestId: string): Resource<Mode, Fields> {
    const { name, integers, nested = [] } = this.#kind;
    const resource = this.#converted(value, integers, nested);
    if (!resource) throw unexpected(`The response is not ${name}.`, 200, requestId);
    // The other fields are not checked: the service guarantees its document.
    return resource as Resource<Mode, Fields>;
  }

  /** Converts the integers of an object to the mode, and those of the objects in it; undefined when it lacks one. */
  #converted(
    value: unknown,
    integers: readonly string[],
    nested: readonly string[],
  ): Record<string, unknown> | undefined {
    const fields: Record<string, unknown> = { ...Object(value) };
    for (const field of integers) {
      const integer = integerOf(fields[field], this.#mode);
      if (integer === undefined) return undefined;
      fields[field] = integer;
    }
    for (const [field, inner] of Object.entries(fields)) {
      const present = nested.filter((name) => name in Object(inner));
      if (present[0]) fields[field] = this.#converted(inner, present, nested);
    }
    return withJson(fields);
  }
}
