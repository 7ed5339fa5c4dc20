import { type Awaitable, after, rescued } from "../../domain/awaitable.ts";
import { PetstoreError } from "../../domain/errors.ts";
import type { ActivityRecorder } from "../../domain/keys/activity.ts";
import type { Key } from "../../domain/keys/key.ts";
import { addLimitHeaders } from "../../domain/limits/headers.ts";
import type { Decision, Limiter, LimitStatus } from "../../domain/limits/limiter.ts";
import type { Operation } from "../../domain/usage/recorder.ts";
import { type Authenticate, challengeOf } from "./authenticate.ts";
import { clientAddress, type parseRanges } from "./client-address.ts";
import type { Admitted, RequestContext } from "./request-context.ts";

/** Counts requests without a valid key, by client address. */
export type AnonymousLimiter = { take(address: string): Decision };

type Parts = {
  limiter: Limiter;
  addresses: AnonymousLimiter;
  activity: ActivityRecorder;
  /** Called once a request, before anything is looked up: what the stores know by heart is exact as of then. */
  refresh: () => void;
  trustedProxies: ReturnType<typeof parseRanges>;
};

/** Asking what one has left must be possible when nothing is. */
const FREE = "getUsage" satisfies Operation;

/** lastUsedAt is accurate to this many milliseconds. */
const LAST_USE_ACCURACY = 60_000;

/** Who may come in under /v1: whoever has a valid key, as far as its limits go. */
export class Admission {
  readonly #authenticate: Authenticate;
  readonly #parts: Parts;

  constructor(authenticate: Authenticate, parts: Parts) {
    this.#authenticate = authenticate;
    this.#parts = parts;
  }

  /** Counts the request, unless it is free, and has its answer tell where its caller stands. @throws what its caller is refused with */
  admit(context: RequestContext): Awaitable<Admitted> {
    return after(this.#identify(context), (caller) => {
      if (caller instanceof PetstoreError) {
        this.countAnonymous(context);
        if (caller.kind === "unauthenticated") context.headers["WWW-Authenticate"] = challengeOf(caller);
        throw caller;
      }
      const admitted = Object.assign(context, { caller });
      if (context.operation === FREE)
        return after(this.#parts.limiter.status(caller), (standing) => this.#letIn(admitted, standing));
      return after(this.#parts.limiter.take(caller), (decision) => this.#countCaller(admitted, decision));
    });
  }

  /** Counts a request without a valid key. @throws rate_limit_exceeded */
  countAnonymous(context: RequestContext): void {
    const { headers, request, peer } = context;
    const { addresses, trustedProxies } = this.#parts;
    const decision = addresses.take(clientAddress(peer(), request.headers.get("X-Forwarded-For"), trustedProxies));
    context.decision = decision;
    addLimitHeaders(headers, decision);
    requireAllowed(decision);
  }

  /** Who is calling, or the 401 for it. When keys cannot be looked up the caller stays a stranger, who is told that. */
  #identify({ request }: RequestContext): Awaitable<Key | PetstoreError> {
    const look = (): Awaitable<Key | PetstoreError> => {
      this.#parts.refresh();
      return this.#authenticate(request.headers.get("Authorization"));
    };
    return rescued(look, (error) => {
      if (error instanceof PetstoreError) return error;
      throw error;
    });
  }

  #countCaller(admitted: Admitted, decision: Decision): Admitted {
    const { caller, headers } = admitted;
    admitted.decision = decision;
    addLimitHeaders(headers, decision);
    this.#noteUse(caller, decision.now);
    requireAllowed(decision);
    return admitted;
  }

  /** For what neither counts nor is refused, not even during a ban. */
  #letIn(admitted: Admitted, standing: LimitStatus): Admitted {
    admitted.standing = standing;
    addLimitHeaders(admitted.headers, standing);
    this.#noteUse(admitted.caller, standing.now);
    return admitted;
  }

  #noteUse({ id, lastUsedAt = 0 }: Key, now: number): void {
    if (now - lastUsedAt >= LAST_USE_ACCURACY) this.#parts.activity.used(id, now);
  }
}

/** @throws rate_limit_exceeded, quota_exceeded or key_banned, unless the decision lets the request pass */
function requireAllowed({ outcome }: Decision): void {
  if (outcome !== "allowed") throw new PetstoreError(outcome);
}
