/** Formats a time (Unix milliseconds) in UTC with seconds: `2026-11-21 08:30:00Z`. */
export function formatTime(time: number): string {
  return new Date(time).toISOString().replace("T", " ").replace(/\.\d+/, "");
}
