import type { FoundKey } from "../../domain/keys/key.ts";
import type { SimulationScript } from "../../domain/simulation/script.ts";
import { requestKeyOf, requestSecretOf } from "../sql/key-rows.ts";
import { SqlKeys } from "../sql/keys.ts";
import { countRequests, type SimulatedRequest } from "../sql/simulated-requests.ts";
import { Batches } from "./batches.ts";
import type { Database, Statement } from "./database.ts";
import { keyTexts } from "./key-texts.ts";

const BY_SECRET: Statement = {
  name: "petstore_key_by_secret",
  text: `SELECT k.id, k.plan, k.per_minute, k.per_day, k.scopes, k.expires_at, k.revoked_at, k.disabled_at, k.last_used_at,
           k.pardoned_at, k.simulation, k.simulation_requests, s.expires_at AS secret_expires_at
         FROM petstore.secrets s JOIN petstore.keys k ON k.id = s.key_id WHERE s.hash = $1`,
};

/** Keys in PostgreSQL. */
export class PostgresKeys extends SqlKeys {
  readonly #database: Database;
  /** One at a time: requests of one key wait for its row. */
  readonly #simulated: Batches<SimulatedRequest, number | undefined>;

  constructor(database: Database) {
    // The server applies filters, while this process does other work.
    const table = "petstore.keys";
    const scanned = {
      byAge: table,
      byOwner: table,
      byOwnerName: table,
      rehearsing: table,
      possiblyInactive: table,
      possiblyInactiveByOwner: table,
      possiblyInactiveByOwnerName: table,
    };
    super(database, { columns: "*", sliceSize: Infinity, scanned, texts: keyTexts(database) });
    this.#database = database;
    this.#simulated = new Batches((requests) => database.sharedTransaction(() => countRequests(requests)), {
      maxRunning: 1,
    });
  }

  async findBySecret(hash: string): Promise<FoundKey | undefined> {
    const [row] = await this.#database.query(BY_SECRET, [hash]);
    if (row === undefined) return undefined;
    return { key: requestKeyOf(row), secret: requestSecretOf(row.secret_expires_at ?? null) };
  }

  countSimulated(keyId: string, simulation: SimulationScript): Promise<number | undefined> {
    return this.#simulated.add({ keyId, simulation });
  }
}
