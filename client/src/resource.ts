import type { CallOptions, ChangeOptions, CreateOptions } from "./call-options.ts";
import type { Calls } from "./calls.ts";
import { unexpected } from "./errors.ts";
import type { Operation } from "./events.ts";
import { digitsOf, type IntegerMode, type IntegerOf, integerOf, stringify, withJson } from "./int64.ts";
import { type ListQuery, nextQuery, queryText } from "./list-query.ts";
import type { PetstorePromise } from "./promise.ts";
import type { Call } from "./request.ts";
import type { Int64 } from "./schema.ts";

/** A resource with its int64 fields in the type of the mode. */
export type Resource<Mode extends IntegerMode, Fields> = {
  [Field in keyof Fields]: Int64 extends Fields[Field] ? IntegerOf<Mode> : Fields[Field];
};

/** A query whose parameters may be undefined. */
export type QueryOf<Parameters> = { [Name in keyof Parameters]?: Parameters[Name] | undefined };

/** A kind of resource: its name, the path and the operation of its list, and its int64 fields. */
export type Kind<Fields> = {
  name: string;
  path: string;
  list: Operation;
  integers: readonly (keyof Fields & string)[];
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
        pageOf(this.#resourcesOf(value, requestId), nextQuery(response.headers, requestId) as Query | undefined),
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
  #resourcesOf(value: unknown, requestId: string): Resource<Mode, Fields>[] {
    if (!Array.isArray(value)) throw unexpected("The response is not a list.", 200, requestId);
    return value.map((one) => this.#resourceOf(one, requestId));
  }

  /** Converts the integers of a resource to the mode. @throws ConnectionError when the value is not such a resource */
  #resourceOf(value: unknown, requestId: string): Resource<Mode, Fields> {
    const { name, integers } = this.#kind;
    const fields: Record<string, unknown> = { ...Object(value) };
    for (const field of integers) {
      const integer = integerOf(fields[field], this.#mode);
      if (integer === undefined) throw unexpected(`The response is not ${name}.`, 200, requestId);
      fields[field] = integer;
    }
    // The other fields are not checked: the service guarantees its document.
    return withJson(fields) as Resource<Mode, Fields>;
  }
}
