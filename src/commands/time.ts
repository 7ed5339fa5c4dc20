/** A moment (Unix milliseconds) in ISO 8601, for scripts; null when there is none. */
export function isoOf(moment: number | undefined): string | null {
  return moment === undefined ? null : new Date(moment).toISOString();
}

/** The same for people, to the second, in UTC: `2026-11-21 08:30:00Z`. */
export function readableOf(moment: number): string {
  return new Date(moment).toISOString().replace("T", " ").replace(/\.\d+/, "");
}
