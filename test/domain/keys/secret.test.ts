import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { deployments } from "../../../src/domain/deployment.ts";
import {
  checksumOf,
  formOf,
  generateSecret,
  hashOf,
  hasSecretForm,
  newSecret,
  randomBase62,
  SECRET_LIKE,
} from "../../../src/domain/keys/secret.ts";
import { holds } from "../../support/holds.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const deployment = fc.constantFrom(...deployments);
const secret = fc
  .tuple(fc.constantFrom("live", "stag"), fc.string({ unit: fc.constantFrom(...BASE62), minLength: 32, maxLength: 32 }))
  .map(([prefix, random]) => `pets_${prefix}_${random}_`)
  .map((body) => body + checksumOf(body));

const isGenuine = (text: string) => deployments.some((its) => formOf(text, its) === "genuine");

test("a new secret has its deployment's prefix, 32 characters, and a checksum", () => {
  holds(
    fc.property(deployment, (its) => {
      const text = newSecret(its);
      expect(text).toMatch(its === "production" ? /^pets_live_\w{32}_\w{6}$/ : /^pets_stag_\w{32}_\w{6}$/);
      expect(formOf(text, its)).toBe("genuine");
    }),
  );
});

test("a secret of the other deployment is distinguished from a malformed one", () => {
  expect(formOf(newSecret("staging"), "production")).toBe("other deployment");
  expect(formOf(newSecret("production"), "staging")).toBe("other deployment");
  expect(formOf("pets_live_x", "production")).toBe("malformed");
});

test("no two secrets are the same", () => {
  expect(new Set(Array.from({ length: 1_000 }, () => newSecret("production"))).size).toBe(1_000);
});

test("all 62 characters are about equally frequent", () => {
  const draws = 62_000;
  const counts = new Map<string, number>();
  for (const character of randomBase62(draws)) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect([...counts.keys()].sort().join("")).toBe(BASE62);
  // Six standard deviations around 1,000: once in ten million runs by chance.
  for (const count of counts.values()) expect(Math.abs(count - draws / 62)).toBeLessThan(200);
});

describe("a secret is refused without a look-up when", () => {
  test("any one of its characters is changed", () => {
    holds(
      fc.property(secret, (text) => {
        for (let at = 0; at < text.length; at++) {
          for (const other of `${BASE62}_ -`) {
            if (other === text[at]) continue;
            expect(isGenuine(text.slice(0, at) + other + text.slice(at + 1))).toBe(false);
          }
        }
      }),
      5,
    );
  });

  test("two adjacent characters are swapped", () => {
    holds(
      fc.property(secret, fc.nat(47), (text, at) => {
        const swapped = text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2);
        expect(isGenuine(swapped)).toBe(swapped === text);
      }),
    );
  });

  test("characters are missing or added", () => {
    holds(
      fc.property(secret, fc.nat(48), fc.string({ minLength: 1, maxLength: 3 }), (text, at, more) => {
        expect(isGenuine(text.slice(0, at) + text.slice(at + 1))).toBe(false);
        expect(isGenuine(text.slice(0, at) + more + text.slice(at))).toBe(false);
        expect(isGenuine(`${text}\n`)).toBe(false);
        expect(isGenuine(` ${text}`)).toBe(false);
      }),
    );
  });

  test("it is any other text", () => {
    holds(
      fc.property(fc.string(), (text) => {
        expect(isGenuine(text)).toBe(false);
      }),
    );
  });
});

test("the stored hash of a secret is its SHA-256", () => {
  expect(hashOf("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("a token has its prefix, its form and its checksum", () => {
  const prefix = "pets_oper_";
  const token = generateSecret(prefix);
  expect(hasSecretForm(token, prefix)).toBe(true);
  expect(hasSecretForm(token, "pets_sess_")).toBe(false);
  for (let at = 0; at < token.length; at++) {
    // The neighbour that differs in one bit.
    const neighbour = String.fromCharCode(token.charCodeAt(at) ^ 1);
    expect(hasSecretForm(token.slice(0, at) + neighbour + token.slice(at + 1), prefix)).toBe(false);
  }
  for (const body of [
    "",
    prefix,
    `${prefix}${"x".repeat(31)}_`,
    `pets_sess_${"x".repeat(32)}_`,
    `x${"x".repeat(42)}`,
  ]) {
    expect(hasSecretForm(body + checksumOf(body), prefix)).toBe(false);
  }
});

test.each(["live", "stag", "oper", "sess", "link"])("redaction removes secrets that begin with pets_%s_", (kind) => {
  const text = generateSecret(`pets_${kind}_`);
  expect(`Bearer ${text}, again ${text}`.replace(SECRET_LIKE, "[key]")).toBe("Bearer [key], again [key]");
});

test("redaction removes a whole secret without its first word, and no shorter text", () => {
  const text = generateSecret("pets_live_").slice("pets_".length);
  expect(`${text}, ${text.slice(0, -1)}`.replace(SECRET_LIKE, "[key]")).toBe(`[key], ${text.slice(0, -1)}`);
});

test("in any text, redaction removes the whole random part of a secret", () => {
  holds(
    fc.property(fc.string(), secret, fc.string(), (before, text, after) => {
      const struck = `${before} ${text} ${after}`.replace(SECRET_LIKE, "[key]");
      expect(struck).toContain("[key]");
      expect(struck).not.toContain(text.slice(10, 42));
    }),
  );
});
