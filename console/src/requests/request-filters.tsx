import { useFetch } from "../api/hooks.ts";
import type { ServiceState } from "../api/responses.ts";
import { SelectFilter, TextFilter, TimeFilter } from "../components/filters.tsx";
import { statuses } from "./labels.ts";

/** The filters of the request history as parameters of the API; "" for none. Times are RFC 3339 in UTC. */
export type Filters = Record<"keyId" | "operation" | "status" | "error" | "from" | "to", string>;
export const noFilters: Filters = { keyId: "", operation: "", status: "", error: "", from: "", to: "" };

type RequestFiltersProps = { filters: Filters; onFilter: (changed: Partial<Filters>) => void };

export function RequestFilters({ filters, onFilter }: RequestFiltersProps) {
  const { value: state } = useFetch<ServiceState>("/state");
  const operations = [...(state?.operations ?? []).map(({ id }) => id), "other"];
  return (
    <search class="filters">
      <TextFilter
        label="Key"
        placeholder="Id of the key"
        value={filters.keyId}
        onChange={(keyId) => onFilter({ keyId })}
      />
      <SelectFilter
        label="Status"
        all="All statuses"
        value={filters.status}
        options={statuses}
        onChange={(status) => onFilter({ status })}
      />
      <SelectFilter
        label="Operation"
        all="All operations"
        value={filters.operation}
        options={operations.map((id) => [id, id])}
        onChange={(operation) => onFilter({ operation })}
      />
      <TextFilter
        label="Error"
        placeholder="Code of the error"
        value={filters.error}
        onChange={(error) => onFilter({ error })}
      />
      <TimeFilter label="From" value={filters.from} onChange={(from) => onFilter({ from })} />
      <TimeFilter label="To" value={filters.to} onChange={(to) => onFilter({ to })} />
    </search>
  );
}
