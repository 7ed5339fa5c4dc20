import type { Calls, PetstorePromise } from "./calls.ts";
import { linkTo } from "./deprecation.ts";
import { unexpected } from "./errors.ts";
import { digitsOf, type IntegerMode, type IntegerOf, integerIn, integerOf, stringify, withJson } from "./int64.ts";
import type { CallOptions, ChangeOptions, CreateOptions, Operation } from "./options.ts";
import type { Call } from "./request.ts";
import type { Int64 } from "./schema.ts";

/** The largest page of the service, and the largest number of `ids` in a request. */
export const MOST = 100;

/** The parameters of lists, in the order in which they are sent. */
const PARAMETERS = ["limit", "status", "after", "order", "ids", "categoryId", "name", "petId", "reference"] as const;
const TEXTS: readonly string[] = ["status", "order", "name", "reference"];

/** A query of any list. */
type ListQuery = {
  [Parameter in (typeof PARAMETERS)[number]]?: string | Int64 | readonly Int64[] | undefined;
};

/** Returns the query string of a query. @throws RangeError for a number that is not an exact integer */
function queryText(query: ListQuery): string {
  const search = new URLSearchParams();
  for (const name of PARAMETERS) {
    const value = query[name];
    if (value === undefined) continue;
    search.set(name, typeof value === "string" ? value : [value].flat().map(digitsOf).join());
  }
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}

/**
 * Returns the query for the page that follows that of `query`; undefined on the last page.
 * @throws ConnectionError when the link to it is invalid, or does not lead on: an iteration would never end
 */
function nextQuery(query: ListQuery, headers: Headers, requestId: string): ListQuery | undefined {
  const address = linkTo("next", headers);
  if (address === undefined) return undefined;
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
function queryIn(address: string): ListQuery {
  const search = new URLSearchParams(address.slice(address.indexOf("?") + 1));
  const query: ListQuery = {};
  for (const name of PARAMETERS) {
    const text = search.get(name);
    if (text === null) continue;
    const integers = text.split(",").flatMap((part) => integerIn(part) ?? []);
    query[name] = TEXTS.includes(name) ? text : name === "ids" ? integers : integers[0];
  }
  return query;
}

/** Iterates over the pages from this query on, each of 100 resources or `limit`. */
export async function* pagesFrom<Query extends ListQuery, Page extends { readonly next: Query | undefined }>(
  query: Query,
  list: (query: Query) => Promise<Page>,
): AsyncGenerator<Page, void, undefined> {
  let next: Query | undefined = { ...query, limit: query.limit ?? MOST };
  while (next !== undefined) {
    const page: Page = await list(next);
    yield page;
    next = page.next;
  }
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
 * A kind of resource: its name, the path and the operation of its list, its int64 fields, and the objects in it, which may be null,
 * with those that they may have.
 */
export type Kind<Fields> = {
  name: string;
  path: string;
  list: Operation;
  integers: readonly (keyof Fields & string)[];
  objects?: { readonly [field: string]: readonly string[] };
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
    pageOf: (resources: Resource<Mode, Fields>[], next: Query | undefined) => Page,
  ): PetstorePromise<Page> {
    return this.#calls.run(
      () => this.#listCall(query, options),
      ({ value, response, requestId }) =>
        pageOf(this.resourcesOf(value, requestId), nextQuery(query, response.headers, requestId) as Query | undefined),
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

  /** @throws ConnectionError when the value is not such a resource */
  #resourceOf(value: unknown, requestId: string): Resource<Mode, Fields> {
    const { name, integers, objects = {} } = this.#kind;
    const resource = this.#converted(value, integers);
    for (const [field, its] of Object.entries(objects)) {
      const object = resource?.[field];
      if (resource && object)
        resource[field] = this.#converted(
          object,
          its.filter((name) => name in Object(object)),
        );
    }
    if (resource === undefined) throw unexpected(`The response is not ${name}.`, 200, requestId);
    // The other fields are not checked: the service guarantees its document.
    return resource as Resource<Mode, Fields>;
  }

  /** Converts the integers of an object to the mode; undefined when it lacks one. */
  #converted(value: unknown, integers: readonly string[]): Record<string, unknown> | undefined {
    const fields: Record<string, unknown> = { ...Object(value) };
    for (const field of integers) {
      const integer = integerOf(fields[field], this.#mode);
      if (integer === undefined) return undefined;
      fields[field] = integer;
    }
    return withJson(fields);
  }
}
