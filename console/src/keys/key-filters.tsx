import { useEffect, useState } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { plans, states } from "./words.ts";

export type Filters = { search: string; plan: string; state: string };
type KeyFiltersProps = { filters: Filters; onFilter: (filters: Filters) => void };

const PAUSE = 200;

export function KeyFilters({ filters, onFilter }: KeyFiltersProps) {
  const [search, setSearch] = useState(filters.search);
  useEffect(() => setSearch(filters.search), [filters.search]);
  // Asked for once the reader pauses, not at every letter.
  useEffect(() => {
    if (search === filters.search) return;
    const timer = setTimeout(() => onFilter({ ...filters, search }), PAUSE);
    return () => clearTimeout(timer);
  }, [search, filters, onFilter]);
  return (
    <search class="filters">
      <label class="search">
        <span class="unseen">Search by name, id or last four characters</span>
        <Icon name="search" />
        <input
          type="search"
          placeholder="Name, id or last four characters"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </label>
      <Filter
        name="Plan"
        any="Any plan"
        options={plans}
        value={filters.plan}
        onChoose={(plan) => onFilter({ ...filters, plan })}
      />
      <Filter
        name="State"
        any="Any state"
        options={states}
        value={filters.state}
        onChoose={(state) => onFilter({ ...filters, state })}
      />
    </search>
  );
}

type FilterProps = {
  name: string;
  any: string;
  options: readonly (readonly [string, string])[];
  value: string;
  onChoose: (value: string) => void;
};

function Filter({ name, any, options, value, onChoose }: FilterProps) {
  return (
    <select aria-label={name} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      <option value="">{any}</option>
      {options.map(([option, words]) => (
        <option key={option} value={option}>
          {words}
        </option>
      ))}
    </select>
  );
}
