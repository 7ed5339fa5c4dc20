import { timestampOf } from "../timestamp.ts";
import type { RecordedEntry } from "./entry.ts";

/** An entry as JSON, for the administration interface and the commands. */
export function entryJson({ id, at, operator, action, target, before, after, requestId }: RecordedEntry) {
  return {
    id,
    at: timestampOf(at),
    operator,
    action,
    target: target ?? null,
    before: before ?? null,
    after: after ?? null,
    requestId: requestId ?? null,
  };
}
