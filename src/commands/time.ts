/** A moment (Unix milliseconds) as scripts read it, ISO 8601, or null when there is none. */
export function isoOf(moment: number | undefined): string | null {
  return moment === undefined ? null : new Date(moment).toISOString();
}

/** The same as people read it, to the second, in UTC: `2026-11-21 08:30:00Z`. */
export function readableOf(moment: number): string {
  return new Date(moment).toISOString().replace("T", " ").replace(/\.\d+/, "");
}
