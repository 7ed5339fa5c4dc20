import { PetstoreError } from "../errors.ts";
import type { Ban, Limits, Plan } from "../limits/limits.ts";
import { isSingleLine } from "../text.ts";
import type { SimulationScript } from "./simulation.ts";

export const MAX_NAME_LENGTH = 100;

export const NAME_RULE = `must be 1 to ${MAX_NAME_LENGTH} characters, not blank, without control characters`;

export function isName(text: string): boolean {
  return isSingleLine(text, MAX_NAME_LENGTH);
}

/** Who uses a key: a name, an e-mail address, or both. */
export type Owner = { name?: string; email?: string };

/** RFC 5321, 4.5.3.1.3: the longest address in a path, without its angle brackets. */
export const MAX_EMAIL_LENGTH = 254;
/** The longest text by which keys are searched for, in characters. */
export const MAX_SEARCH_LENGTH = 100;

const LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9\\-]{0,61}[a-zA-Z0-9])?";

/** A valid e-mail address, as the HTML standard defines it for `<input type="email">`. */
const EMAIL = `^[a-zA-Z0-9.!#$%&'*+\\/=?^_\`{\\|}~\\-]+@${LABEL}(?:\\.${LABEL})*$`;

const emailPattern = new RegExp(EMAIL, "u");

export const MAX_NOTE_LENGTH = 500;

export const OWNER_NAME_RULE = `must be 1 to ${MAX_NAME_LENGTH} characters, not blank, without control characters and without <, > and @`;

export const EMAIL_RULE = `must be an e-mail address of ${MAX_EMAIL_LENGTH} characters at most`;

export const NOTE_RULE = `must be 1 to ${MAX_NOTE_LENGTH} characters, not blank, without control characters`;

export const OWNER_RULE = "must be a name, an e-mail address, or both as in Ada <ada@example.org>";

/** Without what sets off an e-mail address: `Ada <ada@example.org>` is read in one way only. */
export function isOwnerName(text: string): boolean {
  return isName(text) && !/[<>@]/.test(text);
}

export function isEmail(text: string): boolean {
  return text.length <= MAX_EMAIL_LENGTH && emailPattern.test(text);
}

export function isNote(text: string): boolean {
  return isSingleLine(text, MAX_NOTE_LENGTH);
}

/** Reads `Ada <ada@example.org>` (RFC 5322, 3.4), a name or an e-mail address alone. Returns undefined for other texts. */
export function parseOwner(text: string): Owner | undefined {
  const [, before = text, address] = /^([^<>]*)<([^<>]*)>\s*$/.exec(text) ?? [];
  const email = address?.trim() ?? (text.includes("@") ? text.trim() : undefined);
  const name = address === undefined && email !== undefined ? "" : before.trim();
  if (email !== undefined && !isEmail(email)) return undefined;
  if (name === "") return email === undefined ? undefined : { email };
  if (!isOwnerName(name)) return undefined;
  return { name, ...(email !== undefined && { email }) };
}

/** An owner in one line, as `parseOwner` reads it. */
export function ownerText({ name, email }: Owner): string {
  if (name === undefined) return email ?? "";
  return email === undefined ? name : `${name} <${email}>`;
}

/** By code units, `~` comes after both letters. */
const NO_OWNER = "~";

/**
 * The identity of an owner, the same in any case: the e-mail address if there is one, otherwise the name. Keys are grouped by
 * it, in its order: those without an owner come last.
 */
export function ownerKeyOf(owner: Owner | undefined): string {
  if (owner?.email !== undefined) return `e:${owner.email.toLowerCase()}`;
  return owner?.name === undefined ? NO_OWNER : `n:${ownerNameKeyOf(owner.name)}`;
}

/** The same text for names that are equal when case is ignored. It fits into an index: NFC is at most three times as long. */
export function ownerNameKeyOf(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/**
 * `pets:…` is for pets, categories and the inventory, `orders:…` for orders, `events:read` for the events of all of them, and
 * `key:rotate` for a new secret of the key itself.
 */
export const scopes = ["pets:read", "pets:write", "orders:read", "orders:write", "events:read", "key:rotate"] as const;

export type Scope = (typeof scopes)[number];

/** The scopes of a key for which nobody names some: who has it must not be able to replace its secret. */
export const defaultScopes: readonly Scope[] = scopes.filter((scope) => scope !== "key:rotate");

/** An API key, without its secret. Times are Unix milliseconds. */
export type Key = {
  id: string;
  /** The operator's label. */
  name: string;
  owner?: Owner;
  note?: string;
  plan: Plan;
  limits: Limits;
  scopes: Scope[];
  createdAt: number;
  expiresAt?: number;
  revokedAt?: number;
  /** When an operator disabled the key. It is refused until an operator enables it again. */
  disabledAt?: number;
  /** Accurate to a minute. */
  lastUsedAt?: number;
  /** When an operator last lifted a ban. Earlier strikes and bans no longer count. */
  pardonedAt?: number;
  /** What its requests are answered with instead, on staging. */
  simulation?: SimulationScript;
};

/** A secret of a key as it is stored: its hash instead of the secret. Rotation sets `expiresAt` (Unix ms). */
export type StoredSecret = { hash: string; keyId: string; lastFour: string; createdAt: number; expiresAt?: number };

/**
 * What a request needs of its key. A process keeps that of a hundred thousand keys in memory, so it has nothing else.
 * `lastUsedAt` is 0 before the first use.
 */
export type RequestKey = Omit<Key, "name" | "owner" | "note" | "createdAt" | "lastUsedAt"> & { lastUsedAt: number };

export type RequestSecret = Pick<StoredSecret, "expiresAt">;

export type FoundKey = { key: RequestKey; secret: RequestSecret };

/** Returns why a key with a matching secret is refused at `now` (Unix ms), or undefined when it is valid. */
export function secretRefusal(
  key: Pick<Key, "revokedAt" | "expiresAt" | "disabledAt">,
  secret: RequestSecret,
  now: number,
): "revoked_api_key" | "expired_api_key" | "disabled_api_key" | undefined {
  if (key.revokedAt !== undefined && now >= key.revokedAt) return "revoked_api_key";
  const expiresAt = Math.min(key.expiresAt ?? Infinity, secret.expiresAt ?? Infinity);
  if (now >= expiresAt) return "expired_api_key";
  // Regardless of the time: the clock of the node that disabled it may be ahead.
  return key.disabledAt === undefined ? undefined : "disabled_api_key";
}

export const states = ["active", "banned", "disabled", "expired", "revoked"] as const;

/** Whether a key is valid, or why it is not. */
export type State = (typeof states)[number];

/** The state of a key at `now` (Unix ms), with this ban if any. Revoked precedes expired, disabled and banned, in this order. */
export function stateOf({ revokedAt, expiresAt, disabledAt }: Key, ban: Ban | undefined, now: number): State {
  if (revokedAt !== undefined) return "revoked";
  if (expiresAt !== undefined && now >= expiresAt) return "expired";
  if (disabledAt !== undefined) return "disabled";
  return ban === undefined ? "active" : "banned";
}

export function keyNotFound(id: string): PetstoreError {
  return new PetstoreError("key_not_found", id === "" ? {} : { message: `There is no key ${id}.` });
}
