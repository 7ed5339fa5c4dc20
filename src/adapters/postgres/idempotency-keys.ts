import { createHash } from "node:crypto";
import {
  CreationsInProgress,
  IDEMPOTENCY_KEY_LIFETIME,
  type IdempotencyKey,
  type IdempotentCreation,
  refuseInProgress,
  replayed,
} from "../../domain/pets/idempotency-key.ts";
import { DEFAULT_STATUS, type NewPet } from "../../domain/pets/pet.ts";
import { Batches } from "./batches.ts";
import type { Database, Row, Statement } from "./database.ts";
import { petOf } from "./pet-row.ts";

type Asked = { name: IdempotencyKey; pet: NewPet };

/** Each name takes a lock, and all servers' locks have one table, of 6,400 unless it is told otherwise. */
const LARGEST_BATCH = 100;
/** How many names are forgotten in one statement. */
const PORTION = 500;

/**
 * Adds each pet with its name, in one transaction. A name that another node is just committing is locked, and left
 * alone: without the lock the statement would wait for that commit.
 */
const ADD: Statement = {
  name: "petstore_add_named_pets",
  text: `WITH asked AS (
           SELECT *, pg_try_advisory_xact_lock(lock) AS is_ours
           FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::text[])
             AS asked(lock, key_id, idempotency_key, created_at, name, category_id, status)
         ), named AS (
           INSERT INTO petstore.creations AS known
             (key_id, idempotency_key, created_at, pet_id, name, category_id, status)
           SELECT key_id, idempotency_key, created_at, nextval('petstore.pet_ids'), name, category_id, status
           FROM asked WHERE is_ours
           ON CONFLICT (key_id, idempotency_key) DO UPDATE SET
             created_at = excluded.created_at, pet_id = excluded.pet_id, name = excluded.name,
             category_id = excluded.category_id, status = excluded.status
           WHERE known.created_at <= excluded.created_at - ${IDEMPOTENCY_KEY_LIFETIME}
           RETURNING key_id, idempotency_key, pet_id, name, category_id, status
         ), added AS (
           INSERT INTO petstore.pets (id, name, category_id, status)
           SELECT pet_id, name, category_id, status FROM named
         )
         SELECT asked.key_id, asked.idempotency_key, CASE WHEN is_ours THEN 'ours' ELSE 'theirs' END AS lock,
           pet_id AS id, asked.name, asked.category_id, asked.status
         FROM asked LEFT JOIN named USING (key_id, idempotency_key)`,
};
const FIND: Statement = {
  name: "petstore_find_named_pet",
  text: `SELECT pet_id AS id, name, category_id, status FROM petstore.creations
         WHERE key_id = $1 AND idempotency_key = $2`,
};
const FORGET: Statement = {
  name: "petstore_forget_creations",
  text: `DELETE FROM petstore.creations WHERE (key_id, idempotency_key) IN
           (SELECT key_id, idempotency_key FROM petstore.creations
            WHERE created_at < $1 ORDER BY created_at LIMIT ${PORTION} FOR UPDATE SKIP LOCKED)
         RETURNING key_id`,
};

/** The named creations in PostgreSQL. Those that come at the same time go in one statement, and one commit. */
export class PostgresIdempotencyKeys {
  readonly #database: Database;
  readonly #underWay = new CreationsInProgress();
  readonly #batches: Batches<Asked, Row>;

  constructor(database: Database) {
    this.#database = database;
    this.#batches = new Batches((asked) => this.#add(asked), LARGEST_BATCH);
  }

  /** What `PetStore.createOnce` promises. */
  createOnce(pet: NewPet, name: IdempotencyKey): Promise<IdempotentCreation> {
    return this.#underWay.once(name, async () => {
      const row = await this.#batches.add({ name, pet });
      if (row.lock === "theirs") refuseInProgress();
      if (row.id !== null) return { pet: petOf(row), isReplay: false };
      const [known] = await this.#database.query(FIND, [name.keyId, name.key]);
      // Where it has just been forgotten, asking again adds the pet.
      return known === undefined ? refuseInProgress() : replayed(petOf(known), pet);
    });
  }

  async forget(time: number): Promise<number> {
    return (await this.#database.query(FORGET, [time])).length;
  }

  /** What became of each, in order. No two of them have the same name: only one of those is under way. */
  async #add(asked: Asked[]): Promise<Row[]> {
    const rows = await this.#database.query(ADD, [
      asked.map(({ name }) => lockOf(name)),
      asked.map(({ name }) => name.keyId),
      asked.map(({ name }) => name.key),
      asked.map(({ name }) => name.now),
      asked.map(({ pet }) => pet.name),
      asked.map(({ pet }) => pet.categoryId),
      asked.map(({ pet }) => pet.status ?? DEFAULT_STATUS),
    ]);
    const byName = new Map(rows.map((row) => [`${row.key_id} ${row.idempotency_key}`, row]));
    return asked.map(({ name: { keyId, key: idempotencyKey } }) => {
      const row = byName.get(`${keyId} ${idempotencyKey}`);
      if (row === undefined) throw new Error("a named creation was neither made nor refused");
      return row;
    });
  }
}

/** The number of the lock that a name takes while its pet is being added. */
function lockOf({ keyId, key: idempotencyKey }: IdempotencyKey): bigint {
  return createHash("sha256").update(`${keyId} ${idempotencyKey}`).digest().readBigInt64BE();
}
