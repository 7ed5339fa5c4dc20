import {
  type Creation,
  CreationsInProgress,
  IDEMPOTENCY_KEY_LIFETIME,
  type IdempotencyKey,
  type IdempotentCreation,
  refuseInProgress,
  requireSameRequest,
} from "../../domain/changes.ts";
import type { Row, Sql, Statement, Transaction } from "./sql.ts";

/** The idempotency keys that one transaction deletes: few enough to not delay other writes. */
const BATCH_SIZE = 500;

/**
 * A creation: its request as text, the transaction that creates, and what an earlier one with the same request created, by the row
 * that `stored` selects with its `:id`, if the request does not say all of it.
 */
type IdempotentWork<T> = {
  request: string;
  run: () => Transaction<T>;
  stored?: string;
  replay: (first: Creation, row: Row | undefined) => T;
};

/** Creations that a client may repeat. */
export class SqlIdempotencyKeys {
  /** Shared by everything that has an idempotency key in this process. */
  readonly inProgress = new CreationsInProgress();
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Creates something, unless an earlier creation had this idempotency key: then returns what that one created.
   * @throws idempotency_key_reused when the requests differ, idempotency_in_progress, and what `run` throws
   */
  async create<T extends Created | Created[]>(
    key: IdempotencyKey | undefined,
    work: IdempotentWork<T>,
  ): Promise<IdempotentCreation<T>> {
    if (key === undefined) return { created: await this.#sql.transaction(work.run), isReplay: false };
    return this.inProgress.once(key, () => this.#sql.transaction(() => once(key, work)));
  }

  /** Deletes a batch of the idempotency keys from before `time` (Unix ms). Returns their number. @throws service_unavailable */
  forget(time: number): Promise<number> {
    return this.#sql.transaction(() => forget(time));
  }
}

type Created = { id: number | bigint };

/** Adding the row comes first: it makes a request with the same key on another node wait for the end of this one. */
function* once<T extends Created | Created[]>(
  { keyId, key, now }: IdempotencyKey,
  { request, run, stored, replay }: IdempotentWork<T>,
): Transaction<IdempotentCreation<T>> {
  const [own] = yield { ...takeKey({ keyId, key, now }, request), isTentative: true };
  if (own === undefined) {
    const [row] = yield {
      text: `SELECT request, created_id, created_ids, created_at FROM petstore.idempotency_keys
             WHERE key_id = :keyId AND idempotency_key = :key`,
      values: { keyId, key },
    };
    // If it has just been deleted, the next attempt creates.
    const first = row === undefined ? refuseInProgress() : creationOf(row);
    requireSameRequest(first, request);
    const rows = stored === undefined ? [] : yield { text: stored, values: { id: first.ids[0] ?? null } };
    return { created: replay(first, rows[0]), isReplay: true };
  }
  const created = yield* run();
  const ids = [created].flat().map(({ id }) => id);
  yield {
    text: `UPDATE petstore.idempotency_keys SET created_id = :id, created_ids = :ids
           WHERE key_id = :keyId AND idempotency_key = :key`,
    values: { id: ids[0] ?? 0, ids: ids.length > 1 ? ids.join(",") : null, keyId, key },
  };
  return { created, isReplay: false };
}

/** Stores a request with its idempotency key. Changes no row when another one has the key, which has not expired. */
export function takeKey({ keyId, key, now }: IdempotencyKey, request: string, ids: string | null = null): Statement {
  return {
    text: `INSERT INTO petstore.idempotency_keys AS known
             (key_id, idempotency_key, created_at, request, created_id, created_ids)
           VALUES (:keyId, :key, :now, :request, 0, :ids)
           ON CONFLICT (key_id, idempotency_key) DO UPDATE
             SET created_at = excluded.created_at, request = excluded.request, created_ids = excluded.created_ids
           WHERE known.created_at <= :expired RETURNING key_id`,
    values: { keyId, key, now, request, ids, expired: now - IDEMPOTENCY_KEY_LIFETIME },
  };
}

function* forget(time: number): Transaction<number> {
  const deleted = yield {
    text: `DELETE FROM petstore.idempotency_keys WHERE (key_id, idempotency_key) IN
             (SELECT key_id, idempotency_key FROM petstore.idempotency_keys
              WHERE created_at < :time ORDER BY created_at LIMIT ${BATCH_SIZE})
           RETURNING key_id`,
    values: { time },
  };
  return deleted.length;
}

export function creationOf(row: Row): Creation {
  const ids = String(row.created_ids ?? row.created_id).split(",");
  return { request: String(row.request), ids: ids.map(BigInt), at: Number(row.created_at) };
}
