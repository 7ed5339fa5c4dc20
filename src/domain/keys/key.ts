import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Deployment } from "../deployment.ts";
import type { Limits, Plan } from "../limits/limits.ts";
import type { SimulationScript } from "../simulation.ts";
import { isSingleLine, SINGLE_LINE } from "../text.ts";

export const MAX_NAME_LENGTH = 100;

/** The rule for the name of a key or an operator. */
export const NAME_RULE = `must be 1 to ${MAX_NAME_LENGTH} characters, not blank, without control characters`;

export function isName(text: string): boolean {
  return isSingleLine(text, MAX_NAME_LENGTH);
}

/** Who uses a key: a name, an e-mail address, or both. */
export type Owner = { name?: string; email?: string };

/** RFC 5321, 4.5.3.1.3: the longest address in a path, without its angle brackets. */
export const MAX_EMAIL_LENGTH = 254;
const LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9\\-]{0,61}[a-zA-Z0-9])?";
/** A valid e-mail address, as the HTML standard defines it for `<input type="email">`. */
export const EMAIL = `^[a-zA-Z0-9.!#$%&'*+\\/=?^_\`{\\|}~\\-]+@${LABEL}(?:\\.${LABEL})*$`;
const emailPattern = new RegExp(EMAIL, "u");

/** Without what sets off an e-mail address: `Ada <ada@example.org>` is read in one way only. */
export const OWNER_NAME = SINGLE_LINE.replaceAll("[^", "[^<>@");
const ownerNamePattern = new RegExp(OWNER_NAME, "u");

export const MAX_NOTE_LENGTH = 500;

export const OWNER_NAME_RULE = `must be 1 to ${MAX_NAME_LENGTH} characters, not blank, without control characters and without <, > and @`;
export const EMAIL_RULE = `must be an e-mail address of ${MAX_EMAIL_LENGTH} characters at most`;
export const NOTE_RULE = `must be 1 to ${MAX_NOTE_LENGTH} characters, not blank, without control characters`;
export const OWNER_RULE = "must be a name, an e-mail address, or both as in Ada <ada@example.org>";

export function isOwnerName(text: string): boolean {
  return isName(text) && ownerNamePattern.test(text);
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

/** `pets:…` is for pets, categories and the inventory, `orders:…` for orders. */
export const scopes = ["pets:read", "pets:write", "orders:read", "orders:write"] as const;
export type Scope = (typeof scopes)[number];

/** An API key, without its secret. Times are Unix milliseconds. */
export type Key = {
  id: string;
  /** The operator's label. */
  name: string;
  owner?: Owner;
  /** What operators need to remember about the key. */
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

/** What a request needs of its secret. */
export type RequestSecret = Pick<StoredSecret, "expiresAt">;
/** A key, and the secret of it that a request has. */
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

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

const prefixOf: Record<Deployment, string> = { production: "pets_live_", staging: "pets_stag_" };
const KEY_FORM = /^pets_(live|stag)_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/;

const SECRET_FORM = /^pets_[a-z]{4}_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/;

/**
 * Matches everything that looks like the secret of a key, an operator's token, a session or a link, to keep it out of logs:
 * one that begins as these do, and a whole one without its first word.
 */
export const SECRET_LIKE =
  /pets_(live|stag|oper|sess|link)_[0-9A-Za-z_]+|(live|stag|oper|sess|link)_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}/g;

/** Generates the secret of a key, which begins with `pets_live_` or `pets_stag_`. */
export function newSecret(deployment: Deployment): string {
  return generateSecret(prefixOf[deployment]);
}

/** Returns the secret of a key that begins with `text` in place of random characters: everyone may know it. */
export function fixedSecret(deployment: Deployment, text: string): string {
  const body = `${prefixOf[deployment]}${text.padEnd(RANDOM_LENGTH, "0")}_`;
  return body + checksumOf(body);
}

/** Generates a secret: the prefix, 32 random base62 characters, `_`, and a checksum of all that. */
export function generateSecret(prefix: string): string {
  const body = `${prefix}${randomBase62(RANDOM_LENGTH)}_`;
  return body + checksumOf(body);
}

/** Whether a text has the form of a secret with this prefix and a valid checksum. */
export function hasSecretForm(text: string, prefix: string): boolean {
  if (!SECRET_FORM.test(text) || !text.startsWith(prefix)) return false;
  return checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** Classifies a text by its form alone. Only a `genuine` one can be a key of this deployment. */
export function formOf(text: string, deployment: Deployment): "genuine" | "other deployment" | "malformed" {
  if (!KEY_FORM.test(text)) return "malformed";
  const body = text.slice(0, -CHECKSUM_LENGTH);
  if (checksumOf(body) !== text.slice(-CHECKSUM_LENGTH)) return "malformed";
  return text.startsWith(prefixOf[deployment]) ? "genuine" : "other deployment";
}

/** SHA-256 of a secret in hex. Only this is stored. */
export function hashOf(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** CRC-32 of `body` as six base62 digits. It detects typing errors and is no protection. */
export function checksumOf(body: string): string {
  let remainder = crc32(body);
  let digits = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET.charAt(remainder % ALPHABET.length) + digits;
    remainder = Math.floor(remainder / ALPHABET.length);
  }
  return digits;
}

/** Returns `length` random characters, each of the 62 equally likely: bytes that would bias them are skipped. */
export function randomBase62(length: number): string {
  const limit = 256 - (256 % ALPHABET.length);
  let text = "";
  while (text.length < length) {
    const bytes = crypto.getRandomValues(new Uint8Array(length));
    for (const byte of bytes) if (byte < limit && text.length < length) text += ALPHABET.charAt(byte % ALPHABET.length);
  }
  return text;
}
