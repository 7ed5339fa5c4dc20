import type { Awaitable } from "../../domain/awaitable.ts";
import { INT64_MAX } from "../../domain/int64.ts";
import type { Direction } from "../../domain/pets.ts";
import { Batches } from "./batches.ts";
import type { Database } from "./database.ts";

/** A page of rows by their ids. */
type IdsPage = { after?: bigint | undefined; order?: Direction | undefined; ids?: readonly bigint[] | undefined };

/**
 * Keeps pages from showing an id while a smaller one may still appear: ids come from a sequence, and their transactions end in
 * any order. Up to the last stable id every insertion has ended. A page that shows no greater one costs nothing; it is read again
 * otherwise, up to the last stable id of now. `petstore.last_stable_id` finds it: see the migrations.
 */
export class StableIds {
  readonly #lookups: Batches<undefined, bigint>;
  /** What is stable stays so. */
  #last = 0n;

  /** `table`: the name of the table in `insertions` of the migrations. */
  constructor(database: Database, table: string) {
    this.#lookups = new Batches(
      async (pages) => {
        const id = await database.lastStableId(table);
        if (id > this.#last) this.#last = id;
        return pages.map(() => id);
      },
      { maxRunning: 1 },
    );
  }

  /** The last stable id of now. */
  last(): Promise<bigint> {
    return this.#lookups.add(undefined);
  }

  /** Reads a page. One that names its ids has those that are there: nobody follows it. */
  async page<P extends IdsPage, Row extends { id: number }>(
    page: P,
    read: (page: P) => Awaitable<Row[]>,
  ): Promise<Row[]> {
    const rows = await read(page);
    if (page.ids !== undefined || rows.every(({ id }) => id <= this.#last)) return rows;
    const stable = await this.#stableRows(page, read);
    // A reset may have replaced all rows since the last stable id was found.
    return stable.length > 0 ? stable : this.#stableRows(page, read);
  }

  async #stableRows<P extends IdsPage, Row extends { id: number }>(
    page: P,
    read: (page: P) => Awaitable<Row[]>,
  ): Promise<Row[]> {
    // Before the rows are read again: what ended meanwhile is among them.
    const last = await this.last();
    if (page.order !== "desc") return (await read(page)).filter(({ id }) => id <= last);
    const { after = INT64_MAX } = page;
    return read({ ...page, after: after > last ? last + 1n : after });
  }
}
