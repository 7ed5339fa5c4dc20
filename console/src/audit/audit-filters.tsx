import { SelectFilter, TextFilter, TimeFilter } from "../components/filter.tsx";
import { actionLabels } from "./action-labels.ts";

/** The filters of the audit log as parameters of the API; "" for none. Times are RFC 3339 in UTC. */
export type Filters = { operator: string; action: string; target: string; from: string; to: string };
export const noFilters: Filters = { operator: "", action: "", target: "", from: "", to: "" };

type AuditFiltersProps = { filters: Filters; onFilter: (filters: Filters) => void };

export function AuditFilters({ filters, onFilter }: AuditFiltersProps) {
  const set = (change: Partial<Filters>) => onFilter({ ...filters, ...change });
  return (
    <search class="filters">
      <TextFilter
        label="Operator"
        placeholder="Name or id"
        value={filters.operator}
        onChange={(operator) => set({ operator })}
      />
      <SelectFilter
        label="Action"
        all="All actions"
        value={filters.action}
        options={Object.entries(actionLabels)}
        onChange={(action) => set({ action })}
      />
      <TextFilter label="Target" placeholder="Id" value={filters.target} onChange={(target) => set({ target })} />
      <TimeFilter label="From" value={filters.from} onChange={(from) => set({ from })} />
      <TimeFilter label="To" value={filters.to} onChange={(to) => set({ to })} />
    </search>
  );
}
