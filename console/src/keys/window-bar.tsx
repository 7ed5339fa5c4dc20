import type { Window } from "../api/answers.ts";
import { Meter } from "../parts/meter.tsx";
import { inFull, inShort } from "../words/number.ts";

/** How much of a window's requests is used; nobody knows while Redis is away. */
export function WindowBar({ label, window }: { label: string; window: Window | undefined }) {
  if (window === undefined) return <span class="faint">unknown</span>;
  const exact = `${inFull(window.used)} of ${inFull(window.limit)}`;
  return (
    <div class="window-bar" title={exact}>
      <span class="number">
        {inShort(window.used)} <span class="faint">/ {inShort(window.limit)}</span>
      </span>
      <Meter label={label} value={window.used} of={window.limit} tone="load" />
    </div>
  );
}
