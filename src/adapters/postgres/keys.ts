import type { FoundKey } from "../../domain/keys/key.ts";
import type { SimulationScript } from "../../domain/keys/simulation.ts";
import { type KeyTexts, TABLE } from "../sql/key-listing.ts";
import { countRequests, requestKeyOf, requestSecretOf, type SimulatedRequest, SqlKeys } from "../sql/keys.ts";
import { Batches } from "./batches.ts";
import type { Database } from "./database.ts";
import { SEARCHED } from "./migrations.ts";

/** So many keys are found by their text sooner than in the order of the list. */
const FEW = 2_000;
/** So many in a sample have a text that the order of the list finds sooner than its index. */
const SAMPLE_PERCENT = 0.5;
const MANY_IN_SAMPLE = 100;
/** To look up a part that so many times more keys contain than the rarest one takes longer than to compare their texts. */
const TOO_FREQUENT = 10;

/**
 * Counts the keys that contain a text, up to `:most`; NULL if a sample has many. Every third part of the text and its last one
 * contain all of it: `parts` are those of them that few keys of the sample contain.
 */
const COUNT = `WITH sample AS MATERIALIZED (
    SELECT ${SEARCHED} AS text FROM petstore.keys TABLESAMPLE SYSTEM (${SAMPLE_PERCENT})
  ), part AS (
    SELECT DISTINCT substr(:searched, greatest(1, least(place, length(:searched) - 2)), 3) AS part
    FROM generate_series(1, length(:searched), 3) AS place
  ), counted AS MATERIALIZED (
    SELECT part, (SELECT count(*) FROM sample WHERE strpos(text, part) > 0) AS keys FROM part
  ), rare AS MATERIALIZED (
    SELECT array_agg(part) AS parts FROM counted WHERE keys <= ${TOO_FREQUENT} * (SELECT min(keys) FROM counted)
  )
  SELECT CAST(parts AS text) AS parts,
    CASE WHEN (SELECT count(*) FROM sample WHERE strpos(text, :searched) > 0) > :many THEN NULL
    ELSE (SELECT count(*) FROM petstore.keys_with_text(:searched, parts, :most)) END AS count
  FROM rare`;
/**
 * To read the index again takes a fraction of the time of sending ids to and fro, and in one statement with the page as long
 * as in two. All keys: some may have come meanwhile.
 */
const KEYS_WITH_TEXT = "petstore.keys_with_text(:searched, CAST(:parts AS text[]), NULL)";

function keyTexts(database: Database): KeyTexts {
  return {
    find: async (searched) => {
      const row = await database.first(COUNT, { searched, most: FEW + 1, many: MANY_IN_SAMPLE });
      const count = Number(row?.count ?? Infinity);
      if (count > FEW) return undefined;
      return { table: KEYS_WITH_TEXT, values: { searched, parts: String(row?.parts) }, count };
    },
  };
}

const BY_SECRET = `SELECT k.id, k.plan, k.per_minute, k.per_day, k.scopes, k.expires_at, k.revoked_at, k.disabled_at,
    k.last_used_at, k.pardoned_at, k.simulation, k.simulation_requests, s.expires_at AS secret_expires_at
  FROM petstore.secrets s JOIN petstore.keys k ON k.id = s.key_id WHERE s.hash = $1`;

export class PostgresKeys extends SqlKeys {
  readonly #database: Database;
  /** One at a time: requests of one key wait for its row. */
  readonly #simulated: Batches<SimulatedRequest, number | undefined>;

  constructor(database: Database) {
    // The server applies filters, while this process does other work, and chooses the index.
    super(database, { columns: "*", sliceSize: Infinity, tableFor: () => TABLE, texts: keyTexts(database) });
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
