import type { Key, Window } from "../api/responses.ts";
import { Panel } from "../components/page.tsx";
import { Meter, Timestamp } from "../components/values.tsx";
import { formatCount, pluralize } from "../format.ts";

/** The limit state of a key: both windows, strikes and ban. */
export function KeyLimits({ of: { usage } }: { of: Key }) {
  if (usage === null) {
    return (
      <Panel title="Limits">
        <p class="quiet">Unavailable: Redis, which counts requests, is not responding.</p>
      </Panel>
    );
  }
  return (
    <Panel title="Limits">
      <LimitWindow name="Per minute" window={usage.minute} />
      <LimitWindow name="Per day" window={usage.day} />
      <p class="quiet">
        {usage.bannedUntil === null ? (
          `${pluralize(usage.strikes, "strike")}. A key that keeps sending requests after 429 responses is banned.`
        ) : (
          <>
            Banned until <Timestamp at={usage.bannedUntil} />: it kept sending requests after 429 responses.
          </>
        )}
      </p>
    </Panel>
  );
}

/** Whether the window still counts. If not, the next request opens a new one. */
function isOpen({ resetAt }: Window): boolean {
  return resetAt !== null && Date.parse(resetAt) > Date.now();
}

function LimitWindow({ name, window }: { name: string; window: Window }) {
  return (
    <div class="limit-window">
      <span>{name}</span>
      <span>
        <strong>{formatCount(window.used)}</strong> of {formatCount(window.limit)}
      </span>
      <Meter label={`Requests ${name.toLowerCase()}`} value={window.used} max={window.limit} tone="load" />
      <span class="faint">{formatCount(window.remaining)} remaining</span>
      <span class="faint">
        {isOpen(window) && (
          <>
            resets <Timestamp at={window.resetAt} format="relative" />
          </>
        )}
      </span>
    </div>
  );
}
