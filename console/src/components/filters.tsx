import { useEffect, useRef, useState } from "preact/hooks";
import { formatDateTime, toLocalInput } from "../format.ts";
import { changeQuery } from "../route.ts";
import { Icon } from "./button.tsx";

type Choices = readonly (readonly [value: string, name: string])[];

/**
 * A filter of a list, by the name that it has in the address: a text, one of some values, or a time, which is in UTC there. "" is
 * none. A text applies as it is typed, once it `isComplete`. An order of the list is none of the filters that are set.
 */
export type Filter = TypedFilter | ChoiceFilter;

type Named = { name: string; label: string };
type TypedFilter =
  | (Named & { kind: "text"; placeholder: string; inputMode?: "numeric"; isComplete?: (text: string) => boolean })
  | (Named & { kind: "time" });
type ChoiceFilter = Named & { kind: "choice" | "order"; none: string; options: Choices };

/** A filter by the id of something. */
export const idFilter = (name: string, label: string, of: string): Filter => ({
  ...{ kind: "text", name, label, placeholder: `Id of the ${of}`, inputMode: "numeric" },
});

type FiltersProps = {
  /** The page of the list, whose address has the filters. */
  page: string;
  of: readonly Filter[];
  parameters: URLSearchParams;
};

/** The filters of a list, and those that are set, with buttons that clear one and all. */
export function Filters({ page, of: filters, parameters }: FiltersProps) {
  const valueIn = ({ name }: Filter) => parameters.get(name) ?? "";
  const set = filters.filter((filter) => filter.kind !== "order" && valueIn(filter) !== "");
  const clear = (cleared: readonly Filter[]) =>
    changeQuery(page, Object.fromEntries(cleared.map(({ name }) => [name, ""])));
  return (
    <search>
      <div class="filters">
        {filters.map((filter) => {
          const set = (value: string) => changeQuery(page, { [filter.name]: value });
          const props = { key: filter.name, value: valueIn(filter), onChange: set };
          return "options" in filter ? <Choice of={filter} {...props} /> : <Typed of={filter} {...props} />;
        })}
      </div>
      {set.length > 0 && (
        <ul class="set-filters" aria-label="Filters that are set">
          {set.map((filter) => (
            <li key={filter.name}>
              <button type="button" title="Clear this filter" onClick={() => clear([filter])}>
                <span class="visually-hidden">Clear </span>
                {filter.label}: <strong>{textOf(filter, valueIn(filter))}</strong>
                <Icon name="close" />
              </button>
            </li>
          ))}
          {set.length > 1 && (
            <li>
              <button type="button" class="all" onClick={() => clear(set)}>
                Clear all
              </button>
            </li>
          )}
        </ul>
      )}
    </search>
  );
}

/** A value of a filter for people. */
function textOf(filter: Filter, value: string): string {
  if (filter.kind === "time" && toLocalInput(new Date(value)) !== "") return formatDateTime(new Date(value));
  const options: Choices = "options" in filter ? filter.options : [];
  return options.find(([option]) => option === value)?.[1] ?? value;
}

type FieldProps<F> = { of: F; value: string; onChange: (value: string) => void };

function Choice({ of: { label, none, options }, value, onChange }: FieldProps<ChoiceFilter>) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">{none}</option>
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** After so long without a key press, in ms, what was typed applies. */
const PAUSE_MS = 250;

/** A field that applies after a pause, or at once on Enter and when it loses the focus. */
function Typed({ of: filter, value, onChange }: FieldProps<TypedFilter>) {
  const isTime = filter.kind === "time";
  const shown = isTime ? toLocalInput(new Date(value)) : value;
  const [typed, setTyped] = useState(shown);
  const applied = useRef(shown);
  useEffect(() => {
    // Not when the address follows the field: meanwhile more may have been typed.
    if (shown !== applied.current) setTyped(shown);
    applied.current = shown;
  }, [shown]);
  const text = typed.trim();
  const isComplete = text === "" || filter.kind === "time" || (filter.isComplete?.(text) ?? true);
  const apply = () => {
    if (text === applied.current || !isComplete) return;
    applied.current = text;
    onChange(isTime && text !== "" ? new Date(text).toISOString() : text);
  };
  useEffect(() => {
    const timer = setTimeout(apply, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <label class={filter.kind}>
      {filter.label}
      <input
        {...(filter.kind === "time"
          ? { type: "datetime-local" }
          : { type: "search", inputMode: filter.inputMode ?? "text", placeholder: filter.placeholder })}
        aria-invalid={!isComplete}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={apply}
      />
    </label>
  );
}

type SegmentedControlProps<T extends string> = {
  label: string;
  /** Values and their names. */
  options: readonly (readonly [T, string])[];
  value: T;
  onChange: (value: T) => void;
};

/** A choice of one of a few options, side by side. */
export function SegmentedControl<T extends string>({ label, options, value, onChange }: SegmentedControlProps<T>) {
  return (
    <fieldset class="segmented-control">
      <legend class="visually-hidden">{label}</legend>
      {options.map(([option, name]) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => onChange(option)}>
          {name}
        </button>
      ))}
    </fieldset>
  );
}
