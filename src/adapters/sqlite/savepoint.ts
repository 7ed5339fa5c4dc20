import type { DatabaseSync, StatementSync } from "node:sqlite";

/**
 * Surrounds a part of a transaction that others share, so that this part can be undone alone. While it is open, SQLite
 * copies each page before its first change.
 */
export class Savepoint {
  readonly #begin: StatementSync;
  readonly #release: StatementSync;
  readonly #rollBack: StatementSync;

  constructor(connection: DatabaseSync) {
    this.#begin = connection.prepare("SAVEPOINT part");
    this.#release = connection.prepare("RELEASE part");
    this.#rollBack = connection.prepare("ROLLBACK TO part");
  }

  begin(): void {
    this.#begin.run();
  }

  keep(): void {
    this.#release.run();
  }

  undo(): void {
    this.#rollBack.run();
    this.#release.run();
  }
}
