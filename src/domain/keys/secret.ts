import { createHmac, hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Deployment } from "../deployment.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const RANDOM_LENGTH = 32;

const CHECKSUM_LENGTH = 6;

const prefixOf: Record<Deployment, string> = { production: "pets_live_", staging: "pets_stag_" };

/** Of a key, and of an operator's token, a session and a link. */
export const SECRET_LENGTH = prefixOf.production.length + RANDOM_LENGTH + 1 + CHECKSUM_LENGTH;

const KEY_FORM = /^pets_(live|stag)_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/;

const SECRET_FORM = /^pets_[a-z]{4}_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/;

/**
 * Matches everything that looks like the secret of a key, an operator's token, a session, a link or a webhook endpoint, to keep
 * it out of logs: one that begins as these do, and a whole one without its first word.
 */
export const SECRET_LIKE =
  /whsec_[0-9A-Za-z+/=]+|pets_(live|stag|oper|sess|link)_[0-9A-Za-z_]+|(live|stag|oper|sess|link)_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}/g;

/** For how long an earlier secret of a key or a webhook endpoint goes on working, unless its rotation says otherwise, in ms: a day. */
export const DEFAULT_GRACE = 86_400_000;

/** Generates the secret of a key, which begins with `pets_live_` or `pets_stag_`. */
export function newSecret(deployment: Deployment): string {
  return generateSecret(prefixOf[deployment]);
}

/**
 * Returns the secret that follows from a secret and a number: who has only one of both learns nothing about it. So a number can be
 * stored in place of the secret, until the holder of the first one asks again.
 */
export function derivedSecret(deployment: Deployment, from: string, seed: bigint): string {
  let rest = BigInt(`0x${createHmac("sha512", from).update(String(seed)).digest("hex")}`);
  let text = "";
  for (const base = BigInt(ALPHABET.length); text.length < RANDOM_LENGTH; rest /= base) {
    text += ALPHABET.charAt(Number(rest % base));
  }
  return fixedSecret(deployment, text);
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
