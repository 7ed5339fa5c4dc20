import { SegmentedControl } from "../components/segmented-control.tsx";
import { toLocalInput } from "../format/time.ts";
import { newCustomRange, type RangeName, type TimeRange, timeRanges } from "./time-range.ts";

type TimeRangePickerProps = {
  range: TimeRange;
  onChange: (range: TimeRange) => void;
  /** Without "live". */
  isPast?: boolean;
};

/** A choice of a time range; a custom one has two fields for its start and its end, in the time zone of the browser. */
export function TimeRangePicker({ range, onChange, isPast = false }: TimeRangePickerProps) {
  const choose = (name: RangeName) => onChange(name === "custom" ? newCustomRange(Date.now()) : { name });
  return (
    <div class="time-range">
      <SegmentedControl
        label="Time range"
        options={isPast ? timeRanges.slice(1) : timeRanges}
        value={range.name}
        onChange={choose}
      />
      {range.name === "custom" && (
        <div class="custom-range">
          <TimeField label="From" value={range.from} max={range.to} onChange={(from) => onChange({ ...range, from })} />
          <TimeField label="To" value={range.to} min={range.from} onChange={(to) => onChange({ ...range, to })} />
        </div>
      )}
    </div>
  );
}

type TimeFieldProps = {
  label: string;
  /** Unix ms, as the bounds are. */
  value: number;
  min?: number;
  max?: number;
  onChange: (time: number) => void;
};

/** Takes effect when it is a time within the bounds: until then the browser marks it as invalid. */
function TimeField({ label, value, min, max, onChange }: TimeFieldProps) {
  const local = (time: number | undefined) => (time === undefined ? undefined : toLocalInput(new Date(time)));
  return (
    <label>
      {label}
      <input
        type="datetime-local"
        required
        value={local(value)}
        min={local(min)}
        max={local(max)}
        onChange={({ currentTarget }) => {
          if (currentTarget.checkValidity()) onChange(new Date(currentTarget.value).getTime());
        }}
      />
    </label>
  );
}
