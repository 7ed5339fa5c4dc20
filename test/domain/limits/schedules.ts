import fc from "fast-check";

/** 2026-12-01T00:00:00Z, in Unix milliseconds: schedules begin within a day of it. */
const EPOCH = Date.UTC(2026, 11, 1);

/** A moment in Unix milliseconds, whole or with a fraction, as performance clocks give it. */
export const moment = fc.oneof(
  fc.integer({ min: EPOCH, max: EPOCH + 86_400_000 }),
  fc.double({ min: EPOCH, max: EPOCH + 86_400_000, noNaN: true }),
);

/** The milliseconds until the next request: mostly few, sometimes about one second, one minute or one day. */
export const pause = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 50 }) },
  { weight: 3, arbitrary: fc.double({ min: 0, max: 3_000, noNaN: true }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 70_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 90_000_000 }) },
);

/** Limits small enough for a schedule to reach them. */
export const limits = fc.record({ perMinute: fc.integer({ min: 1, max: 8 }), perDay: fc.integer({ min: 1, max: 20 }) });
