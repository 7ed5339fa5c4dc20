import type { KeyWithLimitStatus } from "../../../domain/keys/json.ts";
import type { KeyWithSecrets } from "../../../domain/keys/store.ts";
import type { Limiter } from "../../../domain/limits/limiter.ts";

/** The key with what it has used of its limits, on all nodes together; undefined while Redis is unavailable. */
export async function withLimitStatus(
  found: KeyWithSecrets,
  limitStatus: Limiter["status"],
): Promise<KeyWithLimitStatus> {
  try {
    return { ...found, limitStatus: await limitStatus(found.key) };
  } catch {
    return { ...found, limitStatus: undefined };
  }
}

/** The same for many keys. Their concurrent look-ups take little more than one round trip. */
export function allWithLimitStatus(
  found: KeyWithSecrets[],
  limitStatus: Limiter["status"],
): Promise<KeyWithLimitStatus[]> {
  return Promise.all(found.map((one) => withLimitStatus(one, limitStatus)));
}
