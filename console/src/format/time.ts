const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** Date and time in the time zone and locale of the browser, with the zone. */
export const formatDateTime = (time: Date): string => dateTime.format(time);
export const formatDate = (time: Date): string => date.format(time);

/** `2026-12-02 10:00:00 UTC` */
export const formatUtc = (time: Date): string => `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** The value of a datetime-local input: to the minute, in the time zone of the browser; "" for an invalid time. */
export function toLocalInput(time: Date): string {
  if (Number.isNaN(time.getTime())) return "";
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * MINUTE);
  return shifted.toISOString().slice(0, 16);
}

/** `42 s ago` or `in 3 h`. `now` is Unix milliseconds. */
export function formatRelative(time: Date, now: number): string {
  const elapsed = now - time.getTime();
  if (Math.abs(elapsed) < 5_000) return elapsed >= 0 ? "just now" : "in a moment";
  return elapsed > 0 ? `${inLargestUnit(elapsed)} ago` : `in ${inLargestUnit(-elapsed)}`;
}

function inLargestUnit(milliseconds: number): string {
  if (milliseconds < MINUTE) return `${Math.max(1, Math.round(milliseconds / 1000))} s`;
  if (milliseconds < HOUR) return `${Math.round(milliseconds / MINUTE)} min`;
  if (milliseconds < 2 * DAY) return `${Math.round(milliseconds / HOUR)} h`;
  return `${Math.round(milliseconds / DAY).toLocaleString("en")} days`;
}

/** A duration in its two largest units: `1 d 2 h`. */
export function formatDuration(seconds: number): string {
  const units: [number, string][] = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [Math.floor(seconds) % 60, "s"],
  ];
  const first = units.findIndex(([count]) => count > 0);
  if (first === -1) return "0 s";
  const largest = units.slice(first, first + 2).filter(([count]) => count > 0);
  return largest.map(([count, unit]) => `${count} ${unit}`).join(" ");
}
