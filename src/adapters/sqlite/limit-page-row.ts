import { LimitPage } from "../../domain/limits/limit-page.ts";
import { limitStateIn } from "../sql/limit-state-text.ts";
import type { Row } from "../sql/sql.ts";

/** A row is one page of limit states. Its numbers are bytes as the processor has them: text would take five times as long. */
export function columnsOf({
  keyIds,
  numbers,
  others,
}: LimitPage): [keyIds: string, numbers: Uint8Array, others: string | null] {
  const text = others.size === 0 ? null : JSON.stringify(Object.fromEntries(others));
  return [keyIds, new Uint8Array(numbers.buffer), text];
}

export function pageIn(row: Row): LimitPage {
  const page = new LimitPage();
  const keyIds = String(row.key_ids).split(" ");
  for (const [place, id] of keyIds.entries()) page.assign(place, id);
  new Uint8Array(page.numbers.buffer).set(row.numbers as Uint8Array);
  const others = Object.entries(JSON.parse(String(row.others ?? "{}")));
  for (const [id, state] of others) page.set(keyIds.indexOf(id), limitStateIn(state));
  return page;
}
