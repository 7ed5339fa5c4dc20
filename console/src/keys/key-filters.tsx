import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../components/button.tsx";
import { deployment } from "../deployment.ts";
import { plans, states } from "./labels.ts";

/** `rehearsing` is "true" for only the keys with a simulation. */
export type Filters = Record<"search" | "owner" | "plan" | "state" | "rehearsing" | "sort", string>;
type KeyFiltersProps = { filters: Filters; onFilter: (changed: Partial<Filters>) => void };

const DEBOUNCE_MS = 200;

export function KeyFilters({ filters, onFilter }: KeyFiltersProps) {
  const [search, setSearch] = useState(filters.search);
  const applied = useRef(filters.search);
  useEffect(() => {
    // Not when the address follows the field: meanwhile more may have been typed.
    if (filters.search !== applied.current) setSearch(filters.search);
    applied.current = filters.search;
  }, [filters.search]);
  useEffect(() => {
    if (search === applied.current) return;
    const timer = setTimeout(() => {
      applied.current = search;
      onFilter({ search });
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [search]);
  return (
    <search class="filters">
      <label class="search">
        <span class="visually-hidden">Search by name, id, owner or last four characters</span>
        <Icon name="search" />
        <input
          type="search"
          placeholder="Name, id, owner or last four characters"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </label>
      <OwnerFilter value={filters.owner} onChange={(changed) => onFilter({ owner: changed })} />
      <Filter
        name="Plan"
        all="All plans"
        options={plans}
        value={filters.plan}
        onChange={(plan) => onFilter({ plan })}
      />
      <Filter
        name="State"
        all="All states"
        options={states}
        value={filters.state}
        onChange={(state) => onFilter({ state })}
      />
      {(deployment === "staging" || filters.rehearsing !== "") && (
        <Filter
          name="Rehearsal"
          all="All keys"
          options={[["true", "Rehearsing"]]}
          value={filters.rehearsing}
          onChange={(rehearsing) => onFilter({ rehearsing })}
        />
      )}
      <Filter
        name="Order"
        all="Newest first"
        options={[["owner", "By owner"]]}
        value={filters.sort}
        onChange={(changed) => onFilter({ sort: changed })}
      />
    </search>
  );
}

type OwnerFilterProps = { value: string; onChange: (value: string) => void };

/** It applies on Enter, or when the field loses the focus: a part of a name or address is no owner. */
function OwnerFilter({ value, onChange }: OwnerFilterProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  return (
    <input
      type="search"
      aria-label="Owner"
      placeholder="Owner's name or e-mail"
      value={typed}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
    />
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
