import type { KeyFilter } from "../../domain/keys/listing.ts";
import { type Owner, ownerKeyOf, ownerNameKeyOf } from "../../domain/keys/owner.ts";
import type { State } from "../../domain/keys/state.ts";
import type { Conditions } from "./conditions.ts";

/** `stateOf` in `domain/keys/state.ts` as conditions on a key at `:now`. */
export const inState: Record<State, string> = {
  revoked: "revoked_at IS NOT NULL",
  expired: "revoked_at IS NULL AND expires_at <= :now",
  disabled: "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now) AND disabled_at IS NOT NULL",
  banned:
    "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now) AND disabled_at IS NULL AND banned_until > :now",
  active: `revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now) AND disabled_at IS NULL
    AND (banned_until IS NULL OR banned_until <= :now)`,
};

/** The condition on a key that has a simulation. */
export const REHEARSING = "simulation IS NOT NULL";

/** A condition on the keys in every state except `active`: of the others only those that expire later or were banned satisfy it. */
export const POSSIBLY_INACTIVE =
  "(revoked_at IS NOT NULL OR expires_at IS NOT NULL OR disabled_at IS NOT NULL OR banned_until IS NOT NULL)";

/** What a search compares, in lower case: id, name and owner; the last four characters of all secrets. */
const searched = ["search_text", "last_fours"];

/** The text that a filter searches for, in lower case; empty without one. */
export function searchedText({ search = "" }: KeyFilter): string {
  return search.trim().toLowerCase();
}

/** Whether a filter searches for a text that a key may contain. */
export function isSearchable(filter: KeyFilter): boolean {
  const text = searchedText(filter);
  return text !== "" && !isInNoKey(text);
}

/** The conditions on a key that a filter selects at `now` (Unix ms). Without a filter there are none. */
export function conditionsOf(filter: KeyFilter, now: number): Conditions {
  const { owner, plan, state, isRehearsing } = filter;
  const text = searchedText(filter);
  if (isInNoKey(text)) return { texts: [anyOf([])], values: {} };
  const owned = owner === undefined ? { texts: [], values: {} } : conditionOf(owner);
  return {
    texts: [
      ...owned.texts,
      ...(plan === undefined ? [] : [anyOf(plan.map((_, i) => `plan = :plan${i}`))]),
      ...(state === undefined ? [] : [anyOf(state.map((one) => inState[one]))]),
      ...(isRehearsing ? [REHEARSING] : []),
      ...(text === "" ? [] : [anyOf(searched.map((column) => `${column} LIKE :pattern ESCAPE '\\'`))]),
    ],
    values: {
      ...owned.values,
      ...Object.fromEntries((plan ?? []).map((one, i) => [`plan${i}`, one])),
      ...(state?.some((one) => inState[one].includes(":now")) && { now }),
      ...(text !== "" && { pattern: `%${text.replace(/[\\%_]/g, "\\$&")}%` }),
    },
  };
}

/** PostgreSQL refuses U+0000, and a control character separates what an index of texts compares. */
function isInNoKey(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

function conditionOf(owner: Owner): Conditions {
  if (owner.email !== undefined) return { texts: ["owner_key = :owner"], values: { owner: ownerKeyOf(owner) } };
  return { texts: ["owner_name_key = :owner"], values: { owner: ownerNameKeyOf(owner.name ?? "") } };
}

function anyOf(conditions: string[]): string {
  return conditions.length === 0 ? "1 = 0" : `(${conditions.map((one) => `(${one})`).join(" OR ")})`;
}
