import { csvRows } from "../../adapters/files/csv-table.ts";
import { ownerJson } from "../../domain/keys/json.ts";
import { ownerText } from "../../domain/keys/owner.ts";
import type { Ranking } from "../../domain/usage/ranking.ts";
import { topKeys } from "../../domain/usage/top-keys.ts";
import { print } from "../print.ts";
import type { Stores } from "../stores.ts";
import { tableOf, terminalWidth } from "../table.ts";
import { COLUMNS, cellsOf, countsJson, rangeJson, rangeText, type Selected, withSeparators } from "./columns.ts";

type Options = { ranking: Ranking; limit: number; csv: boolean | undefined; json: boolean | undefined };

/** Shows the keys with the most requests, or refusals, and their present plans. */
export async function showTopKeys(stores: Stores, selected: Selected, options: Options): Promise<void> {
  const { ranking, limit, csv, json } = options;
  const keys = await withNames(stores, await topKeys(stores.usage, selected, ranking, limit));
  if (csv) {
    const rows = keys.map(({ keyId, name, plan, owner, sum }) => [
      keyId,
      name,
      plan,
      owner === undefined ? "" : ownerText(owner),
      ...cellsOf(sum),
    ]);
    process.stdout.write(csvRows([["keyId", "keyName", "plan", "owner", ...COLUMNS], ...rows]));
    return;
  }
  const body = {
    ...rangeJson(selected),
    keys: keys.map(({ keyId, name, plan, owner, sum }) => ({
      ...{ keyId, keyName: name, plan, owner: ownerJson(owner) },
      ...countsJson(sum),
    })),
  };
  const head = ["id", "name", "plan", ...COLUMNS].map((column) => column.toUpperCase());
  const rows = keys.map(({ keyId, name, plan, sum }) => [keyId, name, plan, ...cellsOf(sum, withSeparators)]);
  const text = () =>
    keys.length === 0
      ? `No key has ${ranking} ${rangeText(selected)}.`
      : `${tableOf([head, ...rows], head.indexOf("NAME"), terminalWidth())}\n${rangeText(selected)}`;
  print(json, body, text);
}

async function withNames(stores: Stores, top: Awaited<ReturnType<typeof topKeys>>) {
  const found = await Promise.all(top.map(async (one) => ({ ...one, stored: await stores.keys.get(one.keyId) })));
  return found.flatMap(({ stored, ...one }) =>
    stored === undefined ? [] : [{ ...one, name: stored.key.name, plan: stored.key.plan, owner: stored.key.owner }],
  );
}
