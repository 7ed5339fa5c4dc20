/** A time (Unix milliseconds) as JSON has it: RFC 3339 in UTC, to the millisecond; null when there is none. */
export function timestampOf(time: number): string;
export function timestampOf(time: number | undefined): string | null;
export function timestampOf(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}
