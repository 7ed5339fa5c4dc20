import { Calls, type Result } from "./calls.ts";
import { unexpected } from "./errors.ts";
import { digitsOf, type IntegerMode, integerIn, stringify } from "./int64.ts";
import type { RateLimits } from "./limits.ts";
import { linkTo } from "./link.ts";
import { type PetstoreOptions, settingsOf } from "./options.ts";
import { type NewPet, type Pet, type PetPage, type PetQuery, petOf } from "./pet.ts";
import type { Int64 } from "./schema.ts";

/** The largest page of the service, and the largest number of `ids` in a request. */
const MOST = 100;

const IDEMPOTENCY_KEY = /^[ -~]{1,255}$/;

/** The options of every call. */
export interface CallOptions {
  /** Aborts the call, also while it waits. The call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The options of a creation. */
export interface CreateOptions extends CallOptions {
  /**
   * The idempotency key: within 24 hours, creations with the same key add one pet. 1 to 255 printable ASCII characters.
   * By default each call has a new key, which makes its retries safe.
   */
  readonly idempotencyKey?: string | undefined;
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
  readonly #calls: Calls;
  readonly #mode: Mode;

  /** Creates a client. @throws TypeError for an invalid key, a key of the other deployment, or an invalid address */
  constructor(options: PetstoreOptions<Mode>) {
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
  async listPets(query: PetQuery = {}, options: CallOptions = {}): Promise<PetPage<Mode>> {
    const text = queryText(query);
    const result = await this.#calls.make({ operation: "listPets", path: `/pets${text}`, ...options });
    const address = linkTo("next", result.headers);
    const next = address === undefined ? undefined : queryIn(address);
    if (next !== undefined && next.after === undefined) {
      throw unexpected("The response has an invalid link to the next page.", 200, result.requestId);
    }
    return { pets: this.#petsIn(result), next };
  }

  /**
   * Adds a pet. Retries never add it twice.
   *
   * @example
   * const mia = await petstore.createPet({ name: "Mia", categoryId: 9223372036854775807n, status: "sold" });
   * @throws PetstoreError when the service refuses the call or it fails; RangeError for a number that is not an exact
   * integer, or an invalid idempotency key
   */
  async createPet(pet: NewPet, options: CreateOptions = {}): Promise<Pet<Mode>> {
    if (options.idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(options.idempotencyKey)) {
      throw new RangeError("idempotencyKey must be 1 to 255 printable ASCII characters.");
    }
    const call = { operation: "createPet", path: "/pets", body: stringify(pet), ...options } as const;
    const { value, requestId } = await this.#calls.make(call);
    return petOf(value, this.#mode, requestId);
  }

  /**
   * Returns one pet.
   *
   * @deprecated since 1 December 2026, and removed on 5 December 2030. Use {@link getPetsByIds} instead.
   * @throws NotFoundError when the pet does not exist; RemovedError from 5 December 2030
   */
  async getPet(id: Int64, options: CallOptions = {}): Promise<Pet<Mode>> {
    const call = { operation: "getPet", path: `/pets/${digitsOf(id)}`, ...options } as const;
    const { value, requestId } = await this.#calls.make(call);
    return petOf(value, this.#mode, requestId);
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
    let page: PetPage<Mode> | undefined;
    do {
      page = await this.listPets(page?.next ?? { ...query, limit: query.limit ?? MOST }, options);
      yield* page.pets;
    } while (page.next !== undefined);
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

  #petsIn({ value, requestId }: Result): Pet<Mode>[] {
    if (!Array.isArray(value)) throw unexpected("The response is not a list of pets.", 200, requestId);
    return value.map((pet) => petOf(pet, this.#mode, requestId));
  }
}

/** Returns the query string of a query. */
function queryText({ limit, status, after, order, ids }: PetQuery): string {
  const query = new URLSearchParams();
  if (limit !== undefined) query.set("limit", String(limit));
  if (status !== undefined) query.set("status", status);
  if (after !== undefined) query.set("after", digitsOf(after));
  if (order !== undefined) query.set("order", order);
  if (ids !== undefined) query.set("ids", ids.map(digitsOf).join());
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** Returns the query in a link. Only the query of the link counts: the key is sent only to the base address. */
function queryIn(address: string): PetQuery {
  const query = new URLSearchParams(address.slice(address.indexOf("?") + 1));
  const integers = (name: string) => query.get(name)?.split(",").map(integerIn);
  const [limit, after, ids] = [query.get("limit"), integers("after")?.[0], integers("ids")];
  const [status, order] = [query.get("status"), query.get("order")];
  return {
    ...(limit !== null && { limit: Number(limit) }),
    ...(status !== null && { status: status as NonNullable<PetQuery["status"]> }),
    ...(after !== undefined && { after }),
    ...(order !== null && { order: order as NonNullable<PetQuery["order"]> }),
    ...(ids !== undefined && { ids: ids.filter((id) => id !== undefined) }),
  };
}
