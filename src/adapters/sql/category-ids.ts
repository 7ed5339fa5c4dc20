import { unavailable } from "../../domain/errors.ts";
import type { Transaction } from "./sql.ts";

/** The ids that one statement tries, and how far ahead the attempts begin: clients may name many ids in a row. */
const TRIED = 1_000;
const REACHES = [0, 2 ** 20, 2 ** 40];

/**
 * Returns an id above `last` that neither a category nor a pet names: a new category has no pets. It is the first one, unless
 * very many in a row are named.
 */
export function* nextId(last: bigint): Transaction<bigint> {
  for (const reach of REACHES) {
    const id = yield* freeIdAfter(last + BigInt(Math.floor(Math.random() * reach)));
    if (id !== undefined) return id;
  }
  throw unavailable(new Error("no free id was found for a category"));
}

/** Returns the first free id of those that one statement tries. */
function* freeIdAfter(start: bigint): Transaction<bigint | undefined> {
  const [row] = yield {
    text: `WITH RECURSIVE candidates (id) AS (
             SELECT CAST(:start AS BIGINT) + 1
             UNION ALL
             SELECT id + 1 FROM candidates
             WHERE id <= CAST(:start AS BIGINT) + ${TRIED}
               AND (EXISTS (SELECT 1 FROM petstore.categories WHERE categories.id = candidates.id)
                 OR EXISTS (SELECT 1 FROM petstore.pets WHERE category_id = candidates.id))
           )
           SELECT max(id) AS id FROM candidates`,
    values: { start },
  };
  const id = BigInt(String(row?.id));
  return id > start + BigInt(TRIED) ? undefined : id;
}
