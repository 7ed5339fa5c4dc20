import type { Author } from "../domain/audit/entry.ts";
import type { Key } from "../domain/keys/key.ts";
import { ALPHABET, hashOf, newSecret } from "../domain/keys/secret.ts";
import { type Random, randomFrom } from "../domain/random.ts";
import type { Stores } from "../wiring/stores.ts";
import type { NewKey } from "./options.ts";
import type { IssuedKey } from "./petstore.ts";

/** The author of what a test does to a pet store. */
export const AUTHOR: Author = { operator: { name: "petstore/testing" } };
const ID_LENGTH = 16;

/** Creates the keys of a pet store: the same ones for the same seed. */
export class SeededKeys {
  readonly #random: Random;
  readonly #ids = new Map<string, string>();

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  /** The id of the key with this text. */
  idOf(key: string): string | undefined {
    return this.#ids.get(key);
  }

  async create({ plan, limits, scopes, expiresAt }: NewKey, stores: Stores, now: number): Promise<IssuedKey> {
    const id = `key_${this.#text(ID_LENGTH)}`;
    const secret = newSecret("staging", (length) => this.#text(length));
    const name = `test key ${this.#ids.size + 1}`;
    const key: Key = {
      ...{ id, name, plan, limits, scopes },
      createdAt: now,
      ...(expiresAt !== undefined && { expiresAt }),
    };
    const stored = { hash: hashOf(secret), keyId: id, lastFour: secret.slice(-4), createdAt: now };
    await stores.keys.add(key, stored, { ...AUTHOR, at: now, action: "key.create", target: id, after: key });
    this.#ids.set(secret, id);
    return { id, key: secret };
  }

  #text(length: number): string {
    return Array.from({ length }, () => ALPHABET.charAt(Math.floor(this.#random() * ALPHABET.length))).join("");
  }
}
