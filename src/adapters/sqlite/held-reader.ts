import type { DatabaseSync, StatementSync } from "node:sqlite";
import { rollBack } from "./errors.ts";
import { compiledOnce } from "./statements.ts";

/** A connection of its own, which keeps a snapshot of the file. Its page cache is empty after each commit of another one. */
export class HeldReader {
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #begin: StatementSync;
  readonly #take: StatementSync;

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
    this.#begin = connection.prepare("BEGIN");
    this.#take = connection.prepare("PRAGMA data_version");
  }

  begin(): void {
    this.#begin.run();
    // A read takes the snapshot.
    this.#take.get();
  }

  end(): void {
    rollBack(this.#connection);
  }

  statement(sql: string, readsBigInts: boolean): StatementSync {
    const key = `${readsBigInts} ${sql}`;
    const known = this.#statements.get(key);
    if (known !== undefined) return known;
    const statement = this.#connection.prepare(compiledOnce(sql));
    statement.setReadBigInts(readsBigInts);
    this.#statements.set(key, statement);
    return statement;
  }

  close(): void {
    this.#connection.close();
  }
}
