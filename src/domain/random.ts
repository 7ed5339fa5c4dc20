/** Returns the next number from 0 to below 1. */
export type Random = () => number;

/** Pseudo-random numbers that are the same for the same seed, a 32-bit integer, on every runtime. */
export function randomFrom(seed: number): Random {
  let position = 0;
  return () => randomAt(seed, ++position);
}

/** The number at `position`, from 1, of those that the seed gives (mulberry32). */
export function randomAt(seed: number, position: number): number {
  const state = (seed + Math.imul(position, 0x6d2b79f5)) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const mixed = [...items];
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [mixed[last], mixed[other]] = [mixed[other] as T, mixed[last] as T];
  }
  return mixed;
}
