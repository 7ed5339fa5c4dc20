import type { Decision, Limiter, Subject } from "../limits/limiter.ts";
import { shareOf } from "../limits/share.ts";

/** How long the shared limiter may stay silent while it is asked something, in ms. */
const PATIENCE = 45;
/** A timer that comes later than this, in ms, tells that this process itself was busy. */
const OVERSLEPT = 15;
/** How often it is asked, once it failed, whether it is there again, in ms. */
const PROBE_EVERY = 250;

type Parts = {
  /** What all nodes count in. */
  shared: Limiter;
  /** What this node counts in alone, while `shared` cannot be had. */
  local: Limiter;
  /** Among how many nodes the limits are divided then. */
  nodes: number;
  /** Resolves when what `shared` stands on answers. */
  probe: () => Promise<unknown>;
  /** Told when `shared` fails, and when it is back: how many requests were counted here, and for how long (ms). */
  onFailure: (error: unknown) => void;
  onReturn: (requests: number, milliseconds: number) => void;
};

/**
 * Limits counted for all nodes together, and by this node alone, for its share, as long as that cannot be.
 * The shared limiter fails as a whole: when it raises an error, or when nothing at all is heard of it for 45 ms while
 * requests wait for it. A deadline for each request would take a crowd of requests for a failure.
 */
export class FallbackLimiter implements Limiter {
  readonly #parts: Parts;
  /** What waits for the shared limiter, each to be had decided here. */
  readonly #waiting = new Set<() => void>();
  #lastHeard = 0;
  #isWatching = false;
  #failedAt: number | undefined;
  #countedAlone = 0;
  #probes: ReturnType<typeof setInterval> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Begins without the shared limiter, until that answers. */
  startAlone(error: unknown): void {
    this.#fail(error);
  }

  take(subject: Subject): Decision | Promise<Decision> {
    if (this.#failedAt !== undefined) return this.#takeAlone(subject);
    return new Promise((resolve) => {
      const alone = () => resolve(this.#takeAlone(subject));
      if (this.#waiting.size === 0) this.#lastHeard = performance.now();
      this.#waiting.add(alone);
      this.#watch();
      this.#takeShared(subject).then(
        (decision) => {
          this.#lastHeard = performance.now();
          if (this.#waiting.delete(alone)) resolve(decision);
        },
        (error) => this.#fail(error),
      );
    });
  }

  close(): void {
    clearInterval(this.#probes);
  }

  async #takeShared(subject: Subject): Promise<Decision> {
    return this.#parts.shared.take(subject);
  }

  #takeAlone(subject: Subject): Decision | Promise<Decision> {
    this.#countedAlone += 1;
    return this.#parts.local.take({ ...subject, limits: shareOf(subject.limits, this.#parts.nodes) });
  }

  #watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#lookIn(PATIENCE);
  }

  #lookIn(milliseconds: number): void {
    const due = performance.now() + milliseconds;
    setTimeout(() => {
      const now = performance.now();
      // Whoever wakes late was busy itself: the answer may well be there, not yet read.
      if (now - due > OVERSLEPT) this.#lastHeard = now;
      const silence = now - this.#lastHeard;
      if (this.#waiting.size > 0 && silence < PATIENCE) {
        this.#lookIn(PATIENCE - silence);
        return;
      }
      this.#isWatching = false;
      if (this.#waiting.size > 0) this.#fail(new Error(`no answer for ${PATIENCE} ms`));
    }, milliseconds);
  }

  #fail(error: unknown): void {
    if (this.#failedAt === undefined) {
      this.#failedAt = performance.now();
      this.#countedAlone = 0;
      this.#parts.onFailure(error);
      this.#probes = setInterval(() => this.#probe(), PROBE_EVERY);
    }
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const alone of waiting) alone();
  }

  /** One answer in time is enough: were it the only one, the next silence is noticed as soon. */
  async #probe(): Promise<void> {
    const asked = performance.now();
    try {
      await this.#parts.probe();
    } catch {
      return;
    }
    if (this.#failedAt === undefined || performance.now() - asked > PATIENCE) return;
    clearInterval(this.#probes);
    const alone = performance.now() - this.#failedAt;
    this.#failedAt = undefined;
    this.#parts.onReturn(this.#countedAlone, Math.round(alone));
  }
}
