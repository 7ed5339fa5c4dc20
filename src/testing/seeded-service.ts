// Loaded with the module, so that starts need not wait for what they load on demand.
import "../adapters/listen/bun.ts";
import "../adapters/listen/node.ts";
import "../wiring/sqlite-stores.ts";
import { z } from "zod";
import { IN_MEMORY } from "../adapters/sqlite/errors.ts";
import { NewPet } from "../domain/pets.ts";
import { sampleShop } from "../domain/shop.ts";
import type { Clock } from "../domain/time.ts";
import { type Config, readConfig } from "../wiring/config.ts";
import type { Runtime } from "../wiring/runtime.ts";
import { type Service, startService } from "../wiring/service.ts";
import type { Stores } from "../wiring/stores.ts";
import { AUTHOR, SeededKeys } from "./keys.ts";
import { log } from "./log.ts";
import type { NewKey, Settings } from "./options.ts";
import type { IssuedKey, Pet } from "./petstore.ts";

/** A pet that a test creates. Its category may be a number. */
export const NewTestPet = NewPet.extend({
  categoryId: z
    .union([z.int64(), z.int().transform(BigInt)], { error: "must be an exact integer, or a bigint of 64 bits" })
    .pipe(NewPet.shape.categoryId),
});

/** Where a service listens, and its clock. */
type Place = Runtime & { port: number; clock: Clock };

/** A service on staging, with a database in memory and what its seed gives. */
export class SeededService {
  readonly firstKey: IssuedKey;
  readonly #service: Service;
  readonly #stores: Stores;
  readonly #keys: SeededKeys;
  readonly #clock: Clock;

  private constructor(service: Service, stores: Stores, keys: SeededKeys, firstKey: IssuedKey, clock: Clock) {
    this.firstKey = firstKey;
    this.#service = service;
    this.#stores = stores;
    this.#keys = keys;
    this.#clock = clock;
  }

  static async start({ key, pets, seed, now: start, corsOrigins }: Settings, place: Place): Promise<SeededService> {
    const { port, clock } = place;
    const keys = new SeededKeys(seed);
    const { promise: filled, resolve } = Promise.withResolvers<{ stores: Stores; firstKey: IssuedKey }>();
    const fill = async (stores: Stores) => {
      const now = start ?? clock();
      if (pets > 0) {
        const entry = { ...AUTHOR, at: now, action: "shop.replace" } as const;
        await stores.shop.replace(sampleShop({ pets, seed, now }), entry);
      }
      resolve({ stores, firstKey: await keys.create(key, stores, now) });
    };
    const config = configFor(port, corsOrigins);
    const service = await startService(config, log, place, { clock, fill });
    const { stores, firstKey } = await filled;
    return new SeededService(service, stores, keys, firstKey, clock);
  }

  /** The id of its key with this text. */
  keyId(key: string): string | undefined {
    return this.#keys.idOf(key);
  }

  createKey(key: NewKey): Promise<IssuedKey> {
    return this.#keys.create(key, this.#stores, this.#clock());
  }

  async createPet(pet: NewPet): Promise<Pet> {
    const { id, name, categoryId, status } = await this.#stores.pets.create(pet);
    const number = Number(categoryId);
    return { id, name, categoryId: Number.isSafeInteger(number) ? number : categoryId, status };
  }

  /** Stops it. Requests in flight fail. */
  stop(): Promise<void> {
    return this.#service.stop(0);
  }
}

function configFor(port: number, corsOrigins: string[]): Config {
  const config = readConfig({
    HOST: "127.0.0.1",
    PORT: String(port),
    PETSTORE_DEPLOYMENT: "staging",
    PETSTORE_ADMIN_PORT: "off",
    // Nobody could read it.
    PETSTORE_REQUEST_HISTORY: "0",
  });
  return { ...config, corsOrigins, database: { engine: "sqlite", path: IN_MEMORY } };
}
