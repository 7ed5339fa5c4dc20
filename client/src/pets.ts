import type { Identified } from "./calls.ts";
import { unexpected } from "./errors.ts";
import type { IntegerMode } from "./int64.ts";
import type { CallOptions } from "./options.ts";
import type { Kind, QueryOf, Resource } from "./resource.ts";
import type { components, operations } from "./schema.ts";

type Schemas = components["schemas"];

/** Availability of a pet: `available`, `pending` or `sold`. */
export type PetStatus = Schemas["PetStatus"];

/** A pet to add: `name`, `categoryId` and, optionally, `status`, by default `available`. */
export type NewPet = Schemas["NewPet"];

/** The fields of a pet to change. */
export type PetPatch = Schemas["PetPatch"];

/**
 * A pet in the catalogue. With `"bigint"` its `id` and `categoryId` are always bigints. `JSON.stringify` writes them with all
 * digits; where the platform lacks `JSON.rawJSON`, a bigint beyond 2^53 becomes a string.
 */
export type Pet<Mode extends IntegerMode = "mixed"> = Resource<Mode, Schemas["Pet"]>;

/**
 * The pets to list: with this `status`, `categoryId` and `name` (in any case; `Rex*` for all that begin so, `Rex\\*` for the name
 * `Rex*`), among these `ids` (1 to 100); at most `limit` (1 to 100) per page. By id: ascending with ids above `after`, or in the
 * `order` `desc` with ids below it.
 */
export type PetQuery = QueryOf<NonNullable<operations["listPets"]["parameters"]["query"]>>;

/** A page of pets, by id, in the order of the query. */
export interface PetPage<Mode extends IntegerMode = "mixed"> {
  /** The pets on this page, possibly none, also where more follow: `next` says whether they do. */
  readonly pets: Identified<Pet<Mode>>[];
  /** The query for the next page; undefined on the last page. */
  readonly next: PetQuery | undefined;
}

export const PET: Kind<Schemas["Pet"]> = {
  name: "a pet",
  path: "/pets",
  list: "listPets",
  integers: ["id", "categoryId"],
};

/** The number of pets of each status. */
export type Inventory = { readonly [Status in PetStatus]: number };

/** Returns the inventory in a response. @throws ConnectionError when the value is not an inventory */
export function inventoryOf(value: unknown, requestId: string): Inventory {
  const inventory = Object(value);
  for (const status of ["available", "pending", "sold"]) {
    if (!Number.isSafeInteger(inventory[status])) throw unexpected("The response is not an inventory.", 200, requestId);
  }
  return inventory;
}

/** The options of many creations; those of a call apply to each request. */
export interface CreatePetsOptions extends CallOptions {
  /** How many requests are under way at a time. By default 10. */
  readonly concurrency?: number | undefined;
  /** Called after each creation. It must not throw. */
  readonly onProgress?: ((progress: CreationProgress) => void) | undefined;
  /**
   * Chooses the idempotency key of each pet, so that a program that restarts adds no pet twice: each pet is then a request of its
   * own. By default each request has a new key, which makes its retries safe.
   */
  readonly idempotencyKey?: ((pet: NewPet, index: number) => string) | undefined;
}

/** How many creations succeeded and failed so far. */
export interface CreationProgress {
  /** The number of pets that were added. */
  readonly created: number;
  /** The number of creations that failed. */
  readonly failed: number;
}

/** The result of one of many creations: the pet that was added, or the error. `index` is its position in the input, from 0. */
export type Creation<Mode extends IntegerMode = "mixed"> =
  | { readonly index: number; readonly newPet: NewPet; readonly pet: Identified<Pet<Mode>>; readonly error?: undefined }
  | { readonly index: number; readonly newPet: NewPet; readonly pet?: undefined; readonly error: unknown };

/** Pets to add. */
type NewPets = (Iterable<NewPet> | AsyncIterable<NewPet>) & { length?: number };

/**
 * Creates pets with `create`, those of an array `sizeOf()` at a time, and yields the results as they come. While that is 0, one request
 * is under way, for one pet. Of pets whose content is refused together, each is created alone.
 */
export async function* createEach<Mode extends IntegerMode>(
  pets: NewPets,
  create: (pets: [NewPet, ...NewPet[]], index: number) => Promise<Identified<Pet<Mode>>[]>,
  sizeOf: () => number,
  { concurrency = 10, onProgress, signal }: CreatePetsOptions,
): AsyncGenerator<Creation<Mode>, void, undefined> {
  if (!(concurrency >= 1)) throw new RangeError("concurrency must be at least 1.");
  const running = new Map<number, Promise<Creation<Mode>[]>>();
  const progress = { created: 0, failed: 0 };
  const resultsUntil = async function* (most: number) {
    while (running.size > most) {
      for (const result of await Promise.race(running.values())) {
        running.delete(result.index);
        progress[result.pet === undefined ? "failed" : "created"] += 1;
        onProgress?.({ ...progress });
        yield result;
      }
    }
  };
  const createAll = async (group: NewPet[], first: number): Promise<Creation<Mode>[]> => {
    const contexts = group.map((newPet, i) => ({ index: first + i, newPet }));
    try {
      const created = await create(group as [NewPet], first);
      return contexts.map((context, i) => ({ ...context, pet: created[i] as Identified<Pet<Mode>> }));
    } catch (error) {
      // A number that is no exact integer has no status.
      const isRefused = [400, 413, undefined].includes(Object(error).status) && group[1];
      if (!isRefused) return contexts.map((context) => ({ ...context, error }));
      return (await Promise.all(contexts.map(({ index, newPet }) => createAll([newPet], index)))).flat();
    }
  };
  let index = 0;
  let group: NewPet[] = [];
  try {
    for await (const newPet of pets) {
      signal?.throwIfAborted();
      // What has no length is not waited for.
      if (group.push(newPet) < Math.min(sizeOf(), Number(pets.length) - index)) continue;
      running.set(index, createAll(group, index));
      index += group.length;
      group = [];
      yield* resultsUntil(sizeOf() && concurrency - 1);
    }
  } catch (error) {
    // `pets` failed, or the signal aborted: the results of the creations under way are not lost.
    yield* resultsUntil(0);
    throw error;
  }
  yield* resultsUntil(0);
}
