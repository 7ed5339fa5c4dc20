const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d{1,6})([smhd])$/;

/** The milliseconds of a duration such as 30s, 15m, 24h or 90d; undefined for other text. */
export function millisecondsOf(text: string): number | undefined {
  const [, count, unit = ""] = DURATION.exec(text) ?? [];
  const milliseconds = UNITS[unit];
  return count === undefined || milliseconds === undefined ? undefined : Number(count) * milliseconds;
}
