import { ago, dayAndTime, inUtc } from "../words/time.ts";

/** A moment in the reader's zone, or how long ago it was; in UTC when pointed at. */
export function Moment({ at, as = "time" }: { at: string | null; as?: "time" | "ago" }) {
  if (at === null) return <span class="faint">never</span>;
  const moment = new Date(at);
  return (
    <time dateTime={at} title={as === "ago" ? `${dayAndTime(moment)}\n${inUtc(moment)}` : inUtc(moment)}>
      {as === "ago" ? ago(moment, Date.now()) : dayAndTime(moment)}
    </time>
  );
}
