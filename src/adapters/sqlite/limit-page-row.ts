import { LimitPage } from "../../domain/limits/limit-page.ts";
import { limitStateIn } from "../sql/counters.ts";
import type { Row } from "../sql/sql.ts";

/**
 * The columns of a row of `limit_windows` after its number. The numbers are bytes as the processor has them: text would take
 * five times as long.
 */
export function windowColumns({ numbers, others }: LimitPage): [numbers: Uint8Array, others: string | null] {
  const text = others.size === 0 ? null : JSON.stringify(Object.fromEntries(others));
  return [new Uint8Array(numbers.buffer), text];
}

/** The page of a row of `limit_windows`, with the `key_ids` of `limit_keys`. @throws when the row is damaged */
export function pageIn(row: Row): LimitPage {
  const page = new LimitPage();
  const keyIds = String(row.key_ids).split(" ");
  for (const [place, id] of keyIds.entries()) page.assign(place, id);
  const bytes = row.numbers as Uint8Array;
  // A page of what was saved in another form has none.
  const isWhole = bytes.length === 0 || bytes.length === page.numbers.byteLength;
  if (!isWhole) throw new Error(`its numbers have ${bytes.length} bytes`);
  new Uint8Array(page.numbers.buffer).set(bytes);
  const others = Object.entries(JSON.parse(String(row.others ?? "{}")));
  for (const [id, state] of others) page.set(keyIds.indexOf(id), limitStateIn(state));
  return page;
}
