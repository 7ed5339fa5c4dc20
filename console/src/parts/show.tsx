import type { ComponentChildren } from "preact";
import type { Loaded } from "../api/loaded.ts";
import { Failure } from "./failure.tsx";

type ShowProps<T> = {
  loaded: Loaded<T>;
  /** How many lines the grey shape of what is to come has. */
  lines?: number;
  children: (value: T) => ComponentChildren;
};

/** What was loaded; its shape until it is there; what went wrong instead of it, or above what was there before. */
export function Show<T>({ loaded, lines = 4, children }: ShowProps<T>) {
  const { value, error, isLoading, reload } = loaded;
  return (
    <>
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {value === undefined && error === undefined && <Shape lines={lines} />}
      {value !== undefined && <div class={isLoading ? "shown stale" : "shown"}>{children(value)}</div>}
    </>
  );
}

function Shape({ lines }: { lines: number }) {
  return (
    <div class="shape" role="status">
      <span class="unseen">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="bar" />
      ))}
    </div>
  );
}
