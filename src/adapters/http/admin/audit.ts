import { z } from "zod";
import type { RecordedEntry } from "../../../domain/audit/entry.ts";
import type { AuditLog } from "../../../domain/audit/log.ts";
import { timestampOf } from "../../../domain/timestamp.ts";
import { readQuery, wholeNumber } from "../parameters.ts";
import { answer, type Handler, ID } from "./request-context.ts";

export const AuditQuery = z.object({
  limit: wholeNumber(1, 200).default(50),
  before: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional().meta({ description: "Only entries older than this one." }),
  key: z.string().regex(ID, { error: "must be an id" }).optional().meta({
    description: "Only what was done to the key, or the operator, with this id.",
  }),
});

/** What was changed, and by whom. */
export function auditHandlers({ audit }: { audit: AuditLog }) {
  const list: Handler = async ({ env }) => {
    const { limit, before, key } = readQuery(AuditQuery, env.request.url);
    const page = {
      limit: limit + 1,
      ...(before !== undefined && { before }),
      ...(key !== undefined && { target: key }),
    };
    const found = await audit.list(page);
    const shown = found.slice(0, limit);
    const next = found.length > shown.length ? (shown.at(-1)?.id ?? null) : null;
    return answer(env, 200, { entries: shown.map(onTheWire), next });
  };
  return { list };
}

function onTheWire(entry: RecordedEntry) {
  const { id, at, operator, action, target, before, after, requestId } = entry;
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
