import type { StatementSync } from "node:sqlite";
import {
  type Creation,
  type CreationName,
  CreationsUnderWay,
  REMEMBERED_FOR,
  replayed,
} from "../../domain/pets/creation.ts";
import type { NewPet, Pet, PetStatus } from "../../domain/pets/pet.ts";
import type { Database } from "./database.ts";

/** How many names are forgotten in one transaction: others wait no longer for it than for their own. */
const PORTION = 500;

/** The named creations in a SQLite file. */
export class SqliteCreations {
  readonly #database: Database;
  readonly #underWay = new CreationsUnderWay();
  readonly #find: StatementSync;
  readonly #remember: StatementSync;
  readonly #forget: StatementSync;

  constructor(database: Database) {
    this.#database = database;
    this.#find = database.prepare(
      `SELECT pet_id, name, category_id, status FROM creations
       WHERE key_id = ? AND idempotency_key = ? AND created_at > ?`,
    );
    this.#find.setReadBigInts(true);
    this.#remember = database.prepare("INSERT OR REPLACE INTO creations VALUES (?, ?, ?, ?, ?, ?, ?)");
    this.#forget = database.prepare(
      `DELETE FROM creations WHERE (key_id, idempotency_key) IN
       (SELECT key_id, idempotency_key FROM creations WHERE created_at < ? ORDER BY created_at LIMIT ${PORTION})`,
    );
  }

  /** What `PetStore.createOnce` promises; `insert` adds the animal inside the transaction. */
  createOnce(wanted: NewPet, name: CreationName, insert: () => Pet): Promise<Creation> {
    return this.#underWay.once(name, async () => {
      const { first, added } = await this.#database.write(() => {
        const known = this.#known(name);
        return known === undefined ? { added: this.#add(name, insert()) } : { first: known };
      });
      // Refused only here: what a transaction throws would undo those that share its commit.
      return first === undefined ? { pet: added, isReplay: false } : replayed(first, wanted);
    });
  }

  forget(time: number): Promise<number> {
    return this.#database.write(() => Number(this.#forget.run(time).changes));
  }

  #known({ keyId, idempotencyKey, now }: CreationName): Pet | undefined {
    const row = this.#find.get(keyId, idempotencyKey, now - REMEMBERED_FOR);
    if (row === undefined) return undefined;
    const { pet_id, name, category_id, status } = row;
    return {
      id: Number(pet_id),
      name: String(name),
      categoryId: category_id as bigint,
      status: status as PetStatus,
    };
  }

  #add({ keyId, idempotencyKey, now }: CreationName, pet: Pet): Pet {
    this.#remember.run(keyId, idempotencyKey, now, pet.id, pet.name, pet.categoryId, pet.status);
    return pet;
  }
}
