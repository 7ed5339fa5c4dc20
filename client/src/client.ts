import { Calls, type Identified, type PetstorePromise } from "./calls.ts";
import { Categories } from "./categories.ts";
import { NotFoundError, unexpected } from "./errors.ts";
import { type Event, type EventQuery, follow } from "./events.ts";
import { digitsOf, type IntegerMode, stringify } from "./int64.ts";
import type { RateLimits } from "./limits.ts";
import {
  type CallOptions,
  type ChangeOptions,
  type CreateOptions,
  type PetstoreOptions,
  settingsOf,
} from "./options.ts";
import { Orders } from "./orders.ts";
import {
  type CreatePetsOptions,
  type Creation,
  createEach,
  type Inventory,
  inventoryOf,
  type NewPet,
  PET,
  type Pet,
  type PetPage,
  type PetPatch,
  type PetQuery,
} from "./pets.ts";
import type { Call } from "./request.ts";
import {
  allOn,
  MOST,
  type PetstoreIterator,
  pagesFrom,
  type Query,
  queryText,
  ResourceCalls,
  withToArray,
} from "./resource.ts";
import type { components, Int64 } from "./schema.ts";

type Schemas = components["schemas"];

/** The requests of a key in one hour: by class of their status, where 4xx is without 429, and by operation. */
export type UsageHour = Omit<Schemas["UsageHour"], "byClass"> & {
  byClass: Record<"2xx" | "4xx" | "429" | "5xx", number>;
};

/** What a key has used and has left. Times are in UTC (RFC 3339). */
export type Usage = Omit<Schemas["Usage"], "last24Hours"> & { last24Hours: UsageHour[] };

/** The options of a `request`. */
export interface RequestOptions extends CreateOptions, ChangeOptions {
  /** The parameters of the query. Several values of one are separated by commas. */
  readonly query?: Query | undefined;
  /** The body, written as JSON, with all digits of bigints. */
  readonly body?: unknown;
  /** Whether the operation counts in none of the limits, as `/usage` does: then it never waits for them. */
  readonly isFree?: boolean | undefined;
}

/** Returns the usage in a response. @throws ConnectionError when the value is not an object */
function usageOf(value: unknown, requestId: string): Usage {
  if (!Object(value).plan) throw unexpected("The response is not the usage.", 200, requestId);
  // The other fields are not checked: the service guarantees its document.
  return value as Usage;
}

/**
 * A client of the Petstore service. Share one client per key: it stays within the limits of its key, however many calls
 * are concurrent.
 *
 * @example
 * const petstore = new PetstoreClient({ apiKey: "pets_live_…" });
 * const rex = await petstore.createPet({ name: "Rex", categoryId: 1 });
 * for await (const pet of petstore.pets({ status: "available" })) console.log(pet.name);
 */
export class PetstoreClient<const Mode extends IntegerMode = "mixed"> {
  /** The categories of pets. */
  readonly categories: Categories<Mode>;
  /** The orders of pets. */
  readonly orders: Orders<Mode>;
  readonly #calls: Calls;
  readonly #mode: Mode;
  readonly #pets: ResourceCalls<components["schemas"]["Pet"], Mode>;

  /**
   * Creates a client. @throws TypeError for a missing or invalid key, a key of the other deployment, or an invalid address
   * or `appInfo`
   */
  constructor(options: PetstoreOptions<Mode> = {}) {
    this.#calls = new Calls(settingsOf(options));
    const mode = options.integers ?? ("mixed" as Mode);
    this.#mode = mode;
    this.#pets = new ResourceCalls(this.#calls, PET, mode);
    this.categories = new Categories(this.#calls, mode);
    this.orders = new Orders(this.#calls, mode);
  }

  /** The limit state of the key, from the last responses. */
  get rateLimits(): RateLimits {
    return this.#calls.limits;
  }

  /**
   * Returns a page of pets, by id, ascending or in the `order` `desc`: 20 by default, all of `ids`, or `limit`.
   *
   * @example
   * const { pets, next } = await petstore.listPets({ status: "sold", limit: 50 });
   * if (next) await petstore.listPets(next);
   * @throws PetstoreError when it is refused or fails; RangeError for a number that is no exact integer
   */
  listPets(query: PetQuery = {}, options: CallOptions = {}): PetstorePromise<PetPage<Mode>> {
    return this.#pets.list(query, options, (pets, next) => ({ pets, next }));
  }

  /**
   * Adds a pet. Retries never add it twice.
   *
   * @example
   * const mia = await petstore.createPet({ name: "Mia", categoryId: 9223372036854775807n, status: "sold" });
   * @throws PetstoreError when the service refuses the call or it fails; RangeError for a number that is not an exact
   * integer, or an invalid idempotency key
   */
  createPet(pet: NewPet, options: CreateOptions = {}): PetstorePromise<Pet<Mode>> {
    return this.#pets.create("createPet", pet, options);
  }

  /**
   * Adds many pets, those of an array up to 100 in a request, with 10 requests at a time or `concurrency`, and yields each pet or
   * its error, as they come. A failure does not end the others; when `pets` itself fails or the signal aborts, the results so far
   * are yielded, then the error is thrown.
   *
   * @example
   * for await (const { index, pet, error } of petstore.createPets(newPets, { concurrency: 20 })) {
   *   if (pet === undefined) console.log(index, error);
   * }
   */
  createPets(
    pets: Iterable<NewPet> | AsyncIterable<NewPet>,
    options: CreatePetsOptions = {},
  ): PetstoreIterator<Creation<Mode>> {
    const { idempotencyKey, ...others } = options;
    const create = async (group: [NewPet, ...NewPet[]], index: number): Promise<Identified<Pet<Mode>>[]> =>
      group[1]
        ? this.#calls.run(
            () => ({
              operation: "createPets",
              method: "POST",
              path: "/pets/batch",
              body: stringify({ pets: group }),
              cost: group.length,
              options: others,
            }),
            ({ value, requestId }) => this.#pets.identifiedIn(Object(value).pets, requestId),
          )
        : [await this.createPet(group[0], { ...others, idempotencyKey: idempotencyKey?.(group[0], index) })];
    const limits = () => Object.values(this.rateLimits).map(({ limit }) => limit);
    // The keys of pets are not those of batches.
    const sizeOf = () => (idempotencyKey ? 1 : limits()[0] && Math.min(MOST, ...limits())) ?? 0;
    return withToArray(createEach(pets, create, sizeOf, options));
  }

  /**
   * Returns one pet.
   *
   * @deprecated since 20 November 2026, and removed on 5 December 2030. Use {@link getPetsByIds} instead.
   * @throws NotFoundError when the pet does not exist; RemovedError from 5 December 2030
   */
  getPet(id: Int64, options: CallOptions = {}): PetstorePromise<Pet<Mode>> {
    return this.#pets.get("getPet", id, options);
  }

  /**
   * Changes a pet depending on its state: reads it, and changes it only if it has not changed since. Otherwise it reads the
   * pet and calls `decide` again, up to `maxRetries` times, so that no change by others is lost.
   *
   * @example
   * await petstore.updatePet(1, ({ name }) => ({ name: name.toUpperCase() }));
   * @throws what `decide` throws; PreconditionError when the pet changed each time; see also below
   */
  updatePet(
    id: Int64,
    decide: (pet: Pet<Mode>) => PetPatch | Promise<PetPatch>,
    options?: CallOptions,
  ): PetstorePromise<Pet<Mode>>;

  /**
   * Changes the fields of a pet that the patch names. After a lost response, a 409 or 412 may be due to the request that was
   * lost: if the pet has these fields, the call returns it.
   *
   * @example
   * await petstore.updatePet(1, { status: "sold" });
   * @throws ConflictError when the status cannot follow the current one, or an order holds the pet; NotFoundError when it does
   * not exist; PreconditionError when it has another ETag than `ifMatch`
   */
  updatePet(id: Int64, patch: PetPatch, options?: ChangeOptions): PetstorePromise<Pet<Mode>>;

  updatePet(
    id: Int64,
    change: PetPatch | ((pet: Pet<Mode>) => PetPatch | Promise<PetPatch>),
    options: ChangeOptions = {},
  ): PetstorePromise<Pet<Mode>> {
    const update = (patch: PetPatch, own: ChangeOptions) => this.#pets.changeCall("updatePet", "PATCH", id, patch, own);
    if (typeof change !== "function") return this.#pets.one(() => update(change, options));
    const renew = async (): Promise<Call> => {
      const { data, response, requestId } = await this.listPets({ ids: [id] }, options).withResponse();
      const [pet] = data.pets;
      if (pet === undefined) {
        throw new NotFoundError("There is no pet with this id.", { code: "pet_not_found", status: 404, requestId });
      }
      const ifMatch = response.headers.get("ETag");
      if (!ifMatch) throw unexpected("The response has no ETag.", 200, requestId);
      return { ...update(await change(pet), { ...options, ifMatch }), renew };
    };
    return this.#pets.one(renew);
  }

  /**
   * Removes a pet for good. After a lost response, a pet that does not exist counts as removed.
   *
   * @example
   * await petstore.deletePet(1);
   * @throws NotFoundError when it does not exist; ConflictError `pet_reserved` while an order holds it; PreconditionError when
   * it has another ETag than `ifMatch`
   */
  deletePet(id: Int64, options: ChangeOptions = {}): PetstorePromise<void> {
    return this.#pets.delete("deletePet", id, options);
  }

  /**
   * Returns the number of pets of each status.
   *
   * @example
   * const { available } = await petstore.inventory();
   * @throws PetstoreError when it is refused or fails
   */
  inventory(options: CallOptions = {}): PetstorePromise<Inventory> {
    return this.#calls.run(
      () => ({ operation: "getInventory", method: "GET", path: "/store/inventory", options }),
      ({ value, requestId }) => inventoryOf(value, requestId),
    );
  }

  /**
   * Returns what the key has used and has left: its windows, strikes, ban, and requests of the last 24 hours. It counts in
   * none of the limits, and never waits for them.
   *
   * @example
   * const { plan, day } = await petstore.usage();
   * @throws PetstoreError when it is refused or fails
   */
  usage(options: CallOptions = {}): PetstorePromise<Usage> {
    return this.#calls.run(
      () => ({ operation: "getUsage", method: "GET", path: "/usage", isFree: true, options }),
      ({ value, requestId }) => usageOf(value, requestId),
    );
  }

  /**
   * Calls an operation that this version has no method for, such as one of a newer service: with the limits, the retries and the
   * errors of all calls. `path` follows the base address. `Data` is not checked; its integers are numbers if exact, otherwise
   * bigints.
   *
   * @example
   * const pet = await petstore.request<Pet>("PATCH", "/pets/1", { body: { status: "sold" } });
   * @throws PetstoreError when it is refused or fails; RangeError for a number that is not an exact integer
   */
  request<Data = unknown>(
    method: Call["method"],
    path: `/${string}`,
    { query = {}, body, isFree, ...options }: RequestOptions = {},
  ): PetstorePromise<Data> {
    return this.#calls.run(
      () => ({
        // Without ids, so that it names the operation.
        operation: `${method} ${path.replace(/\d+/g, "{id}")}`,
        method,
        path,
        query: queryText(query),
        body: body === undefined ? body : stringify(body),
        isFree,
        options,
      }),
      ({ value }) => value as Data,
    );
  }

  /**
   * Iterates over the events of all changes from `after` on, and waits for more, without an end: leave the loop, or abort `signal`.
   * It continues after errors of the service and of the network. Store the `id` of the last event that you processed, and pass it
   * as `after` to continue later. Without it you get what the service has kept.
   *
   * @example
   * for await (const event of petstore.events({ after: saved })) await process(event);
   * @throws PetstoreError `position_expired` when events behind `after` were deleted: copy the lists again
   */
  events(query: EventQuery = {}, options: CallOptions = {}): PetstoreIterator<Event<Mode>> {
    return withToArray(follow(this.#calls, this.#mode, query, options));
  }

  /**
   * Iterates over the pages of all matching pets, by id, ascending or in the `order` `desc`. `limit` is the size of a page,
   * 100 by default. To continue later, pass the `next` of the last page that you processed, or its `after`.
   *
   * @example
   * for await (const { pets, next } of petstore.pages({ after: saved })) await process(pets, next?.after);
   * @throws PetstoreError when the service refuses a page or it fails
   */
  pages(query: PetQuery = {}, options: CallOptions = {}): PetstoreIterator<Identified<PetPage<Mode>>> {
    return withToArray(pagesFrom(query, (next) => this.listPets(next, options)));
  }

  /**
   * Iterates over all matching pets, by id, ascending or in the `order` `desc`, page by page. `limit` is the size of a page,
   * 100 by default.
   *
   * @example
   * for await (const pet of petstore.pets({ status: "available" })) console.log(pet.id, pet.name);
   * @throws PetstoreError when the service refuses a page or it fails
   */
  pets(query: PetQuery = {}, options: CallOptions = {}): PetstoreIterator<Identified<Pet<Mode>>> {
    return withToArray(allOn(this.pages(query, options), ({ pets }) => pets));
  }

  /**
   * Returns the pets with these ids, of any number, by id, ascending, each once. Unknown ids are left out.
   *
   * @example
   * const [rex, mia] = await petstore.getPetsByIds([1, 2]);
   * @throws PetstoreError when it is refused or fails; RangeError for a number that is no exact integer
   */
  async getPetsByIds(ids: Iterable<Int64>, options: CallOptions = {}): Promise<Identified<Pet<Mode>>[]> {
    const wanted = [...new Set(Array.from(ids, (id) => BigInt(digitsOf(id))))];
    const found: Identified<Pet<Mode>>[] = [];
    while (wanted.length > 0) {
      found.push(...(await this.listPets({ ids: wanted.splice(0, MOST), limit: MOST }, options)).pets);
    }
    return found.sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}
