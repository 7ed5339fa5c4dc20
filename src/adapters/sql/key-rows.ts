import {
  type Key,
  type RequestKey,
  type RequestSecret,
  type Scope,
  type StoredSecret,
  scopes,
} from "../../domain/keys/key.ts";
import { type Owner, ownerKeyOf, ownerNameKeyOf, ownerText } from "../../domain/keys/owner.ts";
import { type Limits, type Plan, plans } from "../../domain/limits/plans.ts";
import { LruMap } from "../../domain/lru-map.ts";
import type { SimulationScript } from "../../domain/simulation/script.ts";
import type { Row, Values } from "./sql.ts";

/** What a request needs of a key. Only this service writes the tables, so the columns have valid values. */
export function requestKeyOf(row: Row): RequestKey {
  const plan = row.plan as Plan;
  return {
    id: String(row.id),
    // Equal values are shared: many keys are in memory.
    plan: plans.find((each) => each === plan) ?? plan,
    limits: limitsIn(row),
    scopes: scopesIn(String(row.scopes)),
    lastUsedAt: Number(row.last_used_at ?? 0),
    ...(row.expires_at !== null && { expiresAt: Number(row.expires_at) }),
    ...(row.revoked_at !== null && { revokedAt: Number(row.revoked_at) }),
    ...(row.disabled_at !== null && { disabledAt: Number(row.disabled_at) }),
    ...(row.pardoned_at !== null && { pardonedAt: Number(row.pardoned_at) }),
    ...(row.simulation !== null && { simulation: simulationOf(row) }),
  };
}

/** A key with what only operators need. */
export function administeredKeyOf(row: Row): Key {
  const { lastUsedAt, ...key } = requestKeyOf(row);
  return {
    ...key,
    name: String(row.name),
    createdAt: Number(row.created_at),
    ...(row.last_used_at !== null && { lastUsedAt }),
    ...ownedIn(row),
    ...(row.note !== null && { note: String(row.note) }),
  };
}

/** The owner in a row of keys, if there is one. */
export function ownedIn({ owner_name, owner_email }: Row): { owner?: Owner } {
  if (owner_name === null && owner_email === null) return {};
  return {
    owner: {
      ...(owner_name !== null && { name: String(owner_name) }),
      ...(owner_email !== null && { email: String(owner_email) }),
    },
  };
}

/** Many keys in memory have the same limits, and share them. */
const limitsByText = new LruMap<Limits>(1_000);

function limitsIn({ per_minute, per_day }: Row): Limits {
  const text = `${per_minute} ${per_day}`;
  const known = limitsByText.get(text) ?? { perMinute: Number(per_minute), perDay: Number(per_day) };
  limitsByText.set(text, known);
  return known;
}

/** There are few sets of scopes, which the keys share too. */
const scopesByText = new Map<string, Scope[]>();

function scopesIn(text: string): Scope[] {
  const known = scopesByText.get(text) ?? scopes.filter((scope) => text.split(" ").includes(scope));
  scopesByText.set(text, known);
  return known;
}

/** Only `storedSimulation` writes the column. The number of its requests has a column of its own. */
function simulationOf({ simulation, simulation_requests }: Row): SimulationScript {
  const stored = JSON.parse(String(simulation)) as Omit<SimulationScript, "requests">;
  return { ...stored, requests: Number(simulation_requests) };
}

/** A simulation as it is stored, and by which it is known. */
export function storedSimulation({ answer, schedule, startedAt }: SimulationScript): string {
  return JSON.stringify({ answer, schedule, startedAt });
}

/** The columns of a key that its operators change. */
export function columnsOf(key: Key): Values {
  const { owner } = key;
  return {
    id: key.id,
    name: key.name,
    owner_name: owner?.name ?? null,
    owner_email: owner?.email ?? null,
    owner_key: ownerKeyOf(owner),
    owner_name_key: owner?.name === undefined ? null : ownerNameKeyOf(owner.name),
    note: key.note ?? null,
    search_text: `${key.id} ${key.name}${owner ? ` ${ownerText(owner)}` : ""}`.toLowerCase(),
    plan: key.plan,
    per_minute: key.limits.perMinute,
    per_day: key.limits.perDay,
    scopes: key.scopes.join(" "),
    created_at: key.createdAt,
    expires_at: key.expiresAt ?? null,
    revoked_at: key.revokedAt ?? null,
    disabled_at: key.disabledAt ?? null,
    pardoned_at: key.pardonedAt ?? null,
    simulation: key.simulation === undefined ? null : storedSimulation(key.simulation),
  };
}

const NEVER_EXPIRES: RequestSecret = {};

/** What a request needs of a secret that expires at this moment (Unix ms), if at all. */
export function requestSecretOf(expiresAt: Row[string]): RequestSecret {
  return expiresAt === null ? NEVER_EXPIRES : { expiresAt: Number(expiresAt) };
}

export function secretOf(row: Row): StoredSecret {
  return {
    hash: String(row.hash),
    keyId: String(row.key_id),
    lastFour: String(row.last_four),
    createdAt: Number(row.created_at),
    ...(row.expires_at !== null && { expiresAt: Number(row.expires_at) }),
  };
}
