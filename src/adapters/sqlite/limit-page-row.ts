import { LimitPage } from "../../domain/limits/limit-page.ts";
import { limitStateIn } from "../sql/limit-state-text.ts";
import type { Row } from "../sql/sql.ts";

/** The columns of a row after its number. */
type Columns = [keyIds: string, numbers: Uint8Array, others: string | null];

/** A row is one page of limit states. Its numbers are bytes as the processor has them: text would take five times as long. */
export function columnsOf({ keyIds, numbers, others }: LimitPage): Columns {
  const text = others.size === 0 ? null : JSON.stringify(Object.fromEntries(others));
  return [keyIds, new Uint8Array(numbers.buffer), text];
}

/** @throws when the row is damaged */
export function pageIn(row: Row): LimitPage {
  const page = new LimitPage();
  const keyIds = String(row.key_ids).split(" ");
  for (const [place, id] of keyIds.entries()) page.assign(place, id);
  const bytes = row.numbers as Uint8Array;
  // A page of what was saved before there were pages has none.
  const isWhole = bytes.length === 0 || bytes.length === page.numbers.byteLength;
  if (!isWhole) throw new Error(`its numbers have ${bytes.length} bytes`);
  new Uint8Array(page.numbers.buffer).set(bytes);
  const others = Object.entries(JSON.parse(String(row.others ?? "{}")));
  for (const [id, state] of others) page.set(keyIds.indexOf(id), limitStateIn(state));
  return page;
}
