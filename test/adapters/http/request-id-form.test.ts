import { expect, test } from "bun:test";
import fc from "fast-check";
import { requestIdOf } from "../../../src/adapters/http/request.ts";
import { generateSecret } from "../../../src/domain/keys/secret.ts";
import { holds } from "../../support/holds.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

const idFor = (given: string) => requestIdOf(new Request("http://localhost/", { headers: { "X-Request-Id": given } }));

test("a client's id of 1 to 128 letters, digits, dots, underscores and hyphens is kept", () => {
  const own = fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 1, maxLength: 128, size: "max" });
  holds(
    fc.property(own, (id) => {
      expect(idFor(id)).toBe(id);
    }),
  );
});

test("any other id is replaced, so that no part of it reaches the log or the response", () => {
  const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i));
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(...printable, "\t", "\u00ff"), maxLength: 20 }),
    fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 129, maxLength: 300 }),
  );
  holds(
    fc.property(text, (given) => {
      // White space around a header's value does not belong to it.
      const isKept = /^[A-Za-z0-9._-]{1,128}$/.test(given.trim());
      if (isKept) expect(idFor(given)).toBe(given.trim());
      else expect(idFor(given)).toMatch(UUID);
    }),
  );
});

test("an id that contains a key, a token or the secret of a session is replaced", () => {
  for (const prefix of ["pets_live_", "pets_stag_", "pets_oper_", "pets_sess_"]) {
    const secret = generateSecret(prefix);
    for (const given of [secret, `Bearer-${secret}`, `${secret}.2`, secret.slice(0, 20), secret.slice("pets_".length)])
      expect(idFor(given)).toMatch(UUID);
  }
  for (const own of ["pets_alive_1", "live_4bf92f3577b34da6a3ce929d0e0e4736"]) expect(idFor(own)).toBe(own);
});

test("no two requests without an id get the same one", () => {
  const ids = Array.from({ length: 1_000 }, () => requestIdOf(new Request("http://localhost/")));
  expect(new Set(ids).size).toBe(ids.length);
});
