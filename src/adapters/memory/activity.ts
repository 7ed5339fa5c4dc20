import { type Activity, type ActivityRecorder, addCalls, merge, noActivity } from "../../domain/keys/activity.ts";

/** Records when keys were used, and which of them call deprecated operations, until it is written to the store. */
export class ActivityLog implements ActivityRecorder {
  #activity = noActivity();

  used(keyId: string, now: number): void {
    this.#activity.lastUsed.set(keyId, now);
  }

  calledDeprecated(operation: string, keyId: string, now: number, userAgent: string | undefined): void {
    addCalls(this.#activity, operation, keyId, { calls: 1, lastCalledAt: now, ...(userAgent && { userAgent }) });
  }

  /** Everything recorded since the last call. */
  drain(): Activity {
    const drained = this.#activity;
    this.#activity = noActivity();
    return drained;
  }

  /** Takes back what `drain` returned: it could not be written. */
  undrain(activity: Activity): void {
    merge(this.#activity, activity);
  }
}
