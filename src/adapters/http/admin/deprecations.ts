import type { z } from "zod";
import type { Clock } from "../../../domain/clock.ts";
import type { Counters } from "../../../domain/keys/counters.ts";
import type { KeyStore } from "../../../domain/keys/store.ts";
import { getPet, getPetDeprecation } from "../operations/getPet.ts";
import { answer, type Handler, momentOf } from "./request-context.ts";
import type { Deprecations } from "./schemas.ts";

type Parts = { keys: KeyStore; counters: Counters; clock: Clock };

const DAY = 86_400_000;

/** Who still calls what will be removed. */
export function deprecationHandlers({ keys, counters, clock }: Parts) {
  const list: Handler = async ({ env }) => {
    const [calls, known] = await Promise.all([counters.deprecatedCalls(), keys.list()]);
    const names = new Map(known.map(({ key }) => [key.id, key.name]));
    const { deprecatedAt, removedAt, replacement } = getPetDeprecation;
    const operation = getPet.id;
    const callers = [...(calls.get(operation) ?? [])]
      .map(([keyId, { calls, lastCalledAt, userAgent }]) => ({
        keyId,
        keyName: names.get(keyId) ?? "",
        calls,
        lastCalledAt: momentOf(lastCalledAt),
        userAgent: userAgent ?? null,
      }))
      .toSorted((a, b) => (a.lastCalledAt < b.lastCalledAt ? 1 : -1));
    const daysLeft = Math.max(0, Math.ceil((removedAt - clock()) / DAY));
    const moments = { deprecatedAt: momentOf(deprecatedAt), removedAt: momentOf(removedAt) };
    const body: z.infer<typeof Deprecations> = {
      operations: [{ operation, ...moments, daysLeft, replacement, callers }],
    };
    return answer(env, 200, body);
  };
  return { list };
}
