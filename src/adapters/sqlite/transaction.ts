import { PetstoreError } from "../../domain/errors.ts";
import type { Outcome, Row, Statement, Transaction } from "../sql/sql.ts";
import type { Savepoint } from "./savepoint.ts";

/**
 * Runs a transaction within a commit that others share. A refusal leaves no trace of it: mostly it has not written yet, and
 * after a tentative statement a savepoint undoes it.
 * @throws a refusal after any other write, which only a rollback of the whole commit can undo
 */
export function runTransaction<T>(
  transaction: Transaction<T>,
  run: (statement: Statement) => Row[],
  savepoint: Savepoint,
): Outcome<T> {
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
