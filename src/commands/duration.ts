import { InvalidArgumentError } from "commander";

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d{1,6})([smhd])$/;

/** Parses a duration such as 30s, 15m, 24h or 90d. Returns milliseconds. @throws InvalidArgumentError */
export function parseDuration(text: string): number {
  const [, count, unit = ""] = DURATION.exec(text) ?? [];
  const milliseconds = UNITS[unit];
  if (count === undefined || milliseconds === undefined) {
    throw new InvalidArgumentError("It must be a duration such as 30s, 15m, 24h or 90d.");
  }
  return Number(count) * milliseconds;
}

/** Parses a duration above 0. Returns milliseconds. @throws InvalidArgumentError */
export function parseLifetime(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === 0) throw new InvalidArgumentError("It must be longer than 0, such as 24h or 90d.");
  return milliseconds;
}
