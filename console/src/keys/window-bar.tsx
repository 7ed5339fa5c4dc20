import type { Window } from "../api/answers.ts";
import { Meter } from "../parts/meter.tsx";
import { inFull, inShort } from "../words/number.ts";

/** How much of a window's requests is used. */
export function WindowBar({ label, window }: { label: string; window: Window }) {
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
