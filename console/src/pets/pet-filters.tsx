import { IdFilter, SegmentedControl, TextFilter } from "../components/filters.tsx";
import { statuses } from "./labels.ts";

const choices = [["", "All"], ...statuses] as const;
type Choice = (typeof choices)[number][0];

/** The filters of the list of pets; "" for none. */
export type Filters = { name: string; id: string; categoryId: string; status: Choice };

/** The status of this name, or "" for any other text. */
export function statusOf(text: string): Choice {
  return choices.find(([value]) => value === text)?.[0] ?? "";
}

type PetFiltersProps = { filters: Filters; onFilter: (changed: Partial<Filters>) => void };

export function PetFilters({ filters, onFilter }: PetFiltersProps) {
  return (
    <search class="filters">
      <TextFilter label="Name" placeholder="Whole name" value={filters.name} onChange={(name) => onFilter({ name })} />
      <IdFilter label="Id" of="pet" value={filters.id} onChange={(id) => onFilter({ id })} />
      <IdFilter
        label="Category"
        of="category"
        value={filters.categoryId}
        onChange={(categoryId) => onFilter({ categoryId })}
      />
      <SegmentedControl
        label="Status"
        options={choices}
        value={filters.status}
        onChange={(status) => onFilter({ status })}
      />
    </search>
  );
}
