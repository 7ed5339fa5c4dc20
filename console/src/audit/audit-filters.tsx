import { SelectFilter, TextFilter, TimeFilter } from "../components/filters.tsx";
import { actionLabels } from "./action-labels.ts";

/** The filters of the audit log as parameters of the API; "" for none. Times are RFC 3339 in UTC. */
export type Filters = { operator: string; action: string; target: string; from: string; to: string };
export const noFilters: Filters = { operator: "", action: "", target: "", from: "", to: "" };

type AuditFiltersProps = { filters: Filters; onFilter: (changed: Partial<Filters>) => void };

export function AuditFilters({ filters, onFilter }: AuditFiltersProps) {
  return (
    <search class="filters">
      <TextFilter
        label="Operator"
        placeholder="Name or id"
        value={filters.operator}
        onChange={(operator) => onFilter({ operator })}
      />
      <SelectFilter
        label="Action"
        all="All actions"
        value={filters.action}
        options={Object.entries(actionLabels)}
        onChange={(action) => onFilter({ action })}
      />
      <TextFilter label="Target" placeholder="Id" value={filters.target} onChange={(target) => onFilter({ target })} />
      <TimeFilter label="From" value={filters.from} onChange={(from) => onFilter({ from })} />
      <TimeFilter label="To" value={filters.to} onChange={(to) => onFilter({ to })} />
    </search>
  );
}
