import type { DeprecatedOperation } from "../api/responses.ts";
import { Meter } from "../components/values.tsx";
import { formatCount, formatDate, formatUtc } from "../format.ts";

/** The time until an operation is removed, and its replacement. */
export function Countdown({
  of: { operation, method, path, deprecatedAt, removedAt, daysLeft, replacement },
}: {
  of: DeprecatedOperation;
}) {
  const from = Date.parse(deprecatedAt);
  const to = Date.parse(removedAt);
  const elapsed = Math.min(Math.max(0, Date.now() - from), to - from);
  return (
    <section class="panel countdown" aria-label={`Removal of ${operation}`}>
      <div class="left">
        <strong>{formatCount(Math.max(0, daysLeft))}</strong>
        <span>{daysLeft === 1 ? "day left" : "days left"}</span>
      </div>
      <div class="what">
        <h2>
          <code>
            {method} {path}
          </code>
        </h2>
        <p>
          Use <code>{replacement}</code> instead. {daysLeft <= 0 && "The operation is removed and returns 410."}
        </p>
        <Meter label="Elapsed part of the deprecation period" value={elapsed} max={to - from} tone="accent" />
        <p class="dates faint">
          <span>
            Deprecated{" "}
            <time dateTime={deprecatedAt} title={formatUtc(new Date(from))}>
              {formatDate(new Date(from))}
            </time>
          </span>
          <span>
            Removed{" "}
            <time dateTime={removedAt} title={formatUtc(new Date(to))}>
              {formatDate(new Date(to))}
            </time>
          </span>
        </p>
      </div>
    </section>
  );
}
