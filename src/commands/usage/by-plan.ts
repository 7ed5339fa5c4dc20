import { csvRows } from "../../adapters/files/csv-table.ts";
import { timestampOf } from "../../domain/timestamp.ts";
import { usageByPlan } from "../../domain/usage/by-plan.ts";
import { print } from "../print.ts";
import type { Stores } from "../stores.ts";
import { columnsOf } from "../table.ts";
import { COLUMNS, cellsOf, countsJson, rangeJson, rangeText, type Selected, withSeparators } from "./columns.ts";

type Format = { csv: boolean | undefined; json: boolean | undefined };

/** Shows the requests of each plan; none is for requests without a valid key. */
export async function showUsageByPlan(stores: Stores, selected: Selected, { csv, json }: Format): Promise<void> {
  const plans = await usageByPlan(stores.usage, selected.resolution, selected.moments);
  if (csv) {
    const rows = plans.flatMap(({ plan, points }) =>
      points.map((point) => [timestampOf(point.at), plan, ...cellsOf(point)]),
    );
    process.stdout.write(csvRows([["at", "plan", ...COLUMNS], ...rows]));
    return;
  }
  const body = () => ({
    ...rangeJson(selected),
    plans: plans.map(({ plan, sum, points }) => ({
      plan,
      ...countsJson(sum),
      points: points.map((point) => ({ at: timestampOf(point.at), ...countsJson(point) })),
    })),
  });
  const text = () => {
    const head = ["plan", ...COLUMNS].map((name) => name.toUpperCase());
    return `${columnsOf([head, ...plans.map(({ plan, sum }) => [plan, ...cellsOf(sum, withSeparators)])])}\n${rangeText(selected)}`;
  };
  print(json, json ? body() : undefined, text);
}
