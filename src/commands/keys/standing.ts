import type { Standing } from "../../keys/standing.ts";
import { readableOf } from "../time.ts";

/** A standing in words. */
export function standingText(standing: Standing): string {
  if (standing.status !== "banned") return standing.status;
  return `banned until ${readableOf(standing.ban.until * 1000)}`;
}
