import type { AuditEntry } from "../api/answers.ts";
import { Moment } from "../parts/moment.tsx";
import { toKey } from "../route.ts";
import { changes, isMoment, isState, said } from "./changes.ts";

const deeds: Record<AuditEntry["action"], string> = {
  "key.create": "created the key",
  "key.update": "changed the key",
  "key.rotate": "rotated the key",
  "key.revoke": "revoked the key",
  "key.unban": "lifted the ban of the key",
  "pet.create": "added the pet",
  "pets.import.begin": "began to import pets",
  "pets.import.end": "imported pets",
  "operator.create": "created the operator",
  "operator.revoke": "revoked the operator",
  "session.create": "signed in",
  "session.end": "signed out",
};

/** What the parts of a key, an operator or an import are called. */
const fields: Record<string, string> = {
  plan: "plan",
  scopes: "may",
  "limits.perMinute": "a minute",
  "limits.perDay": "a day",
  expiresAt: "expires",
  revokedAt: "revoked",
  bannedUntil: "banned until",
  lastFour: "secret ends in",
  othersExpireAt: "old secrets work until",
  isWhole: "complete",
};

/** Who did what to what, and what is different since. */
export function AuditRow({ entry }: { entry: AuditEntry }) {
  const { operator, action, target, before, after } = entry;
  const name = action.startsWith("session.") ? "" : (nameIn(after) ?? nameIn(before) ?? target ?? "");
  return (
    <li>
      <p>
        <strong>{operator.name}</strong> {deeds[action]}{" "}
        {target?.startsWith("key_") ? <a href={toKey(target)}>{name}</a> : <span>{name}</span>}
      </p>
      <p class="faint when">
        <Moment at={entry.at} />
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
      <Differences before={before} after={after} />
    </li>
  );
}

function nameIn(state: unknown): string | undefined {
  return isState(state) && typeof state.name === "string" ? state.name : undefined;
}

function Value({ of: value }: { of: unknown }) {
  return isMoment(value) ? <Moment at={value} /> : said(value);
}

function Differences({ before, after }: Pick<AuditEntry, "before" | "after">) {
  const different = changes(before, after);
  if (different.length === 0) return null;
  return (
    <dl class="differences">
      {different.map(({ name, from, to }) => (
        <div key={name}>
          <dt>{fields[name] ?? name}</dt>
          <dd>
            {from !== undefined && (
              <del>
                <Value of={from} />
              </del>
            )}
            {from !== undefined && " → "}
            <ins>
              <Value of={to} />
            </ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}
