import {
  type Activity,
  type ActivityRecorder,
  addCalls,
  type BanPeriod,
  mergeActivity,
  noActivity,
} from "../../domain/keys/store.ts";

export class ActivityBuffer implements ActivityRecorder {
  #activity = noActivity();

  used(keyId: string, now: number): void {
    this.#activity.lastUsed.set(keyId, now);
  }

  banned(keyId: string, ban: BanPeriod): void {
    this.#activity.bans.set(keyId, ban);
  }

  calledDeprecated(operation: string, keyId: string, now: number, userAgent: string | undefined): void {
    addCalls(this.#activity, operation, keyId, { calls: 1, lastCalledAt: now, ...(userAgent && { userAgent }) });
  }

  drain(): Activity {
    const drained = this.#activity;
    this.#activity = noActivity();
    return drained;
  }

  /** Takes back the result of `drain` when it could not be written. */
  requeue(activity: Activity): void {
    mergeActivity(this.#activity, activity);
  }
}
