import type { DeprecatedCalls } from "./activity.ts";
import type { Owner } from "./owner.ts";

/** A key, with its calls of a deprecated operation. */
export type Caller = DeprecatedCalls & { operation: string; keyId: string; keyName: string; owner?: Owner };

/** By the last call, by the number of calls, or by the id of the key, which never changes. */
export const callerOrders = ["lastCalledAt", "calls", "keyId"] as const;
export type CallerOrder = (typeof callerOrders)[number];

export type CallerPosition = Pick<Caller, "lastCalledAt" | "calls" | "keyId" | "operation">;

/** At most `limit` callers of `operation`, or of all operations, in descending order, from `after` on. */
export type CallersPage = {
  operation?: string | undefined;
  order: CallerOrder;
  limit: number;
  after?: CallerPosition | undefined;
};

/** The calls of an operation by all keys. */
export type CallTotal = { callers: number; calls: number };

const CURSOR = /^(\d{1,16})\.(\d{1,16})\.(key_[0-9A-Za-z]{1,64})\.(\w{1,64})$/;

export function callerCursorOf({ lastCalledAt, calls, keyId, operation }: CallerPosition): string {
  return [lastCalledAt, calls, keyId, operation].join(".");
}

/** Decodes a cursor. Returns undefined when it is malformed. */
export function callerPositionOf(cursor: string): CallerPosition | undefined {
  const [, lastCalledAt, calls, keyId, operation] = CURSOR.exec(cursor) ?? [];
  if (keyId === undefined || operation === undefined) return undefined;
  return { lastCalledAt: Number(lastCalledAt), calls: Number(calls), keyId, operation };
}
