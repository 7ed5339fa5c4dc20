import { isSingleLine, SINGLE_LINE } from "../single-line.ts";
import { isName, MAX_NAME_LENGTH } from "./name.ts";

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
