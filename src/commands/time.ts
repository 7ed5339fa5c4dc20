/** Formats a time (Unix milliseconds) in UTC with seconds: `2026-11-21 08:30:00Z`. */
export function formatTime(time: number): string {
  return new Date(time).toISOString().replace("T", " ").replace(/\.\d+/, "");
}

/** Formats the day of a time (Unix milliseconds) in UTC: `2026-11-21`. */
export function formatDay(time: number): string {
  return formatTime(time).slice(0, 10);
}

/** Formats a time (Unix milliseconds) of the next 24 hours in UTC: `08:30Z`. */
export function formatTimeOfDay(time: number): string {
  return `${formatTime(time).slice(11, 16)}Z`;
}
