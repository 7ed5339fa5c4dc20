import { expect, test } from "bun:test";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { START } from "../../support/service.ts";
import { useService } from "../../support/use-service.ts";

const service = useService();
/** The service starts a quarter of a second after a whole one. */
const SECOND = Math.floor(START / 1000);

test("the limit headers name the end of each window, and the seconds until it, rounded up", async () => {
  states("docs/limits.md", "`r` requests left for `t` more seconds, rounded up, as in `Retry-After`.");
  await service.setClock(START);
  const client = await service.withKey({ limits: { perMinute: 3, perDay: 9 } });
  const moments: [now: number, minute: string, day: string][] = [
    [START, "r=2;t=60", "r=8;t=86400"],
    [START + 750, "r=1;t=59", "r=7;t=86399"],
    [START + 751, "r=0;t=59", "r=6;t=86399"],
  ];
  for (const [now, minute, day] of moments) {
    await service.setClock(now);
    const { headers } = await client.get("/v1/pets");
    expect(headers.get("RateLimit")).toBe(`"minute";${minute}, "day";${day}`);
    expect(headers.get("RateLimit-Policy")).toBe('"minute";q=3;w=60, "day";q=9;w=86400');
    expect(headers.get("X-RateLimit-Reset")).toBe(String(SECOND + 60));
    expect(headers.get("Retry-After")).toBeNull();
  }
  const refused = await client.get("/v1/pets");
  expect(refused.headers.get("Retry-After")).toBe("59");
  expect(refused.headers.get("RateLimit")).toStartWith('"minute";r=0;t=59,');
  expect(refused.headers.get("X-RateLimit-Reset")).toBe(String(SECOND + 60));
});

test("the last use of a key is accurate to a minute, and stored once per minute", async () => {
  states(
    "docs/your-key.md",
    "`createdAt`, `expiresAt`, `lastUsedAt` | string or `null` | `lastUsedAt` is accurate to a minute.",
  );
  await service.setClock(START);
  const { id, secret } = await service.createKey();
  const { keys, counters } = service.stores;
  /** Sends a request, waits until its count is saved, and returns the key's last use, in seconds since the start. */
  const lastUseAfter = async (seconds: number, count: number) => {
    await service.setClock(START + seconds * 1000);
    await service.forgetKeys();
    await service.withSecret(secret).get("/v1/pets");
    await eventually(async () => (await counters.limitStateOf(id))?.day.count === count);
    // On PostgreSQL the last use is stored just after the counts.
    await new Promise((resolve) => setTimeout(resolve, 200));
    return (((await keys.get(id))?.key.lastUsedAt ?? 0) - START) / 1000;
  };
  expect(await lastUseAfter(0, 1)).toBe(0);
  expect(await lastUseAfter(59, 2)).toBe(0);
  expect(await lastUseAfter(60, 3)).toBe(60);
  expect(await lastUseAfter(119, 4)).toBe(60);
  expect(await lastUseAfter(4_000, 5)).toBe(4_000);
});
