import type { KeyWithLimitStatus } from "../../../domain/keys/json.ts";
import type { KeyWithSecrets } from "../../../domain/keys/store.ts";
import type { Limiter } from "../../../domain/limits/limiter.ts";

/**
 * These keys with what they have used of their limits, on all nodes together; undefined while Redis is unavailable.
 * All are requested at once, so many keys cost little more than one round trip.
 */
export function withLimitStatus(keys: KeyWithSecrets[], statusOf: Limiter["status"]): Promise<KeyWithLimitStatus[]> {
  return Promise.all(
    keys.map(async (found) => {
      try {
        return { ...found, limitStatus: await statusOf(found.key) };
      } catch {
        return { ...found, limitStatus: undefined };
      }
    }),
  );
}
