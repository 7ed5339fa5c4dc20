import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { deployment } from "../deployment.ts";
import { plans, states } from "./labels.ts";

/** `rehearsing` is "true" for only the keys with a simulation. */
export type Filters = { search: string; plan: string; state: string; rehearsing: string };
type KeyFiltersProps = { filters: Filters; onFilter: (filters: Filters) => void };

const DEBOUNCE_MS = 200;

export function KeyFilters({ filters, onFilter }: KeyFiltersProps) {
  const [search, setSearch] = useState(filters.search);
  const applied = useRef(filters.search);
  const { plan, state, rehearsing } = filters;
  useEffect(() => {
    // Not when the address follows the field: meanwhile more may have been typed.
    if (filters.search !== applied.current) setSearch(filters.search);
    applied.current = filters.search;
  }, [filters.search]);
  useEffect(() => {
    if (search === applied.current) return;
    const timer = setTimeout(() => {
      applied.current = search;
      onFilter({ search, plan, state, rehearsing });
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [search, plan, state, rehearsing]);
  return (
    <search class="filters">
      <label class="search">
        <span class="visually-hidden">Search by name, id or last four characters</span>
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
        all="All plans"
        options={plans}
        value={filters.plan}
        onChange={(plan) => onFilter({ ...filters, plan })}
      />
      <Filter
        name="State"
        all="All states"
        options={states}
        value={filters.state}
        onChange={(state) => onFilter({ ...filters, state })}
      />
      {(deployment === "staging" || filters.rehearsing !== "") && (
        <Filter
          name="Rehearsal"
          all="All keys"
          options={[["true", "Rehearsing"]]}
          value={filters.rehearsing}
          onChange={(rehearsing) => onFilter({ ...filters, rehearsing })}
        />
      )}
    </search>
  );
}

type FilterProps = {
  name: string;
  all: string;
  options: readonly (readonly [string, string])[];
  value: string;
  onChange: (value: string) => void;
};

function Filter({ name, all, options, value, onChange }: FilterProps) {
  return (
    <select aria-label={name} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">{all}</option>
      {options.map(([option, label]) => (
        <option key={option} value={option}>
          {label}
        </option>
      ))}
    </select>
  );
}
