import { type State, stateOf } from "../../../domain/keys/state.ts";
import type { KeyWithSecrets } from "../../../domain/keys/store.ts";
import type { Limiter, LimitStatus } from "../../../domain/limits/limiter.ts";

/** A key, and where it stands: undefined while that cannot be had. */
export type KnownKey = KeyWithSecrets & { standing: LimitStatus | undefined };

/**
 * These keys, each with where it stands for all nodes together. The questions go out together, so that very many of them
 * cost little more than one way to Redis and back.
 */
export function withStanding(found: KeyWithSecrets[], standing: Limiter["status"]): Promise<KnownKey[]> {
  return Promise.all(
    found.map(async (one) => {
      try {
        return { ...one, standing: await standing(one.key) };
      } catch {
        return { ...one, standing: undefined };
      }
    }),
  );
}

/** The state of a key at `now` (Unix ms), as far as is known. */
export function stateAt({ key, standing }: KnownKey, now: number): State {
  return stateOf(key, standing?.ban, now);
}
