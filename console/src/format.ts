const integer = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** `1,234,567` */
export const formatCount = (count: number): string => integer.format(count);

/** `1.2M`; in full below 10,000. */
export const formatCompact = (count: number): string =>
  Math.abs(count) < 10_000 ? integer.format(count) : compact.format(count);

/** `405.5 kB`, `1.2 GB` */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const unit = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)));
  return `${Number((bytes / 1000 ** unit).toFixed(1)).toLocaleString("en")} ${units[unit]}`;
}

/** A number per second, to about three significant digits. */
export function formatRate(perSecond: number): string {
  const decimals = perSecond >= 100 ? 0 : perSecond >= 10 ? 1 : 2;
  return formatCompact(Number(perSecond.toFixed(decimals)));
}

/** Two significant digits, in seconds from one second on; a dash for null. */
export function formatMilliseconds(milliseconds: number | null): string {
  if (milliseconds === null) return "–";
  if (milliseconds >= 995) return `${(milliseconds / 1000).toFixed(2)} s`;
  if (milliseconds < 0.01) return "< 0.01 ms";
  return `${milliseconds < 1 ? Number(milliseconds.toFixed(2)) : Number(milliseconds.toPrecision(2))} ms`;
}

/** A share in percent. It is rounded to neither 0 % nor 100 %; a dash when `total` is 0. */
export function formatPercent(part: number, total: number): string {
  if (total === 0) return "–";
  const percent = (100 * part) / total;
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  if (percent > 99.9 && percent < 100) return "> 99.9 %";
  return `${percent === 0 || percent === 100 ? percent : percent.toFixed(1)} %`;
}

/** `1 key`, `2 keys` */
export const pluralize = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

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
