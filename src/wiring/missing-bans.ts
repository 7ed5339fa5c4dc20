import type { Key } from "../domain/keys/key.ts";
import type { ActivityRecorder, KeyStore, KeysPage } from "../domain/keys/store.ts";
import type { Limiter } from "../domain/limits/limits.ts";

const PAGE_SIZE = 100;
/** The longest ban and the accuracy of `lastUsedAt`, in ms: a banned key was used within this time. */
const RECENTLY = 86_400_000 + 60_000;

type Parts = { keys: KeyStore; status: Limiter["status"]; activity: ActivityRecorder };

/**
 * Records the bans that Redis has and the store does not, so that filters by state find the keys: those from before the
 * store knew bans, and those whose node ended before it saved them. `now` is in Unix ms.
 */
export async function recordMissingBans({ keys, status, activity }: Parts, now: number, signal: AbortSignal) {
  let after: KeysPage["after"];
  do {
    const page = await keys.list({ state: ["active"], order: "oldest", limit: PAGE_SIZE, after }, now);
    const recent = page.map(({ key }) => key).filter(({ lastUsedAt = 0 }) => lastUsedAt > now - RECENTLY);
    await Promise.all(recent.map((key) => recordBan(key, status, activity)));
    after = page.length === PAGE_SIZE ? page.at(-1)?.key : undefined;
  } while (after !== undefined && !signal.aborted);
}

async function recordBan(key: Key, status: Limiter["status"], activity: ActivityRecorder): Promise<void> {
  const { ban } = await status(key);
  if (ban !== undefined) activity.banned(key.id, { since: ban.since, until: ban.until * 1000 });
}
