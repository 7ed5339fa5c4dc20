import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { deployments } from "../../../src/domain/deployment.ts";
import {
  checksumOf,
  derivedSecret,
  formOf,
  generateSecret,
  hashOf,
  hasSecretForm,
  newSecret,
  randomBase62,
  SECRET_LIKE,
} from "../../../src/domain/keys/secret.ts";
import { holds } from "../../support/holds.ts";
import { states } from "../../support/markdown.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const deployment = fc.constantFrom(...deployments);
const secret = fc
  .tuple(fc.constantFrom("live", "stag"), fc.string({ unit: fc.constantFrom(...BASE62), minLength: 32, maxLength: 32 }))
  .map(([prefix, random]) => `pets_${prefix}_${random}_`)
  .map((body) => body + checksumOf(body));

const isGenuine = (text: string) => deployments.some((its) => formOf(text, its) === "genuine");

test("a new secret has its deployment's prefix, 32 characters, and a checksum", () => {
  states(
    "SECURITY.md",
    "A key has 190 random bits",
    "The prefixes `pets_live_` and `pets_stag_` let scanners find keys.",
  );
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
  test("is what the documents say", () => {
    states("docs/authentication.md", "A tool can therefore detect a mistyped key without a request.");
  });
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

test("the secret of a repeated rotation is the same in every version: numbers that a database keeps stand for it", () => {
  const from = "pets_live_4kTn0aWq7JbYcX2z4kTn0aWq7JbYcX2z_0aWq7J";
  // HMAC-SHA-512 of the number with the earlier secret as its key, in digits of base 62, the lowest one first.
  expect(derivedSecret("production", from, 42n)).toBe("pets_live_DrTRJUiCySnvkL2hO511t4p16K987lJN_19gQGx");
  expect(derivedSecret("staging", from, 42n)).toBe("pets_stag_DrTRJUiCySnvkL2hO511t4p16K987lJN_2NniZX");
  expect(derivedSecret("production", "a", 2n ** 63n - 1n)).toBe("pets_live_SHoSIkkbJNrtkAvUxamNZZcgGoeL7SrQ_4AZNjG");
});

test("the stored hash of a secret is its SHA-256", () => {
  states("docs/data.md", "only its SHA-256 is stored, so nobody can look it up later.");
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
  states("SECURITY.md", "removed from the log.");
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
