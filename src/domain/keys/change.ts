import type { Action } from "../audit/entry.ts";
import { type Detail, PetstoreError } from "../errors.ts";
import { type Limits, limitsOf, type Plan } from "../limits/plans.ts";
import type { Key, Scope } from "./key.ts";
import { type Owner, ownerText } from "./owner.ts";

/** Changes to a key; undefined leaves a field as it is, null removes it. `expiresAt` is in Unix ms. */
export type KeyChange = {
  name?: string | undefined;
  owner?: Owner | null | undefined;
  note?: string | null | undefined;
  plan?: Plan | undefined;
  /** Custom limits: required by the enterprise plan, refused by the others. */
  limits?: Limits | undefined;
  scopes?: Scope[] | undefined;
  expiresAt?: number | null | undefined;
  disabled?: boolean | undefined;
};

/** Returns the key after a change at `now` (Unix ms). @throws validation_failed when the limits do not fit the plan */
export function changed(key: Key, change: KeyChange, now: number): Key {
  const { name, plan, limits, scopes } = change;
  const { expiresAt, disabledAt, owner, note, ...rest } = key;
  const expiry = replaced(expiresAt, change.expiresAt);
  const newOwner = replaced(owner, change.owner);
  const newNote = replaced(note, change.note);
  const { disabled = disabledAt !== undefined } = change;
  return {
    ...rest,
    ...(name !== undefined && { name }),
    ...(plan !== undefined && { plan }),
    ...((plan ?? limits) !== undefined && { limits: limitsFor(plan ?? key.plan, limits) }),
    ...(scopes !== undefined && { scopes }),
    ...(newOwner !== undefined && { owner: newOwner }),
    ...(newNote !== undefined && { note: newNote }),
    ...(expiry !== undefined && { expiresAt: expiry }),
    ...(disabled && { disabledAt: disabledAt ?? now }),
  };
}

/** An optional field after a change: null removes it. */
function replaced<T>(field: T | undefined, change: T | null | undefined): T | undefined {
  return change === undefined ? field : (change ?? undefined);
}

/** Whether two states of a key are equal. */
export function isSame(before: Key, after: Key): boolean {
  const text = ({ limits, owner, ...key }: Key) => {
    const { name, note, plan, scopes, expiresAt, revokedAt, disabledAt, pardonedAt, simulation } = key;
    const fields = [name, owner && ownerText(owner), note, plan, limits.perMinute, limits.perDay, scopes];
    return JSON.stringify([...fields, expiresAt, revokedAt, disabledAt, pardonedAt, simulation]);
  };
  return text(before) === text(after);
}

/** The action by which the audit log names a change. */
export function actionOf(before: Key, after: Key): Action {
  if (after.disabledAt === before.disabledAt) return "key.update";
  return after.disabledAt === undefined ? "key.enable" : "key.disable";
}

/** Returns the limits of a key on this plan. @throws validation_failed when the custom limits do not fit the plan */
export function limitsFor(plan: Plan, custom: Limits | undefined): Limits {
  if (plan === "enterprise") {
    if (custom === undefined) throw invalid("limits", "are required by the enterprise plan: per minute and per day");
    return custom;
  }
  if (custom !== undefined) throw invalid("limits", `are fixed on the ${plan} plan; only enterprise has custom limits`);
  return limitsOf[plan];
}

/** @throws validation_failed when the expiry is in the past */
export function refusePast(expiresAt: number | undefined, now: number): void {
  if (expiresAt !== undefined && expiresAt < now) throw invalid("expiresAt", "must not be in the past");
}

function invalid(field: string, problem: string): PetstoreError {
  const details: Detail[] = [{ in: "body", field, problem }];
  return new PetstoreError("validation_failed", { message: `${field} ${problem}.`, details });
}
