/** The upper bound of the first bucket in ms. Each further bound is a quarter of an octave (19 %) larger. */
const FIRST = 2 ** -8;
const PER_OCTAVE = 4;

/** The number of buckets. The last one holds everything above 23 s. */
export const BUCKETS = 92;

/** The bucket that a duration (ms) belongs to. */
export function bucketOf(duration: number): number {
  if (!(duration > FIRST)) return 0;
  return Math.min(BUCKETS - 1, Math.ceil(Math.log2(duration / FIRST) * PER_OCTAVE));
}

/** The number of requests in a bucket. */
export type BucketCount = { bucket: number; count: number };

/**
 * The duration (ms) that the fraction `share` (0 to 1) of the requests did not exceed, with an error of less than 19 %,
 * the width of a bucket. Undefined without requests.
 */
export function percentile(buckets: Iterable<BucketCount>, share: number): number | undefined {
  const counts = new Array<number>(BUCKETS).fill(0);
  for (const { bucket, count } of buckets) counts[bucket] = (counts[bucket] ?? 0) + count;
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let rank = Math.max(1, share * total);
  for (const [bucket, count] of counts.entries()) {
    if (rank <= count) return FIRST * 2 ** ((bucket - 1 + rank / count) / PER_OCTAVE);
    rank -= count;
  }
  return FIRST * 2 ** ((BUCKETS - 1) / PER_OCTAVE);
}
