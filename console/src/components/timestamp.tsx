import { formatDateTime, formatRelative, formatUtc } from "../format/time.ts";

/** A time in the time zone of the browser, which it names, or relative to now. The tooltip gives it in UTC. */
export function Timestamp({ at, format = "absolute" }: { at: string | null; format?: "absolute" | "relative" }) {
  if (at === null) return <span class="faint">never</span>;
  const time = new Date(at);
  const isRelative = format === "relative";
  return (
    <time dateTime={at} title={isRelative ? `${formatDateTime(time)}\n${formatUtc(time)}` : formatUtc(time)}>
      {isRelative ? formatRelative(time, Date.now()) : formatDateTime(time)}
    </time>
  );
}
