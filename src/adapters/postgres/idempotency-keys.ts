import { createHash } from "node:crypto";
import {
  CreationsInProgress,
  IDEMPOTENCY_KEY_LIFETIME,
  type IdempotencyKey,
  type IdempotentCreation,
  refuseInProgress,
  replayed,
} from "../../domain/pets/idempotency-key.ts";
import { nameKey } from "../../domain/pets/name-key.ts";
import { DEFAULT_STATUS, type NewPet } from "../../domain/pets/pet.ts";
import { petOf } from "../sql/pet-row.ts";
import { Batches } from "./batches.ts";
import type { Database, Row, Statement } from "./database.ts";

type Creation = { key: IdempotencyKey; pet: NewPet };

/** Each idempotency key takes a lock, and the lock table of a server has 6,400 entries by default. */
const MAX_BATCH = 100;
/** The idempotency keys that one statement deletes. */
const BATCH_SIZE = 500;

/**
 * Adds pets with their idempotency keys in one transaction. Skips keys that another node has locked: without the lock the
 * statement would wait for that node's commit. A replay takes no id: NOT EXISTS finds it before, and ON CONFLICT only what
 * another node has just committed.
 */
const ADD: Statement = {
  name: "petstore_create_idempotently",
  text: `WITH requested AS (
           SELECT *, pg_try_advisory_xact_lock(lock) AS is_locked
           FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::text[], $8::text[])
             AS requested(lock, key_id, idempotency_key, created_at, name, category_id, status, name_key)
         ), created AS (
           INSERT INTO petstore.creations AS existing
             (key_id, idempotency_key, created_at, pet_id, name, category_id, status)
           SELECT key_id, idempotency_key, created_at, nextval('petstore.pet_ids'), name, category_id, status
           FROM requested WHERE is_locked AND NOT EXISTS (
             SELECT 1 FROM petstore.creations AS known
             WHERE known.key_id = requested.key_id AND known.idempotency_key = requested.idempotency_key
               AND known.created_at > requested.created_at - ${IDEMPOTENCY_KEY_LIFETIME}
           )
           ON CONFLICT (key_id, idempotency_key) DO UPDATE SET
             created_at = excluded.created_at, pet_id = excluded.pet_id, name = excluded.name,
             category_id = excluded.category_id, status = excluded.status
           WHERE existing.created_at <= excluded.created_at - ${IDEMPOTENCY_KEY_LIFETIME}
           RETURNING key_id, idempotency_key, pet_id, name, category_id, status
         ), added AS (
           INSERT INTO petstore.pets (id, name, category_id, status, name_key)
           SELECT pet_id, created.name, created.category_id, created.status, name_key
           FROM created JOIN requested USING (key_id, idempotency_key)
         )
         SELECT requested.key_id, requested.idempotency_key, CASE WHEN is_locked THEN 'acquired' ELSE 'held' END AS lock,
           pet_id AS id, requested.name, requested.category_id, requested.status
         FROM requested LEFT JOIN created USING (key_id, idempotency_key)`,
};
const FIND: Statement = {
  name: "petstore_find_creation",
  text: `SELECT pet_id AS id, name, category_id, status FROM petstore.creations
         WHERE key_id = $1 AND idempotency_key = $2`,
};
const FORGET: Statement = {
  name: "petstore_forget_creations",
  text: `DELETE FROM petstore.creations WHERE (key_id, idempotency_key) IN
           (SELECT key_id, idempotency_key FROM petstore.creations
            WHERE created_at < $1 ORDER BY created_at LIMIT ${BATCH_SIZE} FOR UPDATE SKIP LOCKED)
         RETURNING key_id`,
};

/** Idempotent creations in PostgreSQL. Concurrent ones share a statement and a commit. */
export class PostgresIdempotencyKeys {
  readonly #database: Database;
  readonly #inProgress = new CreationsInProgress();
  readonly #batches: Batches<Creation, Row>;

  constructor(database: Database) {
    this.#database = database;
    this.#batches = new Batches((creations) => this.#add(creations), MAX_BATCH);
  }

  /** Implements `PetStore.createIdempotently`. */
  create(pet: NewPet, key: IdempotencyKey): Promise<IdempotentCreation> {
    return this.#inProgress.once(key, async () => {
      const row = await this.#batches.add({ key, pet });
      if (row.lock === "held") refuseInProgress();
      if (row.id !== null) return { pet: petOf(row), isReplay: false };
      const [existing] = await this.#database.query(FIND, [key.keyId, key.key]);
      // If it has just been deleted, the next attempt adds the pet.
      return existing === undefined ? refuseInProgress() : replayed(petOf(existing), pet);
    });
  }

  async forget(time: number): Promise<number> {
    return (await this.#database.query(FORGET, [time])).length;
  }

  /** Returns a row per creation, in order. Their idempotency keys differ, because only one per key is in progress. */
  async #add(creations: Creation[]): Promise<Row[]> {
    const rows = await this.#database.query(ADD, [
      creations.map(({ key }) => lockOf(key)),
      creations.map(({ key }) => key.keyId),
      creations.map(({ key }) => key.key),
      creations.map(({ key }) => key.now),
      creations.map(({ pet }) => pet.name),
      creations.map(({ pet }) => pet.categoryId),
      creations.map(({ pet }) => pet.status ?? DEFAULT_STATUS),
      creations.map(({ pet }) => nameKey(pet.name)),
    ]);
    const byKey = new Map(rows.map((row) => [`${row.key_id} ${row.idempotency_key}`, row]));
    return creations.map(({ key: { keyId, key } }) => {
      const row = byKey.get(`${keyId} ${key}`);
      if (row === undefined) throw new Error("the server returned no row for an idempotency key");
      return row;
    });
  }
}

/** The id of the lock that an idempotency key takes while its pet is added. */
function lockOf({ keyId, key }: IdempotencyKey): bigint {
  return createHash("sha256").update(`${keyId} ${key}`).digest().readBigInt64BE();
}
