import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Key, type StoredSecret, secretRefusal } from "../../../src/domain/keys/key.ts";
import { holds } from "../../support/holds.ts";

const moment = fc.nat(100);

const keyWith = (times: { expiresAt?: number; revokedAt?: number }): Key => ({
  id: "key_1",
  name: "test",
  plan: "free",
  limits: { perMinute: 60, perDay: 1_000 },
  scopes: [],
  createdAt: 0,
  ...times,
});
const secretUntil = (expiresAt: number | undefined): StoredSecret => ({
  hash: "",
  keyId: "key_1",
  lastFour: "",
  createdAt: 0,
  ...(expiresAt !== undefined && { expiresAt }),
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
