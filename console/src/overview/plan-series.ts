import type { PlanUsage } from "../api/responses.ts";
import type { Series } from "../components/plot.ts";
import { plans } from "../pages/key-labels.tsx";

/** Each plan with its name and the custom property of its colour, also of the requests without a valid key. */
export const countedPlans: [PlanUsage["plan"], string, string][] = [
  ...plans.map(([plan, name]): [PlanUsage["plan"], string, string] => [plan, name, `plan-${plan}`]),
  ["none", "No valid key", "plan-none"],
];

/** The requests of each plan by point. */
export function planSeries(usages: PlanUsage[]): Series[] {
  return countedPlans.map(([plan, name, colour]) => {
    const points = usages.find((one) => one.plan === plan)?.points ?? [];
    return { name, colour, values: points.map(({ requests }) => requests) };
  });
}
