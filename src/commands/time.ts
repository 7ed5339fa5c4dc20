/** A time (Unix milliseconds) for people to read, to the second, in UTC: `2026-11-21 08:30:00Z`. */
export function readableOf(moment: number): string {
  return new Date(moment).toISOString().replace("T", " ").replace(/\.\d+/, "");
}
