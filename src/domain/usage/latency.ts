/** The first bucket holds what took up to this many ms; each one after it reaches a fourth of an octave (19 %) further. */
const FIRST = 2 ** -8;
const PER_OCTAVE = 4;

/** How many buckets there are: the last one begins at 23 s, and holds everything beyond. */
export const BUCKETS = 92;

/** The bucket that a duration (ms) belongs to. */
export function bucketOf(duration: number): number {
  if (!(duration > FIRST)) return 0;
  return Math.min(BUCKETS - 1, Math.ceil(Math.log2(duration / FIRST) * PER_OCTAVE));
}

/** How many requests fell into one bucket. */
export type BucketCount = { bucket: number; count: number };

/**
 * The duration (ms) that a part `share` (0 to 1) of the requests did not exceed, or undefined where there were none.
 * It is off by less than a bucket's width, 19 %.
 */
export function percentile(buckets: Iterable<BucketCount>, share: number): number | undefined {
  const counts = new Array<number>(BUCKETS).fill(0);
  for (const { bucket, count } of buckets) counts[bucket] = (counts[bucket] ?? 0) + count;
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let left = Math.max(1, share * total);
  for (const [bucket, count] of counts.entries()) {
    if (left <= count) return FIRST * 2 ** ((bucket - 1 + left / count) / PER_OCTAVE);
    left -= count;
  }
  return FIRST * 2 ** ((BUCKETS - 1) / PER_OCTAVE);
}
