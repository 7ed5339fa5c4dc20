import { createHash } from "node:crypto";
import {
  type CreationsInProgress,
  IDEMPOTENCY_KEY_LIFETIME,
  type IdempotencyKey,
  type IdempotentCreation,
  refuseInProgress,
  requireSameRequest,
} from "../../domain/idempotency-key.ts";
import { nameKey } from "../../domain/pets/name-key.ts";
import { DEFAULT_STATUS, type NewPet, petRequest, type StoredPet } from "../../domain/pets/pet.ts";
import { creationOf } from "../sql/idempotency-keys.ts";
import { anyShard } from "../sql/inventory.ts";
import { petOf } from "../sql/pet-row.ts";
import { replayed } from "../sql/pets.ts";
import { Batches } from "./batches.ts";
import { countAdded } from "./count-added.ts";
import type { Database, Row, Statement } from "./database.ts";

type Creation = { key: IdempotencyKey; pet: NewPet };

/** Each idempotency key takes a lock, and the lock table of a server has 6,400 entries by default. */
const MAX_BATCH = 100;

/**
 * Adds pets with their idempotency keys in one transaction. Skips keys that another node has locked: without the lock the
 * statement would wait for that node's commit. A replay takes no id: NOT EXISTS finds it before, and ON CONFLICT only what
 * another node has just committed.
 */
const ADD: Statement = {
  name: "petstore_create_idempotently",
  text: `WITH requested AS (
           SELECT *, pg_try_advisory_xact_lock(lock) AS is_locked
           FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::text[])
             AS requested(lock, key_id, idempotency_key, created_at, request, name, category_id, status, name_key)
         ), created AS (
           INSERT INTO petstore.idempotency_keys AS existing (key_id, idempotency_key, created_at, request, created_id)
           SELECT key_id, idempotency_key, created_at, request, nextval('petstore.pet_ids')
           FROM requested WHERE is_locked AND NOT EXISTS (
             SELECT 1 FROM petstore.idempotency_keys AS known
             WHERE known.key_id = requested.key_id AND known.idempotency_key = requested.idempotency_key
               AND known.created_at > requested.created_at - ${IDEMPOTENCY_KEY_LIFETIME}
           )
           ON CONFLICT (key_id, idempotency_key) DO UPDATE SET
             created_at = excluded.created_at, request = excluded.request, created_id = excluded.created_id
           WHERE existing.created_at <= excluded.created_at - ${IDEMPOTENCY_KEY_LIFETIME}
           RETURNING key_id, idempotency_key, created_id
         ), added AS (
           INSERT INTO petstore.pets (id, name, category_id, status, name_key)
           SELECT created_id, requested.name, requested.category_id, requested.status, name_key
           FROM created JOIN requested USING (key_id, idempotency_key) RETURNING status
         ), counted AS (${countAdded("$10")})
         SELECT requested.key_id, requested.idempotency_key, CASE WHEN is_locked THEN 'acquired' ELSE 'held' END AS lock,
           created_id AS id, requested.name, requested.category_id, requested.status
         FROM requested LEFT JOIN created USING (key_id, idempotency_key)`,
};
const FIND: Statement = {
  name: "petstore_find_creation",
  text: `SELECT request, created_id, created_at FROM petstore.idempotency_keys
         WHERE key_id = $1 AND idempotency_key = $2`,
};

/** Idempotent creations of pets in PostgreSQL. Concurrent ones share a statement and a commit. */
export class IdempotentCreations {
  readonly #database: Database;
  readonly #inProgress: CreationsInProgress;
  readonly #batches: Batches<Creation, Row>;

  constructor(database: Database, inProgress: CreationsInProgress) {
    this.#database = database;
    this.#inProgress = inProgress;
    this.#batches = new Batches((creations) => this.#add(creations), { maxSize: MAX_BATCH });
  }

  /** Implements `PetStore.createIdempotently`. */
  create(pet: NewPet, key: IdempotencyKey): Promise<IdempotentCreation<StoredPet>> {
    return this.#inProgress.once(key, async () => {
      const row = await this.#batches.add({ key, pet });
      if (row.lock === "held") refuseInProgress();
      if (row.id !== null) return { created: petOf(row), isReplay: false };
      const [found] = await this.#database.query(FIND, [key.keyId, key.key]);
      // If it has just been deleted, the next attempt adds the pet.
      const first = found === undefined ? refuseInProgress() : creationOf(found);
      requireSameRequest(first, petRequest(pet));
      return { created: replayed(pet, first), isReplay: true };
    });
  }

  /** Returns a row per creation, in order. Their idempotency keys differ, because only one per key is in progress. */
  async #add(creations: Creation[]): Promise<Row[]> {
    const rows = await this.#database.query(ADD, [
      creations.map(({ key }) => lockOf(key)),
      creations.map(({ key }) => key.keyId),
      creations.map(({ key }) => key.key),
      creations.map(({ key }) => key.now),
      creations.map(({ pet }) => petRequest(pet)),
      creations.map(({ pet }) => pet.name),
      creations.map(({ pet }) => pet.categoryId),
      creations.map(({ pet }) => pet.status ?? DEFAULT_STATUS),
      creations.map(({ pet }) => nameKey(pet.name)),
      anyShard(),
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
