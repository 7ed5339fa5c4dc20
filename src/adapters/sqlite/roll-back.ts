import type { DatabaseSync } from "node:sqlite";

/**
 * Ends the transaction that is open after an error. On some errors, such as a full disk, SQLite has rolled back by itself:
 * then ROLLBACK fails, "but no harm is caused by this" (sqlite.org/lang_transaction.html). Node before 22.16 does not report
 * whether a transaction is open.
 */
export function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // What is reported is the error before it.
  }
}
