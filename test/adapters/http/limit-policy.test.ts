import { expect, test } from "bun:test";
import fc from "fast-check";
import { addLimitHeaders } from "../../../src/adapters/http/checks.ts";
import type { WindowQuota } from "../../../src/domain/limits/limits.ts";
import { holds } from "../../support/holds.ts";

const NOW = Date.UTC(2026, 11, 2, 10);

function policyFor(windows: WindowQuota[]): string | undefined {
  const headers: Record<string, string> = {};
  for (const shown of windows.slice(0, 1)) addLimitHeaders(headers, { now: NOW, shown, windows });
  return headers["RateLimit-Policy"];
}

/** Few limits of each window, so that they come again in other combinations, among many that come once. */
const limit = fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 1_000_000_000 }));

test("a policy has the limits of its own windows, even if others with one of them came before", () => {
  holds(
    fc.property(limit, fc.option(limit), (perMinute, perDay) => {
      const rest = { remaining: 1, resetAt: NOW / 1000 + 10 };
      const windows: WindowQuota[] = [{ name: "minute", seconds: 60, limit: perMinute, ...rest }];
      if (perDay !== null) windows.push({ name: "day", seconds: 86_400, limit: perDay, ...rest });
      const day = perDay === null ? "" : `, "day";q=${perDay};w=86400`;
      expect(policyFor(windows)).toBe(`"minute";q=${perMinute};w=60${day}`);
    }),
    3_000,
  );
});
