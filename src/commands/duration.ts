import { InvalidArgumentError } from "commander";
import { millisecondsOf } from "../domain/duration.ts";

/** Parses a duration such as 30s, 15m, 24h or 90d. Returns milliseconds. @throws InvalidArgumentError */
export function parseDuration(text: string): number {
  const milliseconds = millisecondsOf(text);
  if (milliseconds === undefined) {
    throw new InvalidArgumentError("It must be a duration such as 30s, 15m, 24h or 90d.");
  }
  return milliseconds;
}

/** Parses a duration above 0. Returns milliseconds. @throws InvalidArgumentError */
export function parseLifetime(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === 0) throw new InvalidArgumentError("It must be longer than 0, such as 24h or 90d.");
  return milliseconds;
}
