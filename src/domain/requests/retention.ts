import type { SegmentSummary } from "./segment.ts";

/** What the history keeps: the newest `requests`, and none that is older than `hours`. */
export type Retention = { requests: number; hours: number };

/** A segment whose first `skipped` requests are not kept any more. */
export type KeptSegment = SegmentSummary & { skipped: number };

const HOUR = 3_600_000;

/** The time before which no request is kept, at `now` (both Unix ms). */
export function keptSince({ hours }: Retention, now: number): number {
  return now - hours * HOUR;
}

/** The segments with requests that are kept, newest first. */
export function keptSegments(segments: readonly SegmentSummary[], retention: Retention, now: number): KeptSegment[] {
  const since = keptSince(retention, now);
  const newestFirst = [...segments].sort((a, b) => b.newest - a.newest || (a.id < b.id ? 1 : -1));
  const kept: KeptSegment[] = [];
  let left = retention.requests;
  for (const segment of newestFirst) {
    if (left <= 0 || segment.count === 0 || segment.newest < since) continue;
    kept.push({ ...segment, skipped: Math.max(0, segment.count - left) });
    left -= segment.count;
  }
  return kept;
}

/** The ids of the segments of which nothing is kept. */
export function expiredSegments(segments: readonly SegmentSummary[], retention: Retention, now: number): string[] {
  const kept = new Set(keptSegments(segments, retention, now).map(({ id }) => id));
  return segments.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
}
