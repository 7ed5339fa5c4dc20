import type { DatabaseSync } from "node:sqlite";
import { PetstoreError } from "../../domain/errors.ts";
import type { Row, Statement, Transaction, TransactionOutcome } from "../sql/sql.ts";

/**
 * Surrounds a part of a transaction that others share, so that this part can be undone alone. While it is open, SQLite
 * copies each page before its first change. `beforeBegin` runs what must not be undone with it.
 */
export function savepointOn(connection: DatabaseSync, beforeBegin: () => void) {
  const begin = connection.prepare("SAVEPOINT part");
  const release = connection.prepare("RELEASE part");
  const rollBack = connection.prepare("ROLLBACK TO part");
  return {
    begin: () => {
      beforeBegin();
      begin.run();
    },
    keep: () => release.run(),
    undo: () => {
      rollBack.run();
      release.run();
    },
  };
}

export type Savepoint = ReturnType<typeof savepointOn>;

/**
 * Runs a transaction within a commit that others share. A refusal leaves no trace of it: mostly it has not written yet, and
 * after a tentative statement a savepoint undoes it.
 * @throws a refusal after any other write, which only a rollback of the whole commit can undo
 */
export function runTransaction<T>(
  transaction: Transaction<T>,
  run: (statement: Statement) => Row[],
  savepoint: Savepoint,
): TransactionOutcome<T> {
  let state: "read" | "tentative" | "written" = "read";
  try {
    let step = transaction.next([]);
    while (step.done !== true) {
      const statement = step.value;
      if (state === "read" && statement.isTentative === true) {
        savepoint.begin();
        state = "tentative";
      } else if (state === "read" && !statement.text.startsWith("SELECT ")) {
        state = "written";
      }
      step = transaction.next(run(statement));
    }
    if (state === "tentative") savepoint.keep();
    return { result: step.value };
  } catch (refusal) {
    if (!(refusal instanceof PetstoreError) || state === "written") throw refusal;
    if (state === "tentative") savepoint.undo();
    return { refusal };
  }
}
