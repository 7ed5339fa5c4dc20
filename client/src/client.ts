import type { CallOptions, CreateOptions } from "./call-options.ts";
import { Calls, type Result } from "./calls.ts";
import { type CreatePetsOptions, type Creation, createEach } from "./create-pets.ts";
import { digitsOf, type IntegerMode, stringify } from "./int64.ts";
import type { RateLimits } from "./limits.ts";
import { type PetstoreOptions, settingsOf } from "./options.ts";
import { type NewPet, type Pet, type PetPage, type PetQuery, petOf, petsOf } from "./pet.ts";
import { nextQuery, queryText } from "./pet-query.ts";
import { type PetstorePromise, resultIn } from "./promise.ts";
import type { Call } from "./request.ts";
import type { Int64 } from "./schema.ts";
import { type Usage, usageOf } from "./usage.ts";

/** The largest page of the service, and the largest number of `ids` in a request. */
const MOST = 100;

const IDEMPOTENCY_KEY = /^[ -~]{1,255}$/;

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
  readonly #calls: Calls;
  readonly #mode: Mode;

  /**
   * Creates a client. @throws TypeError for a missing or invalid key, a key of the other deployment, or an invalid address
   * or `appInfo`
   */
  constructor(options: PetstoreOptions<Mode> = {}) {
    this.#calls = new Calls(settingsOf(options));
    this.#mode = options.integers ?? ("mixed" as Mode);
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
    return this.#call(
      () => ({ operation: "listPets", method: "GET", path: "/pets", query: queryText(query), options }),
      ({ value, response, requestId }) => ({
        pets: petsOf(value, this.#mode, requestId),
        next: nextQuery(response.headers, requestId),
      }),
    );
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
    const { idempotencyKey } = options;
    return this.#call(
      () => {
        if (idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(idempotencyKey)) {
          throw new RangeError("idempotencyKey must be 1 to 255 printable ASCII characters.");
        }
        const body = stringify(pet);
        return { operation: "createPet", method: "POST", path: "/pets", body, idempotencyKey, options };
      },
      ({ value, requestId }) => petOf(value, this.#mode, requestId),
    );
  }

  /**
   * Adds many pets, 10 at a time or `concurrency`, and yields each pet or its error, as they come. A failure does not end the
   * others; when `pets` itself fails or the signal aborts, the results so far are yielded, then the error is thrown.
   *
   * @example
   * for await (const { index, pet, error } of petstore.createPets(newPets, { concurrency: 20 })) {
   *   if (pet === undefined) console.log(index, error);
   * }
   */
  createPets(
    pets: Iterable<NewPet> | AsyncIterable<NewPet>,
    options: CreatePetsOptions = {},
  ): AsyncGenerator<Creation<Mode>, void, undefined> {
    const { idempotencyKey } = options;
    const create = async (pet: NewPet, index: number) =>
      this.createPet(pet, { ...options, idempotencyKey: idempotencyKey?.(pet, index) });
    return createEach(pets, create, options);
  }

  /**
   * Returns one pet.
   *
   * @deprecated since 20 November 2026, and removed on 5 December 2030. Use {@link getPetsByIds} instead.
   * @throws NotFoundError when the pet does not exist; RemovedError from 5 December 2030
   */
  getPet(id: Int64, options: CallOptions = {}): PetstorePromise<Pet<Mode>> {
    return this.#call(
      () => ({ operation: "getPet", method: "GET", path: `/pets/${digitsOf(id)}`, options }),
      ({ value, requestId }) => petOf(value, this.#mode, requestId),
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
    return this.#call(
      () => ({ operation: "getUsage", method: "GET", path: "/usage", isFree: true, options }),
      ({ value, requestId }) => usageOf(value, requestId),
    );
  }

  /**
   * Iterates over the pages of all matching pets, by id, ascending or in the `order` `desc`. `limit` is the size of a page,
   * 100 by default. To continue later, pass the `next` of the last page that you processed, or its `after`.
   *
   * @example
   * for await (const { pets, next } of petstore.pages({ after: saved })) await process(pets, next?.after);
   * @throws PetstoreError when the service refuses a page or it fails
   */
  async *pages(query: PetQuery = {}, options: CallOptions = {}): AsyncGenerator<PetPage<Mode>, void, undefined> {
    let next: PetQuery | undefined = { ...query, limit: query.limit ?? MOST };
    while (next !== undefined) {
      const page: PetPage<Mode> = await this.listPets(next, options);
      yield page;
      next = page.next;
    }
  }

  /**
   * Iterates over all matching pets, by id, ascending or in the `order` `desc`, page by page. `limit` is the size of a page,
   * 100 by default.
   *
   * @example
   * for await (const pet of petstore.pets({ status: "available" })) console.log(pet.id, pet.name);
   * @throws PetstoreError when the service refuses a page or it fails
   */
  async *pets(query: PetQuery = {}, options: CallOptions = {}): AsyncGenerator<Pet<Mode>, void, undefined> {
    for await (const { pets } of this.pages(query, options)) yield* pets;
  }

  /**
   * Returns the pets with these ids, of any number, by id, ascending, each once. Unknown ids are left out.
   *
   * @example
   * const [rex, mia] = await petstore.getPetsByIds([1, 2]);
   * @throws PetstoreError when it is refused or fails; RangeError for a number that is no exact integer
   */
  async getPetsByIds(ids: Iterable<Int64>, options: CallOptions = {}): Promise<Pet<Mode>[]> {
    const wanted = [...new Set(Array.from(ids, (id) => BigInt(digitsOf(id))))].sort((a, b) => (a < b ? -1 : 1));
    const found: Pet<Mode>[] = [];
    for (let start = 0; start < wanted.length; start += MOST) {
      const query = { ids: wanted.slice(start, start + MOST), limit: MOST };
      found.push(...(await this.listPets(query, options)).pets);
    }
    return found;
  }

  /** Makes the call of `start` and returns what `read` finds in its result. What they throw rejects the promise. */
  #call<Data>(start: () => Call, read: (result: Result) => Data): PetstorePromise<Data> {
    const call = async () => {
      const result = await this.#calls.make(start());
      return { data: read(result), response: result.response, requestId: result.requestId };
    };
    return resultIn(call());
  }
}
