import type { Window } from "../api/responses.ts";
import { Meter } from "../components/values.tsx";
import { formatCompact, formatCount } from "../format.ts";

/** The used part of a limit; undefined while Redis does not respond. */
export function LimitBar({ label, window }: { label: string; window: Window | undefined }) {
  if (window === undefined) return <span class="faint">unknown</span>;
  return (
    <div class="limit-bar" title={`${formatCount(window.used)} of ${formatCount(window.limit)}`}>
      <span class="number">
        {formatCompact(window.used)} <span class="faint">/ {formatCompact(window.limit)}</span>
      </span>
      <Meter label={label} value={window.used} max={window.limit} tone="load" />
    </div>
  );
}
