import fc from "fast-check";

/** 2026-12-01T00:00:00Z, in Unix milliseconds: schedules begin within a day of it. */
const EPOCH = Date.UTC(2026, 11, 1);

/** A moment in Unix milliseconds: a whole second, a whole millisecond, or with a fraction, as performance clocks give it. */
export const moment = fc.oneof(
  fc.nat(86_400).map((second) => EPOCH + second * 1000),
  fc.integer({ min: EPOCH, max: EPOCH + 86_400_000 }),
  fc.double({ min: EPOCH, max: EPOCH + 86_400_000, noNaN: true }),
);

/** The lengths of bursts, windows, strikes and bans, in ms: a request comes just before, exactly at, or just after each. */
const exact = fc
  .tuple(fc.constantFrom(2_000, 60_000, 300_000, 600_000, 86_400_000), fc.constantFrom(-1, 0, 1))
  .map(([length, beside]) => length + beside);

/** The milliseconds until the next request: mostly few, sometimes about one second, one minute or one day. */
export const pause = fc.oneof(
  { weight: 2, arbitrary: exact },
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 50 }) },
  { weight: 3, arbitrary: fc.double({ min: 0, max: 3_000, noNaN: true }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 70_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 90_000_000 }) },
);

/** Limits small enough for a schedule to reach them. */
export const limits = fc.record({ perMinute: fc.integer({ min: 1, max: 8 }), perDay: fc.integer({ min: 1, max: 20 }) });
