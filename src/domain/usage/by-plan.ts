import { type CountedPlan, countedPlans } from "./plan-counts.ts";
import { type Point, pointsOf, sumOf } from "./point.ts";
import type { Resolution } from "./resolution.ts";
import { totalOf } from "./roll-up.ts";
import type { UsageStore } from "./store.ts";

/** The requests that were on a plan when they were answered, by point and in total, but not by operation. */
export type PlanUsage = { plan: CountedPlan; points: Point[]; sum: Point };

/** The usage of each plan in a range of consecutive minutes, hours or days (Unix ms). @throws service_unavailable */
export async function usageByPlan(
  store: Pick<UsageStore, "usageOfPlans">,
  resolution: Resolution,
  moments: readonly number[],
): Promise<PlanUsage[]> {
  const rows = await store.usageOfPlans(resolution, moments);
  return countedPlans.map((plan) => {
    const ofPlan = rows.filter(({ who }) => who === totalOf(plan));
    const points = pointsOf(moments, ofPlan);
    return { plan, points, sum: sumOf(moments[0] ?? 0, points) };
  });
}
