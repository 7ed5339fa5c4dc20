/**
 * The service as `petstore serve` runs it, but for one thing: its transactions read pets and orders without a lock, as if
 * they had read them before they began. The check of linearizability must detect that.
 */
import { Database } from "../../src/adapters/postgres/database.ts";
import type { Transaction } from "../../src/adapters/sql/sql.ts";

for (const method of ["transaction", "sharedTransaction"] as const) {
  const locking = Database.prototype[method];
  Database.prototype[method] = function <T>(run: () => Transaction<T>): Promise<T> {
    const own = locking<T>;
    return own.call(this, () => withoutLocks(run()));
  };
}

function* withoutLocks<T>(locking: Transaction<T>): Transaction<T> {
  let step = locking.next([]);
  while (step.done !== true) {
    const { text, values } = step.value;
    step = locking.next(yield { text: text.replace(/FOR UPDATE( SKIP LOCKED)?/, ""), values });
  }
  return step.value;
}

process.argv[2] = "serve";
await import("../../src/main.ts");
