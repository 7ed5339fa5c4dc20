import type { JSX } from "preact";
import { toLocalInput } from "../format/time.ts";
import { actionLabels } from "./action-labels.ts";

/** The filters of the audit log as parameters of the API; "" for none. Times are RFC 3339 in UTC. */
export type Filters = { operator: string; action: string; target: string; from: string; to: string };
export const noFilters: Filters = { operator: "", action: "", target: "", from: "", to: "" };

type AuditFiltersProps = { filters: Filters; onFilter: (filters: Filters) => void };

/** Text applies when it is entered, that is on Enter or when the field loses the focus. */
export function AuditFilters({ filters, onFilter }: AuditFiltersProps) {
  const set = (change: Partial<Filters>) => onFilter({ ...filters, ...change });
  return (
    <search class="filters">
      <label>
        Operator
        <input
          type="search"
          placeholder="Name or id"
          value={filters.operator}
          onChange={({ currentTarget }) => set({ operator: currentTarget.value.trim() })}
        />
      </label>
      <label>
        Action
        <select value={filters.action} onChange={({ currentTarget }) => set({ action: currentTarget.value })}>
          <option value="">All actions</option>
          {Object.entries(actionLabels).map(([action, label]) => (
            <option key={action} value={action}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        Target
        <input
          type="search"
          placeholder="Id"
          value={filters.target}
          onChange={({ currentTarget }) => set({ target: currentTarget.value.trim() })}
        />
      </label>
      <TimeFilter label="From" value={filters.from} onChange={(from) => set({ from })} />
      <TimeFilter label="To" value={filters.to} onChange={(to) => set({ to })} />
    </search>
  );
}

type TimeFilterProps = { label: string; value: string; onChange: (value: string) => void };

/** A time in the time zone of the browser; `value` is in UTC. */
function TimeFilter({ label, value, onChange }: TimeFilterProps): JSX.Element {
  return (
    <label>
      {label}
      <input
        type="datetime-local"
        value={toLocalInput(new Date(value))}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === "" ? "" : new Date(currentTarget.value).toISOString())
        }
      />
    </label>
  );
}
