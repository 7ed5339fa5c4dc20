import type { DeprecatedOperation } from "../api/answers.ts";
import { Meter } from "../parts/meter.tsx";
import { inFull } from "../words/number.ts";
import { day, inUtc } from "../words/time.ts";

const called: Record<string, string> = { getPet: "GET /pets/{petId}" };

/** How long an operation still is there, and what takes its place. */
export function Countdown({
  of: { operation, deprecatedAt, removedAt, daysLeft, replacement },
}: {
  of: DeprecatedOperation;
}) {
  const from = Date.parse(deprecatedAt);
  const to = Date.parse(removedAt);
  const passed = Math.min(Math.max(0, Date.now() - from), to - from);
  return (
    <section class="panel countdown" aria-label={`Removal of ${operation}`}>
      <div class="left">
        <strong>{inFull(Math.max(0, daysLeft))}</strong>
        <span>{daysLeft === 1 ? "day left" : "days left"}</span>
      </div>
      <div class="what">
        <h2>
          <code>{called[operation] ?? operation}</code>
        </h2>
        <p>
          Use <code>{replacement}</code> instead. {daysLeft <= 0 && "It has been removed: it answers 410."}
        </p>
        <Meter label="Part of the time that has passed" value={passed} of={to - from} tone="accent" />
        <p class="dates faint">
          <span>
            Deprecated{" "}
            <time dateTime={deprecatedAt} title={inUtc(new Date(from))}>
              {day(new Date(from))}
            </time>
          </span>
          <span>
            Removed{" "}
            <time dateTime={removedAt} title={inUtc(new Date(to))}>
              {day(new Date(to))}
            </time>
          </span>
        </p>
      </div>
    </section>
  );
}
