import { IdFilter, TextFilter } from "../components/filter.tsx";
import { SegmentedControl } from "../components/segmented-control.tsx";
import { statuses } from "./labels.ts";

const choices = [["", "All"], ...statuses] as const;
type Choice = (typeof choices)[number][0];

/** The filters of the list of pets; "" for none. */
export type Filters = { name: string; id: string; categoryId: string; status: Choice };
export const noFilters: Filters = { name: "", id: "", categoryId: "", status: "" };

/** The status of this name, or "" for any other text. */
export function statusOf(text: string): Choice {
  return choices.find(([value]) => value === text)?.[0] ?? "";
}

type PetFiltersProps = { filters: Filters; onFilter: (filters: Filters) => void };

export function PetFilters({ filters, onFilter }: PetFiltersProps) {
  const set = (change: Partial<Filters>) => onFilter({ ...filters, ...change });
  return (
    <search class="filters">
      <TextFilter label="Name" placeholder="Whole name" value={filters.name} onChange={(name) => set({ name })} />
      <IdFilter label="Id" of="pet" value={filters.id} onChange={(id) => set({ id })} />
      <IdFilter
        label="Category"
        of="category"
        value={filters.categoryId}
        onChange={(categoryId) => set({ categoryId })}
      />
      <SegmentedControl
        label="Status"
        options={choices}
        value={filters.status}
        onChange={(status) => set({ status })}
      />
    </search>
  );
}
