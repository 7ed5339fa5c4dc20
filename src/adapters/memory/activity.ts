import { type Activity, type ActivityRecorder, addCalls, merge, noActivity } from "../../domain/keys/activity.ts";

/** Notes which key was used when, and who still calls what will be removed, until somebody writes it down. */
export class ActivityLog implements ActivityRecorder {
  #activity = noActivity();

  used(keyId: string, now: number): void {
    this.#activity.lastUsed.set(keyId, now);
  }

  calledDeprecated(operation: string, keyId: string, now: number, userAgent: string | undefined): void {
    addCalls(this.#activity, operation, keyId, { calls: 1, lastCalledAt: now, ...(userAgent && { userAgent }) });
  }

  /** Everything noted since the last call. */
  drain(): Activity {
    const drained = this.#activity;
    this.#activity = noActivity();
    return drained;
  }

  /** Takes back what `drain` gave: writing it down failed. */
  undrain(activity: Activity): void {
    merge(this.#activity, activity);
  }
}
