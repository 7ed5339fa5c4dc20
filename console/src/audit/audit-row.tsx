import { changesBetween, formatValue, nameOf } from "../../../src/domain/audit.ts";
import type { AuditEntry } from "../api/responses.ts";
import { Timestamp } from "../components/values.tsx";
import { categoryHref, keyHref, listHref, orderHref, petHref } from "../route.ts";
import { labelOf } from "./action-labels.ts";

/** Labels of the fields of a key, an operator or an import. */
const fieldLabels: Record<string, string> = {
  "owner.name": "owner",
  "owner.email": "owner's e-mail",
  "limits.perMinute": "per minute",
  "limits.perDay": "per day",
  expiresAt: "expires",
  revokedAt: "revoked",
  disabledAt: "disabled",
  bannedUntil: "banned until",
  pardonedAt: "unbanned",
  lastFour: "secret ends in",
  othersExpireAt: "old secrets expire",
  "simulation.answer": "simulated answer",
  "simulation.schedule.next": "next requests",
  "simulation.schedule.every": "one in",
  "simulation.schedule.percent": "percent",
  "simulation.schedule.seed": "seed",
  "simulation.startedAt": "started",
  "simulation.requests": "requests",
  isWhole: "complete",
  categoryId: "category",
  petId: "pet",
};

/** The pages of what the fields of a pet or an order name. */
const hrefsOfFields: Record<string, (id: string) => string> = { categoryId: categoryHref, petId: petHref };

/** The pages of what an action changes, by the first word of its name. */
const hrefsOfTargets: Record<string, (id: string) => string> = {
  key: keyHref,
  pet: petHref,
  category: categoryHref,
  order: orderHref,
};

/** An audit entry: operator, action, target, and the fields that changed. */
export function AuditRow({ entry }: { entry: AuditEntry }) {
  const { operator, action, target, before, after } = entry;
  const hrefOf = hrefsOfTargets[action.slice(0, action.indexOf("."))];
  const name = action.startsWith("session.") ? "" : (nameOf(after) ?? nameOf(before) ?? target ?? "");
  return (
    <li>
      <p>
        <a
          class="author"
          href={listHref("audit", { operator: operator.id ?? operator.name })}
          title="Show all changes by this author"
        >
          {operator.name}
        </a>{" "}
        {labelOf(entry)}{" "}
        {hrefOf === undefined || target === null ? <span>{name}</span> : <a href={hrefOf(target)}>{name}</a>}
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

function FieldValue({ of: value, field }: { of: unknown; field: string }) {
  if (isTimestamp(value)) return <Timestamp at={value} />;
  const text = formatValue(value, field);
  const hrefOf = hrefsOfFields[field];
  return hrefOf === undefined ? <span>{text}</span> : <a href={hrefOf(text)}>{text}</a>;
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
                <FieldValue of={from} field={field} />
              </del>
            )}
            {from !== undefined && to !== undefined && " → "}
            {to !== undefined && (
              <ins>
                <FieldValue of={to} field={field} />
              </ins>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
