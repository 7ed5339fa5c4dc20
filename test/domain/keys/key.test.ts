import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  isEmail,
  isNote,
  isOwnerName,
  type Key,
  type Owner,
  ownerKeyOf,
  ownerText,
  parseOwner,
  type StoredSecret,
  secretRefusal,
  stateOf,
} from "../../../src/domain/keys/key.ts";
import { holds } from "../../support/holds.ts";
import { states } from "../../support/markdown.ts";

const NOW = Date.UTC(2026, 11, 2, 10);
const BAN = { since: NOW, until: NOW / 1000 + 300, step: 0 };
const keyWith = (more: Partial<Key> = {}): Key => ({
  id: "key_1",
  name: "test",
  plan: "free",
  limits: { perMinute: 60, perDay: 1_000 },
  scopes: [],
  createdAt: 0,
  ...more,
});
const moment = fc.nat(100);
const secretUntil = (expiresAt: number | undefined): StoredSecret => ({
  hash: "",
  keyId: "key_1",
  lastFour: "",
  createdAt: 0,
  ...(expiresAt !== undefined && { expiresAt }),
});
const name = fc
  .string({ unit: "binary", maxLength: 20 })
  .map((text) => text.trim())
  .filter(isOwnerName);
const email = fc.emailAddress().filter(isEmail);
const owner: fc.Arbitrary<Owner> = fc.oneof(fc.record({ name }), fc.record({ email }), fc.record({ name, email }));

test("a key expires at its expiry, not before", () => {
  const key = keyWith({ expiresAt: NOW });
  expect([stateOf(key, undefined, NOW - 1), stateOf(key, undefined, NOW)]).toEqual(["active", "expired"]);
});

test("revoked precedes expired, expired precedes disabled, and all precede banned", () => {
  expect(stateOf(keyWith(), BAN, NOW)).toBe("banned");
  expect(stateOf(keyWith({ disabledAt: NOW }), BAN, NOW)).toBe("disabled");
  expect(stateOf(keyWith({ disabledAt: NOW, expiresAt: NOW }), BAN, NOW)).toBe("expired");
  expect(stateOf(keyWith({ disabledAt: NOW, expiresAt: NOW, revokedAt: NOW }), BAN, NOW)).toBe("revoked");
});

test("a key is valid until it is revoked, it expires, or its secret expires, whichever comes first, unless it is disabled", () => {
  const times = fc.record({ expiresAt: moment, revokedAt: moment, disabledAt: moment }, { requiredKeys: [] });
  holds(
    fc.property(times, fc.option(moment, { nil: undefined }), moment, (key, secretEnds, now) => {
      const isRevoked = key.revokedAt !== undefined && now >= key.revokedAt;
      const isExpired = [key.expiresAt, secretEnds].some((end) => end !== undefined && now >= end);
      const isDisabled = key.disabledAt !== undefined;
      const expected = isRevoked
        ? "revoked_api_key"
        : isExpired
          ? "expired_api_key"
          : isDisabled
            ? "disabled_api_key"
            : undefined;
      expect(secretRefusal(keyWith(key), secretUntil(secretEnds), now)).toBe(expected);
    }),
    1_000,
  );
});

test("an owner is read as it is shown", () => {
  holds(fc.property(owner, (one) => expect(parseOwner(ownerText(one))).toEqual(one)));
});

test("what is read keeps the rules, and no text is read in two ways", () => {
  const part = fc.constantFrom("Ada", " ", "<", ">", "@", "a@b.org", "\n", "\u202e", "\0");
  holds(
    fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
      const read = parseOwner(parts.join(""));
      if (read === undefined) return;
      expect(read.name === undefined || isOwnerName(read.name)).toBe(true);
      expect(read.email === undefined || isEmail(read.email)).toBe(true);
      expect(parseOwner(ownerText(read))).toEqual(read);
    }),
  );
});

test.each<[string, Owner | undefined]>([
  ["Ada Lovelace <ada@example.org>", { name: "Ada Lovelace", email: "ada@example.org" }],
  ["<ada@example.org>", { email: "ada@example.org" }],
  [" ada@example.org ", { email: "ada@example.org" }],
  ["Ada", { name: "Ada" }],
  ["", undefined],
  ["<>", undefined],
  ["Ada <>", undefined],
  ["Ada <ada>", undefined],
  ["Ada <ada@example.org> Lovelace", undefined],
  ["Ada <a@b.org> <c@d.org>", undefined],
  ["Ada\n", { name: "Ada" }],
  ["A\nda", undefined],
])("%p is %p", (text, expected) => {
  expect(parseOwner(text)).toEqual(expected);
});

test.each([
  ["ada@example.org", true],
  ["ada+pets@mail.example.org", true],
  ["ada@localhost", true],
  ["ada", false],
  ["ada@", false],
  ["@example.org", false],
  ["ada@example..org", false],
  ["ada@-example.org", false],
  ["ada lovelace@example.org", false],
  ["ada@example.org\n", false],
  ["ada@exämple.org", false],
  [`${"a".repeat(242)}@example.org`, true],
  [`${"a".repeat(243)}@example.org`, false],
])("%p is an e-mail address: %p", (text, expected) => {
  expect(isEmail(text)).toBe(expected);
});

test.each(["Ada <", "Ada>", "Ada @ Home", "a\nb", " ", "x".repeat(101)])("%p is no name of an owner", (text) => {
  expect(isOwnerName(text)).toBe(false);
});

test("a note is one line of at most 500 characters", () => {
  expect([isNote("🐈".repeat(500)), isNote("a".repeat(501)), isNote(" "), isNote("two\nlines")]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test("owners with one address are one, in any case; without an address those of one name are; nobody else is", () => {
  states(
    "docs/administration.md",
    "Keys with one address belong to one owner, even if their names differ, in any case. Without an address, keys with one name do.",
  );
  holds(
    fc.property(owner, owner, (one, other) => {
      const { name = "", email: address } = one;
      const same =
        address === undefined ? { name: name.normalize("NFD").toUpperCase() } : { email: address.toUpperCase() };
      if (name.toUpperCase().toLowerCase() === name.toLowerCase()) expect(ownerKeyOf(same)).toBe(ownerKeyOf(one));
      if (one.email !== undefined && other.email === undefined) expect(ownerKeyOf(one)).not.toBe(ownerKeyOf(other));
      expect(ownerKeyOf(one) < ownerKeyOf(undefined)).toBe(true);
    }),
  );
});
