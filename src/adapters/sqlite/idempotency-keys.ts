import type { StatementSync } from "node:sqlite";
import {
  CreationsInProgress,
  IDEMPOTENCY_KEY_LIFETIME,
  type IdempotencyKey,
  type IdempotentCreation,
  replayed,
} from "../../domain/pets/idempotency-key.ts";
import { FIRST_VERSION, type NewPet, type PetStatus, type StoredPet } from "../../domain/pets/pet.ts";
import type { Database } from "./database.ts";

/** The idempotency keys that one transaction deletes: few enough to not delay other writes. */
const BATCH_SIZE = 500;

/** Idempotent creations in a SQLite file. */
export class SqliteIdempotencyKeys {
  readonly #database: Database;
  readonly #inProgress = new CreationsInProgress();
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #forget: StatementSync;

  constructor(database: Database) {
    this.#database = database;
    this.#find = database.prepare(
      `SELECT pet_id, name, category_id, status FROM creations
       WHERE key_id = ? AND idempotency_key = ? AND created_at > ?`,
    );
    this.#find.setReadBigInts(true);
    this.#insert = database.prepare("INSERT OR REPLACE INTO creations VALUES (?, ?, ?, ?, ?, ?, ?)");
    this.#forget = database.prepare(
      `DELETE FROM creations WHERE (key_id, idempotency_key) IN
       (SELECT key_id, idempotency_key FROM creations WHERE created_at < ? ORDER BY created_at LIMIT ${BATCH_SIZE})`,
    );
  }

  /** Implements `PetStore.createIdempotently`; `insert` adds the pet inside the transaction. */
  create(pet: NewPet, key: IdempotencyKey, insert: () => StoredPet): Promise<IdempotentCreation> {
    return this.#inProgress.once(key, async () => {
      const { existing, added } = await this.#database.write(() => {
        const existing = this.#existing(key);
        return existing === undefined ? { added: this.#add(key, insert()) } : { existing };
      });
      // Throws only here: an error inside the transaction would fail the shared commit.
      return existing === undefined ? { pet: added, isReplay: false } : replayed(existing, pet);
    });
  }

  forget(time: number): Promise<number> {
    return this.#database.write(() => Number(this.#forget.run(time).changes));
  }

  #existing({ keyId, key, now }: IdempotencyKey): StoredPet | undefined {
    const row = this.#find.get(keyId, key, now - IDEMPOTENCY_KEY_LIFETIME);
    if (row === undefined) return undefined;
    const { pet_id, name, category_id, status } = row;
    return {
      id: Number(pet_id),
      name: String(name),
      categoryId: category_id as bigint,
      status: status as PetStatus,
      version: FIRST_VERSION,
    };
  }

  #add({ keyId, key, now }: IdempotencyKey, pet: StoredPet): StoredPet {
    this.#insert.run(keyId, key, now, pet.id, pet.name, pet.categoryId, pet.status);
    return pet;
  }
}
