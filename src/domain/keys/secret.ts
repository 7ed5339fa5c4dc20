import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Deployment } from "../deployment.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

const prefixOf: Record<Deployment, string> = { production: "pets_live_", staging: "pets_stag_" };
const KEY_FORM = /^pets_(live|stag)_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/;

const SECRET_FORM = /^pets_[a-z]{4}_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/;

/** Everything that looks like the secret part of a key, an operator's token or a session, for keeping those out of logs. */
export const SECRET_LIKE = /pets_(live|stag|oper|sess)_[0-9A-Za-z_]+/g;

/** A new secret of a key: it begins with `pets_live_` or `pets_stag_`. */
export function newSecret(deployment: Deployment): string {
  return generateSecret(prefixOf[deployment]);
}

/** A new secret: a prefix that says what it is for, 32 random base62 characters, `_`, and a checksum over all of that. */
export function generateSecret(prefix: string): string {
  const body = `${prefix}${randomBase62(RANDOM_LENGTH)}_`;
  return body + checksumOf(body);
}

/** Whether a text has the form of a secret with this prefix, its checksum included. */
export function hasSecretForm(text: string, prefix: string): boolean {
  if (!SECRET_FORM.test(text) || !text.startsWith(prefix)) return false;
  return checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** How a text relates to this deployment's keys, judged by its form only. Only a `genuine` one is worth a look-up. */
export function formOf(text: string, deployment: Deployment): "genuine" | "other deployment" | "malformed" {
  if (!KEY_FORM.test(text)) return "malformed";
  const body = text.slice(0, -CHECKSUM_LENGTH);
  if (checksumOf(body) !== text.slice(-CHECKSUM_LENGTH)) return "malformed";
  return text.startsWith(prefixOf[deployment]) ? "genuine" : "other deployment";
}

/** SHA-256 of a secret, in hex: all that the store keeps of it. */
export function hashOf(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** CRC-32 of `body` as six base62 digits. It catches typing errors, it proves nothing. */
export function checksumOf(body: string): string {
  let rest = crc32(body);
  let digits = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

/** `length` characters, each of the 62 equally likely. */
export function randomBase62(length: number): string {
  const evenly = 256 - (256 % ALPHABET.length);
  let text = "";
  while (text.length < length) {
    const bytes = crypto.getRandomValues(new Uint8Array(length));
    for (const byte of bytes)
      if (byte < evenly && text.length < length) text += ALPHABET.charAt(byte % ALPHABET.length);
  }
  return text;
}
