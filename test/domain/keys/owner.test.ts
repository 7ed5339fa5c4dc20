import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  isEmail,
  isNote,
  isOwnerName,
  type Owner,
  ownerKeyOf,
  ownerText,
  parseOwner,
} from "../../../src/domain/keys/key.ts";
import { holds } from "../../support/holds.ts";

const name = fc
  .string({ unit: "binary", maxLength: 20 })
  .map((text) => text.trim())
  .filter(isOwnerName);
const email = fc.emailAddress().filter(isEmail);
const owner: fc.Arbitrary<Owner> = fc.oneof(fc.record({ name }), fc.record({ email }), fc.record({ name, email }));

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
