import type { Author } from "../domain/audit.ts";
import { fixedSecret, hashOf, type Key } from "../domain/keys/key.ts";
import type { Stores } from "../wiring/stores.ts";
import type { NewKey } from "./options.ts";
import type { IssuedKey } from "./petstore.ts";

/** The author of what a test does to a pet store. */
export const AUTHOR: Author = { operator: { name: "petstore/testing" } };

/** Creates the keys of a pet store: the same ones for the same seed. */
export class SeededKeys {
  readonly #seed: number;
  readonly #ids = new Map<string, string>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** The id of the key with this text. */
  idOf(key: string): string | undefined {
    return this.#ids.get(key);
  }

  async create(
    { plan, limits, scopes, expiresAt }: NewKey,
    { keys }: Pick<Stores, "keys">,
    now: number,
  ): Promise<IssuedKey> {
    const number = this.#ids.size + 1;
    const id = `key_test${String(number).padStart(12, "0")}`;
    const secret = fixedSecret("staging", `seed${this.#seed}key${number}x`);
    this.#ids.set(secret, id);
    const key: Key = {
      ...{ id, name: `test key ${number}`, plan, limits, scopes },
      createdAt: now,
      ...(expiresAt !== undefined && { expiresAt }),
    };
    const stored = { hash: hashOf(secret), keyId: id, lastFour: secret.slice(-4), createdAt: now };
    await keys.add(key, stored, { ...AUTHOR, at: now, action: "key.create", target: id, after: key });
    return { id, key: secret };
  }
}
