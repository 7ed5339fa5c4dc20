import { lengthOf, type Resolution } from "./resolution.ts";

/** The minutes, hours and days that together are a range. Each is in none of the others. */
export type Cover = Record<Resolution, number[]>;

/** Covers a range of consecutive minutes, hours or days with as few as possible: each has the sum of the shorter ones. */
export function coverOf(resolution: Resolution, moments: readonly number[]): Cover {
  const cover: Cover = { minute: [], hour: [], day: [] };
  const end = (moments.at(-1) ?? 0) + lengthOf[resolution];
  for (let at = moments[0] ?? end; at < end; ) {
    const longest = (["day", "hour"] as const).find((one) => at % lengthOf[one] === 0 && at + lengthOf[one] <= end);
    const part = longest ?? "minute";
    cover[part].push(at);
    at += lengthOf[part];
  }
  return cover;
}
