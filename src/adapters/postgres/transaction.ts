import type pg from "pg";
import type { Row, Transaction } from "../sql/sql.ts";
import { numbered } from "./numbered.ts";
import { prepared } from "./prepared.ts";
import { isConnectionLost } from "./sqlstate.ts";

/** The command that begins it, and whether its statements are prepared on the connection. */
type Options = { begin: string; isPrepared: boolean };

/**
 * Runs a transaction on a connection. It waits only for rows: the command that begins the transaction is sent together with
 * the first query, and writes without rows together with what comes next, at last the commit. When a statement fails, the
 * server runs none of those that follow it, and the commit rolls back.
 */
export async function runTransaction<T>(
  client: pg.ClientBase,
  { begin, isPrepared }: Options,
  transaction: Transaction<T>,
): Promise<T> {
  const sent: Promise<unknown>[] = [client.query(begin)];
  try {
    let step = transaction.next([]);
    // Without a transaction, a write would be committed at once.
    if (step.done !== true && !step.value.text.startsWith("SELECT")) await allOf(sent);
    while (step.done !== true) {
      const { text, values } = numbered(step.value.text, step.value.values);
      const result = client.query<Row>({ ...(isPrepared ? prepared(text) : { text }), values });
      sent.push(result);
      if (hasRows(text)) {
        await allOf(sent);
        step = transaction.next((await result).rows);
      } else {
        step = transaction.next([]);
      }
    }
    sent.push(client.query("COMMIT"));
    await allOf(sent);
    return step.value;
  } catch (error) {
    await Promise.allSettled(sent);
    if (!isConnectionLost(error)) await client.query("ROLLBACK");
    throw error;
  }
}

function hasRows(text: string): boolean {
  return !/^(INSERT|UPDATE|DELETE) /.test(text) || text.includes(" RETURNING ");
}

/** Waits for all, and empties the list. @throws the error of the first that failed, which made the others fail */
async function allOf(sent: Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(sent.splice(0));
  for (const result of results) if (result.status === "rejected") throw result.reason;
}
