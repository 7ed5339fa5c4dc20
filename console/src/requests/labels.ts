import type { Tone } from "../components/values.tsx";

/** Classes of statuses, as the filter has them. */
export const statuses = [
  ["2xx", "2xx"],
  ["4xx", "4xx"],
  ["429", "429"],
  ["5xx", "5xx"],
] as const;

export function toneOf(status: number): Tone {
  if (status >= 500) return "bad";
  return status >= 400 ? "warn" : "good";
}

/** A duration in ms, such as `0.41 ms`. */
export function formatDuration(duration: number): string {
  return `${duration.toLocaleString("en", { maximumSignificantDigits: duration < 1 ? 2 : 3 })} ms`;
}
