import { beforeAll, describe, expect, test } from "bun:test";
import { bearer } from "../../../support/client.ts";
import { besideLoad } from "../../../support/eventually.ts";
import { Load, percentile } from "../../../support/load.ts";
import { addManyKeys } from "../../../support/many-keys.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const KEYS = 100_000;
const ROUNDS = 15;
/** The time limit of a page, in ms. On an idle machine each takes less than 10 ms. */
const SOON = 60;
/** With and without an operator, in turn, so that a busy machine delays both. In ms. */
const SLICES = 5;
const SLICE = 1_000;
/** The pause between two clicks of an operator, in ms. */
const CLICK_INTERVAL = 100;
const PAGES = [
  "/overview",
  "/keys?limit=50",
  "/keys?state=banned&limit=5",
  "/keys?state=active,disabled",
  "/keys?state=revoked",
  "/keys?plan=pro&state=active",
  "/keys?plan=pro&state=revoked",
  "/keys?plan=pro,free",
  "/keys?search=customer%2099",
  "/keys?search=nothing-has-this",
  "/keys?search=customer%2099999",
  "/keys?search=customer%2012&state=active",
  "/keys?search=ab",
  "/keys?search=nothing-has-this&sort=owner&state=active",
  "/keys?search=~",
  "/keys?search=qz&plan=pro",
  "/keys?search=a*b",
  "/keys?search=qz&owner=Ada",
  "/keys?owner=7@example.org",
  "/keys?owner=one@example.org",
  "/keys?owner=one@example.org&state=active&plan=pro",
  "/keys?owner=Ada&state=revoked",
  "/keys?owner=Ada&state=revoked&plan=pro",
  "/keys?sort=owner",
  "/keys?sort=owner&state=active",
  "/keys?sort=owner&state=banned&plan=pro",
  "/keys?rehearsing=true",
  "/keys?rehearsing=true&sort=owner",
  "/keys?rehearsing=true&owner=Ada&state=active",
  "/deprecations",
  "/deprecations/callers",
  "/deprecations/callers?sort=calls",
];

describe.each(["sqlite", "postgres"] as const)(`with ${KEYS} keys on %s`, (engine) => {
  const service = useService({ store: engine });
  const { operator } = useOperator(service);
  beforeAll(() => addManyKeys(service.store, KEYS, service.now), 240_000);

  const get = async (page: string) => {
    const response = await fetch(`${service.adminUrl}/admin/v1${page}`, { headers: bearer(operator.token) });
    expect(response.status).toBe(200);
    return response.json();
  };

  test.each(PAGES)(`GET %s takes less than ${SOON} ms`, async (page) => {
    const times: number[] = [];
    while (times.length < ROUNDS) {
      const began = performance.now();
      await get(page);
      times.push(performance.now() - began);
    }
    // The fastest of several: other tests run on the same machine.
    expect(Math.min(...times)).toBeLessThan(besideLoad(SOON));
  });

  test("a list counts the keys on all pages, whichever filter selects them", async () => {
    const total = async (query: string) => ((await get(`/keys?limit=1&${query}`)) as { total: number }).total;
    // The first start has created one more.
    expect(await total("")).toBe(KEYS + 1);
    expect(await total("search=customer")).toBe(KEYS);
    expect(await total("search=customer%2099999")).toBe(1);
    const byPlan = await Promise.all(["free", "pro", "business", "enterprise"].map((plan) => total(`plan=${plan}`)));
    expect(byPlan.reduce((sum, count) => sum + count)).toBe(KEYS + 1);
    const [pro = 0, free = 0] = await Promise.all(["pro", "free"].map((plan) => total(`search=customer&plan=${plan}`)));
    expect(await total("search=customer&plan=pro,free")).toBe(pro + free);
  });

  test("counts of states are exact", async () => {
    const share = (part: number) => KEYS * part;
    const keys = { revoked: share(0.1), expired: share(0.1), disabled: share(0.05), banned: share(0.01) };
    const counted = ((await get("/overview")) as { keys: Record<string, number> }).keys;
    expect(counted).toMatchObject(keys);
    for (const state of ["active", "banned", "disabled", "expired", "revoked"]) {
      expect(await get(`/keys?limit=1&state=${state}`)).toMatchObject({ total: counted[state] });
    }
  });

  test("public requests wait little longer while an operator clicks", async () => {
    const { secret } = await service.createKey();
    await using load = new Load({ urls: [service.url], secret, workers: 8 });
    await load.run(SLICE);
    const times: Record<"alone" | "clicked", number[]> = { alone: [], clicked: [] };
    for (let slice = 0; slice < 2 * SLICES; slice++) {
      const hasClicks = slice % 2 === 1;
      const first = load.outcomes.length;
      const end = performance.now() + SLICE;
      for (let i = 0; performance.now() < end; i++) {
        if (hasClicks) await get(PAGES[(slice * SLICES + i) % PAGES.length] ?? "");
        await load.run(CLICK_INTERVAL);
      }
      const outcomes = load.outcomes.slice(first);
      times[hasClicks ? "clicked" : "alone"].push(...outcomes.map(({ took }) => took));
    }
    expect(new Set((await load.stop()).map(({ status }) => status))).toEqual(new Set([200]));
    const [alone, clicked] = [percentile(times.alone, 0.99), percentile(times.clicked, 0.99)];
    console.log(`${engine}: p99 of public requests ${alone.toFixed(1)} ms, with clicks ${clicked.toFixed(1)} ms`);
    expect(clicked).toBeLessThan(Math.max(2 * alone, alone + besideLoad(20)));
  });
});
