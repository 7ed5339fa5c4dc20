import type { CallOptions } from "./call-options.ts";
import type { IntegerMode } from "./int64.ts";
import type { NewPet, Pet } from "./pet.ts";

/** The options of many creations; those of a call apply to each creation. */
export interface CreatePetsOptions extends CallOptions {
  /** How many creations are under way at a time. By default 10. */
  readonly concurrency?: number | undefined;
  /** Called after each creation. It must not throw. */
  readonly onProgress?: ((progress: CreationProgress) => void) | undefined;
  /**
   * Chooses the idempotency key of each pet, so that a program that restarts adds no pet twice. By default each creation
   * has a new key, which makes its retries safe.
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
  | { readonly index: number; readonly newPet: NewPet; readonly pet: Pet<Mode>; readonly error?: undefined }
  | { readonly index: number; readonly newPet: NewPet; readonly pet?: undefined; readonly error: unknown };

/** Creates each pet with `create`, some at a time, and yields the results as they come. */
export async function* createEach<Mode extends IntegerMode>(
  pets: Iterable<NewPet> | AsyncIterable<NewPet>,
  create: (pet: NewPet, index: number) => Promise<Pet<Mode>>,
  { concurrency = 10, onProgress, signal }: CreatePetsOptions,
): AsyncGenerator<Creation<Mode>, void, undefined> {
  if (!(concurrency >= 1)) throw new RangeError("concurrency must be at least 1.");
  const running = new Map<number, Promise<Creation<Mode>>>();
  const progress = { created: 0, failed: 0 };
  const nextResult = async () => {
    const result = await Promise.race(running.values());
    running.delete(result.index);
    progress[result.pet === undefined ? "failed" : "created"] += 1;
    onProgress?.({ ...progress });
    return result;
  };
  const rest = async function* () {
    while (running.size > 0) yield await nextResult();
  };
  let index = 0;
  try {
    for await (const newPet of pets) {
      signal?.throwIfAborted();
      const context = { index, newPet };
      const creation = create(newPet, index).then(
        (pet) => ({ ...context, pet }),
        (error: unknown) => ({ ...context, error }),
      );
      running.set(index++, creation);
      if (running.size >= concurrency) yield await nextResult();
    }
  } catch (error) {
    // `pets` failed, or the signal aborted: the results of the creations under way are not lost.
    yield* rest();
    throw error;
  }
  yield* rest();
}
