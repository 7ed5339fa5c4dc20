import type { Authored } from "../../domain/audit.ts";
import { type BulkPets, countByStatus, SNAPSHOT_PAGE } from "../../domain/pets.ts";
import type { ShopStore } from "../../domain/shop.ts";
import { selectCategories } from "../sql/categories.ts";
import { count, countsIn, petOf } from "../sql/pets.ts";
import { keptImport } from "../sql/records.ts";
import { type Columns, insertRemoved, orderData, replaceShop, STATUSES, type StatusCounts } from "../sql/shop.ts";
import { seekByPosition, type Transaction, type Write } from "../sql/sql.ts";
import { begin, EXPORT } from "./connections.ts";
import type { Database } from "./database.ts";
import { addAll } from "./pets.ts";

/** Returns the query of a page of a snapshot. Its parameters are the id before it, its size and the status. */
function pageText(isOfStatus: boolean): string {
  const { where, orderBy } = seekByPosition(isOfStatus ? { status: "$3" } : {}, { above: "$1" }, "asc");
  return `SELECT id, name, category_id, status, version FROM petstore.pets WHERE ${where} ORDER BY ${orderBy} LIMIT $2`;
}

/** Returns the statement that changes a row if all of these categories exist. They then do until the transaction ends. */
function requireCategories(ids: readonly bigint[]): Write {
  const { text, values } = selectCategories(ids);
  const all = `SELECT FROM (${text}) AS found HAVING count(*) = :all`;
  return { text: all, values: { ...values, all: ids.length }, mustChange: true };
}

export function postgresBulk(database: Database): BulkPets {
  return {
    add(pets, entry, categories = []) {
      return database.commit(
        ...(categories.length === 0 ? [] : [requireCategories(categories)]),
        addAll(pets, { now: entry.at, requestId: entry.requestId }),
        keptImport(entry),
        count(countByStatus(pets)),
      );
    },

    async *snapshot(status) {
      const session = await database.session();
      try {
        await session.query(begin(EXPORT, 0));
        await session.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
        const text = pageText(status !== undefined);
        const filter = status === undefined ? [] : [status];
        for (let after = 0; ; ) {
          const page = (await session.query(text, [after, SNAPSHOT_PAGE, ...filter])).map(petOf);
          const last = page.at(-1);
          if (last === undefined) return;
          yield page;
          after = last.id;
        }
      } finally {
        await session.end();
      }
    },
  };
}

export function postgresShop(database: Database): ShopStore {
  return {
    replace: (shop, options) =>
      database.operatorTransaction(() => replaceShop(shop, options, { removeAll, selectRows })),
  };
}

/**
 * Pets that are added meanwhile stay: their creation comes after this transaction. An order for one of the removed pets, which
 * was placed after the first statement, and before the second one locked the pet, is removed by the third.
 */
function* removeAll(authored: Authored): Transaction<StatusCounts> {
  const removed = { ...(yield* remove("order", authored)), ...(yield* remove("pet", authored)) };
  const late = yield* remove(
    "order",
    authored,
    "WHERE NOT EXISTS (SELECT 1 FROM petstore.pets WHERE pets.id = orders.pet_id)",
  );
  for (const [status, count] of Object.entries(late)) removed[status] = (removed[status] ?? 0) + count;
  return countsIn(removed, STATUSES);
}

const time = (column: string) =>
  `to_char(to_timestamp(${column} / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24":"MI":"SS.MS"Z"')`;

/** The JSON of a row, but for its id. */
const DATA = {
  pet: `(SELECT CAST(row_to_json(data) AS text) FROM (SELECT name, category_id AS "categoryId", status) AS data)`,
  order: orderData((text) => `CAST(to_json(${text}) AS text)`, time),
};

/** Removes rows, and returns how many had each status. */
function* remove(noun: "order" | "pet", authored: Authored, where = ""): Transaction<Record<string, number>> {
  const { text, values } = insertRemoved(noun, { text: "removed", data: DATA[noun] }, authored);
  const rows = yield {
    text: `WITH removed AS (DELETE FROM petstore.${noun}s ${where} RETURNING *),
             recorded AS (${text})
           SELECT status, count(*) AS count FROM removed GROUP BY status`,
    values,
  };
  return Object.fromEntries(rows.map(({ status, count }) => [String(status), Number(count)]));
}

function selectRows(columns: Columns): string {
  const types = Object.entries(columns).map(([column, type]) => `${column} ${type}`);
  return `SELECT ${Object.keys(columns).join(", ")} FROM json_to_recordset(CAST(:rows AS json)) AS row (${types.join(", ")})`;
}
