/** A time (Unix milliseconds) for JSON: RFC 3339 in UTC with milliseconds; null for undefined. */
export function timestampOf(time: number): string;
export function timestampOf(time: number | undefined): string | null;
export function timestampOf(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}
