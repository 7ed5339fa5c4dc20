import type { Key, Window } from "../api/answers.ts";
import { Meter } from "../parts/meter.tsx";
import { Moment } from "../parts/moment.tsx";
import { Panel } from "../parts/page.tsx";
import { inFull, plural } from "../words/number.ts";

/** Where a key stands with its limits. */
export function KeyWindows({ of: { usage } }: { of: Key }) {
  if (usage === null) {
    return (
      <Panel title="Limits">
        <p class="quiet">Not known at the moment: Redis, where requests are counted, does not answer.</p>
      </Panel>
    );
  }
  return (
    <Panel title="Limits">
      <OpenWindow name="A minute" window={usage.minute} />
      <OpenWindow name="A day" window={usage.day} />
      <p class="quiet">
        {usage.bannedUntil === null ? (
          saidOfStrikes(usage.strikes)
        ) : (
          <>
            Banned until <Moment at={usage.bannedUntil} />, for going on after being refused.
          </>
        )}
      </p>
    </Panel>
  );
}

function saidOfStrikes(strikes: number): string {
  if (strikes === 0) return "No strikes: it waits when it is told to.";
  return `${plural(strikes, "strike")} for going on after being refused.`;
}

/** Whether it still counts; the next request opens another one otherwise. */
function isOpen({ resetAt }: Window): boolean {
  return resetAt !== null && Date.parse(resetAt) > Date.now();
}

function OpenWindow({ name, window }: { name: string; window: Window }) {
  return (
    <div class="open-window">
      <span>{name}</span>
      <span>
        <strong>{inFull(window.used)}</strong> of {inFull(window.limit)}
      </span>
      <Meter
        label={`Requests of the limit for ${name.toLowerCase()}`}
        value={window.used}
        of={window.limit}
        tone="load"
      />
      <span class="faint">{inFull(window.remaining)} left</span>
      <span class="faint">
        {isOpen(window) && (
          <>
            resets <Moment at={window.resetAt} as="ago" />
          </>
        )}
      </span>
    </div>
  );
}
