import type { StatementSync } from "node:sqlite";
import type { Key, StoredSecret } from "../../domain/keys/key.ts";
import { keyOf, secretOf } from "../sql/key-rows.ts";
import { SqlKeys } from "../sql/keys.ts";
import type { Database } from "./database.ts";
import { read } from "./errors.ts";

/** A filter is applied to so many keys in a fraction of a millisecond. */
const SLICE_SIZE = 2_000;

/** Keys in a SQLite file. */
export class SqliteKeys extends SqlKeys {
  readonly #secretByHash: StatementSync;
  readonly #keyById: StatementSync;

  constructor(database: Database, sliceSize = SLICE_SIZE) {
    super(database, sliceSize);
    this.#secretByHash = database.prepare("SELECT * FROM secrets WHERE hash = ?");
    this.#keyById = database.prepare("SELECT * FROM keys WHERE id = ?");
  }

  /** Two look-ups by primary key take a third of the time of a join. */
  findBySecret(hash: string): { key: Key; secret: StoredSecret } | undefined {
    return read(() => {
      const secret = this.#secretByHash.get(hash);
      const key = secret && this.#keyById.get(String(secret.key_id));
      return secret && key && { key: keyOf(key), secret: secretOf(secret) };
    });
  }
}
