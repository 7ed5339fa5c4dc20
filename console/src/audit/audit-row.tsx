import { changesBetween, formatValue, nameOf } from "../../../src/domain/audit/changes.ts";
import type { AuditEntry } from "../api/responses.ts";
import { Timestamp } from "../components/timestamp.tsx";
import { auditHref, keyHref } from "../route.ts";
import { actionLabels } from "./action-labels.ts";

/** Labels of the fields of a key, an operator or an import. */
const fieldLabels: Record<string, string> = {
  "limits.perMinute": "per minute",
  "limits.perDay": "per day",
  expiresAt: "expires",
  revokedAt: "revoked",
  disabledAt: "disabled",
  bannedUntil: "banned until",
  pardonedAt: "unbanned",
  lastFour: "secret ends in",
  othersExpireAt: "old secrets expire",
  isWhole: "complete",
};

/** An audit entry: operator, action, target, and the fields that changed. */
export function AuditRow({ entry }: { entry: AuditEntry }) {
  const { operator, action, target, before, after } = entry;
  const name = action.startsWith("session.") ? "" : (nameOf(after) ?? nameOf(before) ?? target ?? "");
  return (
    <li>
      <p>
        <a
          class="author"
          href={auditHref({ operator: operator.id ?? operator.name })}
          title="Show all changes by this author"
        >
          {operator.name}
        </a>{" "}
        {actionLabels[action]} {target?.startsWith("key_") ? <a href={keyHref(target)}>{name}</a> : <span>{name}</span>}
      </p>
      <p class="faint time">
        <Timestamp at={entry.at} />
        {entry.requestId !== null && (
          <>
            {" "}
            ·{" "}
            <code class="cut" title={`Request ${entry.requestId}`}>
              {entry.requestId}
            </code>
          </>
        )}
      </p>
      <Changes before={before} after={after} />
    </li>
  );
}

function FieldValue({ of: value }: { of: unknown }) {
  return isTimestamp(value) ? <Timestamp at={value} /> : <span>{formatValue(value)}</span>;
}

/** Whether `value` is a timestamp as the API writes it. */
function isTimestamp(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
}

function Changes({ before, after }: Pick<AuditEntry, "before" | "after">) {
  const changed = changesBetween(before, after);
  if (changed.length === 0) return null;
  return (
    <dl class="changes">
      {changed.map(({ field, from, to }) => (
        <div key={field}>
          <dt>{fieldLabels[field] ?? field}</dt>
          <dd>
            {from !== undefined && (
              <del>
                <FieldValue of={from} />
              </del>
            )}
            {from !== undefined && " → "}
            <ins>
              <FieldValue of={to} />
            </ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}
