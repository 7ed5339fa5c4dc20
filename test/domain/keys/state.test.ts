import { expect, test } from "bun:test";
import { type Key, stateOf } from "../../../src/domain/keys/key.ts";

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
