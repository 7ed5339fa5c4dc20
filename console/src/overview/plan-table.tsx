import type { PlanUsage } from "../api/responses.ts";
import { TableHead } from "../components/table.tsx";
import { formatCount, formatPercent } from "../format.ts";
import { countedPlans } from "./plan-series.ts";

/** The requests of each plan with requests. */
export function PlanTable({ plans }: { plans: PlanUsage[] }) {
  const total = plans.reduce((sum, { requests }) => sum + requests, 0);
  if (total === 0) return <p class="quiet">No request was counted by plan.</p>;
  return (
    <table class="cards">
      <TableHead
        columns={[
          "Plan",
          { title: "Requests", isNumeric: true },
          { title: "Successful", isNumeric: true },
          { title: "Rate limited", isNumeric: true },
        ]}
      />
      <tbody>
        {countedPlans.map(([plan, name, colour]) => {
          const usage = plans.find((one) => one.plan === plan);
          if (usage === undefined || usage.requests === 0) return null;
          return (
            <tr key={plan}>
              <th scope="row">
                <i class={`swatch ${colour}`} />
                {name}
              </th>
              <td data-label="Requests" class="number">
                {formatCount(usage.requests)}
                <div class="faint">{formatPercent(usage.requests, total)}</div>
              </td>
              <td data-label="Successful" class="number">
                {formatPercent(usage.byClass["2xx"], usage.requests)}
              </td>
              <td data-label="Rate limited" class="number">
                {formatCount(usage.refusals)}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
