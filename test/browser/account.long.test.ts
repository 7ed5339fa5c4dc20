import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { scopes } from "../../src/domain/keys/key.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { startService } from "../support/service.ts";
import { useOperator, useService } from "../support/use-service.ts";
import { accessibilityViolations } from "./accessibility.ts";
import { elsewhere, hasChromium, intercept, launchChromium, overflowOf, PATIENCE, watch } from "./chromium.ts";

if (!hasChromium) console.log("skipped: the page of a key is not tried in a browser, without chromium on this machine");

const service = useService();
const { client: operator } = useOperator(service);

/** A key that has used something of its limits, was refused, and calls a deprecated operation. */
async function usedKey(): Promise<string> {
  const { secret } = await service.createKey({ plan: "free", scopes: [...scopes] });
  const client = service.withSecret(secret);
  for (let i = 0; i < 25; i++) await client.get("/v1/pets/0", { "X-Request-Id": `refused-${i}` });
  await client.get("/v1/pets?limit=0");
  return secret;
}

describe.skipIf(!hasChromium)("the page of a key in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  }, PATIENCE);
  afterAll(() => browser?.close());

  async function visit(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
    await page.goto(`${service.url}/account`);
    return page;
  }

  const status = (page: Page) => page.getByRole("status");

  async function show(page: Page, secret: string): Promise<void> {
    await page.getByLabel("API key", { exact: true }).fill(secret);
    await page.keyboard.press("Enter");
    await status(page).getByText("As of").waitFor();
  }

  test.each([
    [1280, "light"],
    [390, "dark"],
  ] as const)(
    "at %i pixels, %s, it fits, can be used by ear, asks nobody else, and keeps the key in memory alone",
    async (width, colorScheme) => {
      states("docs/your-key.md", "The key stays in the memory of the page until you leave it.");
      const page = await visit({ viewport: { width, height: 900 }, colorScheme });
      const seen = watch(page);
      const secret = await usedKey();
      await show(page, secret);
      for (const heading of ["Key", "Limits", "Usage", "Refused requests", "Deprecated operations", "Rotate the key"]) {
        await page.getByRole("heading", { name: heading, exact: true }).waitFor();
      }
      await page.getByText("By hour").click();
      expect(await overflowOf(page)).toBe(0);
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(elsewhere(seen, service.url)).toEqual([]);
      expect(seen.complaints).toEqual([]);
      expect(seen.requests.filter((url) => url.includes(secret))).toEqual([]);
      expect(page.url()).toBe(`${service.url}/account`);
      const kept = "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state])";
      expect(await page.evaluate<string>(kept)).not.toContain(secret);
      expect(await page.content()).not.toContain(secret);
      // As a browser that keeps the page, and may show it again, also with a key that nobody has sent yet.
      await page.getByLabel("API key", { exact: true }).fill("pets_live_x");
      await page.evaluate('dispatchEvent(new Event("pagehide"))');
      expect(await page.getByLabel("API key", { exact: true }).inputValue()).toBe("");
      expect(await status(page).textContent()).toBe("");
      expect(await page.getByRole("heading", { name: "Key", exact: true }).count()).toBe(0);
      await page.reload();
      expect(await page.getByLabel("API key", { exact: true }).inputValue()).toBe("");
      await page.close();
    },
    PATIENCE,
  );

  test(
    "each row of the key and of its limits has what the service says of it",
    async () => {
      const { id, secret: first } = await service.createKey({
        plan: "pro",
        scopes: ["pets:read", "key:rotate"],
        expiresAt: service.now + 86_400_000,
      });
      await service.advance({ seconds: 90 });
      const rotated = await service.withSecret(first).post("/v1/key/rotate", { graceSeconds: 7_200 });
      const client = service.withSecret(rotated.body.secret);
      for (let i = 0; i < 3; i++) await client.get("/v1/pets");
      // The last use, like usage, is written in the background.
      await eventually(async () => (await operator.get(`/admin/v1/keys/${id}`)).body.lastUsedAt !== null);
      const page = await visit();
      await show(page, rotated.body.secret);
      const { body: key } = await client.get("/v1/key");
      const { body: used } = await client.get("/v1/usage");
      const shown = await page.evaluate<string[][]>(
        `[...document.querySelectorAll("table[aria-label=Key] tbody tr, table[aria-label=Limits] tbody tr")].map((row) => (
          [...row.cells].map((cell) => {
            for (const time of cell.querySelectorAll("time")) time.replaceChildren(time.dateTime);
            return cell.textContent.trim();
          })))`,
      );
      const [earlier] = key.earlierSecrets;
      const window = (name: string, { limit, used, remaining, resetAt }: Record<string, number | string>) => [
        ...[name, limit?.toLocaleString("en-US"), String(used), remaining?.toLocaleString("en-US"), String(resetAt)],
      ];
      expect(shown).toEqual([
        ["Name", key.name],
        ["Id", key.id],
        ["Plan", "pro"],
        ["Scopes", "pets:read key:rotate"],
        ["Created", key.createdAt],
        ["Expires", key.expiresAt],
        ["Last used", key.lastUsedAt],
        ["Secrets that work", `…${key.lastFour}, and until ${earlier.expiresAt} …${earlier.lastFour}`],
        ["Ban", "none"],
        window("60 seconds", used.minute),
        window("24 hours", used.day),
      ]);
      expect(new Set([key.createdAt, key.expiresAt, key.lastUsedAt, earlier.expiresAt]).size).toBe(4);
      await page.close();
    },
    PATIENCE,
  );

  test(
    "each cell of usage, refused requests and deprecated operations has what the service says of it, below its own name",
    async () => {
      const { id, secret } = await service.createKey({ plan: "free", scopes: ["pets:read"] });
      const client = service.withSecret(secret);
      await client.get("/v1/pets");
      await client.get("/v1/pets/0", { "X-Request-Id": "refused-first" });
      await service.advance({ seconds: 1 });
      await client.get("/v1/pets/0", { "X-Request-Id": "refused-last" });
      await client.get("/v1/pets?limit=0");
      // The operator asks: the key may ask of itself 60 times per minute.
      await eventually(async () => {
        const { body: key } = await operator.get(`/admin/v1/keys/${id}/usage?resolution=day&points=1`);
        const { body: history } = await operator.get(`/admin/v1/requests?key=${id}`);
        const calls = (await service.stores.counters.deprecatedCallsOf(id)).get("getPet")?.calls;
        return calls === 2 && key.points[0].requests >= 4 && history.requests.length >= 4;
      });
      const page = await visit();
      const answered = ["/v1/key", "/v1/usage"].map((path) => page.waitForResponse(service.url + path));
      await show(page, secret);
      const [key, used] = await Promise.all(answered.map(async (response) => (await response).json()));
      const { body: refused } = await client.get("/v1/key/requests?status=refused");
      /** The rows of a table as objects by the names of its columns; a time is that of the service, a meter its words. */
      const rowsOf = (name: string) =>
        page.evaluate<Record<string, string>[]>(
          `[...document.querySelectorAll("table[aria-label='${name}'] tbody tr")].map((row) => {
            const names = [...row.closest("table").tHead.rows[0].cells].map((cell) => cell.textContent);
            for (const time of row.querySelectorAll("time")) time.replaceChildren(time.dateTime);
            return Object.fromEntries([...row.cells].map((cell, at) => [
              names[at], cell.querySelector("meter")?.ariaLabel ?? cell.textContent.trim(),
            ]));
          })`,
        );
      type Point = { at: string; requests: number; byClass: Record<string, number> };
      const usageRows = (points: Point[]) => {
        const most = Math.max(1, ...points.map(({ requests }) => requests));
        return points.toReversed().map(({ at, requests, byClass }) => ({
          ...{ From: at, Requests: String(requests), "Share of the most": `${requests} of ${most}` },
          ...Object.fromEntries(["2xx", "4xx", "429", "5xx"].map((one) => [one, String(byClass[one] ?? 0)])),
        }));
      };
      for (const [name, points] of [
        ["By hour", used.last24Hours],
        ["By day, in UTC", key.last30Days],
      ] as [string, Point[]][]) {
        const total = points.reduce((sum, { requests }) => sum + requests, 0);
        await page.getByText(`${name}: ${total} requests`, { exact: true }).waitFor();
        const meters = await page
          .locator(`table[aria-label='${name}'] meter`)
          .evaluateAll((all) => all.map((one) => one as HTMLMeterElement).map(({ value, max }) => [value, max]));
        const most = Math.max(...points.map(({ requests }) => requests));
        expect(meters).toEqual(points.toReversed().map(({ requests }) => [requests, most]));
      }
      const links = await page.locator("#account a").evaluateAll((all) => all.map((one) => one.getAttribute("href")));
      expect(links).toEqual(expect.arrayContaining(["/docs/limits#bans", "/docs/deprecation"]));
      for (const href of new Set(links)) {
        const [path = "", anchor] = (href ?? "").split("#");
        const { status: answer, text } = await service.anonymous().get(path);
        expect([href, answer, anchor === undefined || text.includes(` id="${anchor}"`)]).toEqual([href, 200, true]);
      }
      expect(await rowsOf("By hour")).toEqual(usageRows(used.last24Hours));
      expect(await rowsOf("By day, in UTC")).toEqual(usageRows(key.last30Days));
      expect(await rowsOf("Refused requests")).toEqual(
        refused.map(({ requestId, at, method, path, status, error }: Record<string, string | { code: string }>) => ({
          ...{ Time: at, Request: `${method} ${path}`, "Request id": requestId },
          ...{ Error: `${status} ${Object(error).code}`, "What it means": Object(error).message },
        })),
      );
      const [deprecated] = key.deprecatedCalls;
      expect(await rowsOf("Deprecated operations")).toEqual([
        {
          ...{ Operation: deprecated.operation, Calls: "2", "Last call": deprecated.lastCalledAt },
          ...{ Ends: deprecated.removedAt, "Call instead": deprecated.replacement },
        },
      ]);
      await page.close();
    },
    PATIENCE,
  );

  test(
    "with the keyboard alone: what was refused and why, page by page, a new secret, and the key forgotten",
    async () => {
      const secret = await usedKey();
      const page = await visit();
      await page.getByLabel("API key", { exact: true }).focus();
      await page.keyboard.type(secret);
      await page.keyboard.press("Enter");
      await status(page).getByText("As of").waitFor();
      const refused = page.getByRole("table", { name: "Refused requests" });
      // The field does not keep what the page has; without another key, the same is shown again.
      const typed = page.getByLabel("API key", { exact: true });
      expect(await typed.inputValue()).toBe("");
      const again = page.waitForRequest((request) => request.url().endsWith("/v1/key"));
      await typed.focus();
      await page.keyboard.press("Enter");
      const repeated = await again;
      expect(await repeated.headerValue("Authorization")).toBe(`Bearer ${secret}`);
      // As of a request whose response no cache may keep.
      expect(await repeated.headerValue("Cache-Control")).toBe("no-cache");
      await status(page).getByText("As of").waitFor();
      expect(await refused.first().textContent()).toContain("invalid_parameter");
      await refused.getByText("refused-24", { exact: true }).waitFor();
      expect(await refused.getByText("refused-0", { exact: true }).count()).toBe(0);
      const why = refused.getByRole("link", { name: "pet_not_found" }).first();
      expect(await why.getAttribute("href")).toBe("/docs/errors#pet_not_found");
      await page.getByRole("button", { name: "Show older ones" }).focus();
      await page.keyboard.press("Enter");
      await refused.getByText("refused-0", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Show older ones" }).waitFor({ state: "hidden" });
      await page.getByRole("button", { name: "Get a new secret" }).focus();
      await page.keyboard.press("Enter");
      const made = page.locator("output code");
      await made.waitFor();
      const added = (await made.textContent()) ?? "";
      expect((await service.withSecret(added).get("/v1/key")).body.earlierSecrets).toHaveLength(1);
      // From here on the page uses the new one.
      await page.getByRole("button", { name: "Get a new secret" }).focus();
      await page.keyboard.press("Enter");
      await made.filter({ hasNotText: added }).waitFor();
      await page.getByRole("button", { name: "Forget it" }).focus();
      await page.keyboard.press("Enter");
      expect(await page.getByRole("heading", { name: "Limits" }).count()).toBe(0);
      await page.getByLabel("API key", { exact: true }).and(page.locator(":focus")).waitFor();
      // Without a key there is nothing to show.
      await page.keyboard.press("Enter");
      expect(await typed.evaluate((one) => (one as HTMLInputElement).validity.valueMissing)).toBe(true);
      expect(await status(page).textContent()).toBe("");
      await page.close();
    },
    PATIENCE,
  );

  test(
    "the secret in use works for as long as was chosen, and another attempt after a lost response is the same rotation",
    async () => {
      const { secret } = await service.createKey({ scopes: [...scopes] });
      const page = await visit();
      let isLost = true;
      await intercept(page, "**/v1/key/rotate", async (route) => {
        if (!isLost) return route.continue();
        isLost = false;
        await route.fetch();
        await route.abort();
      });
      await show(page, secret);
      const rotate = page.getByRole("button", { name: "Get a new secret" });
      const sentBy = async () => {
        const sent = page.waitForRequest((request) => request.url().endsWith("/rotate"));
        await rotate.click();
        const request = await sent;
        return { attempt: await request.headerValue("Idempotency-Key"), body: request.postDataJSON() };
      };
      const first = await sentBy();
      await status(page).getByText("fetch").waitFor();
      const second = await sentBy();
      await status(page).getByText("The key has a new secret.").waitFor();
      expect(second).toEqual(first);
      // Unless another choice is made, programs have a day to take the new secret.
      expect(first.body).toEqual({ graceSeconds: 86_400 });
      const added = (await page.locator("output code").textContent()) ?? "";
      expect((await service.withSecret(added).get("/v1/key")).body.earlierSecrets).toHaveLength(1);
      const attempts = new Set([first.attempt]);
      for (const [choice, hours] of Object.entries({ "for an hour": 1, "for 24 hours": 24, "no longer": 0 })) {
        await page.getByLabel("The secret in use works").selectOption({ label: choice });
        const { attempt, body } = await sentBy();
        expect([choice, body]).toEqual([choice, { graceSeconds: hours * 3_600 }]);
        await status(page).getByText("The key has a new secret.").waitFor();
        attempts.add(attempt);
      }
      expect(attempts.size).toBe(4);
      await page.close();
    },
    PATIENCE,
  );

  test(
    "says until when a key is banned, how many strikes it has, and when a refused question may be asked again",
    async () => {
      const { secret } = await service.createKey({ scopes: ["pets:read"] });
      const page = await visit();
      const until = new Date(service.now + 300_000).toISOString();
      let isRefused = true;
      await intercept(page, /\/v1\/(key|usage)$/, async (route) => {
        const body = { code: "rate_limit_exceeded", message: "Too many." };
        if (isRefused) return route.fulfill({ status: 429, headers: { "Retry-After": "7" }, json: body });
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), ban: { until }, strikes: 42 } });
      });
      await page.getByLabel("API key", { exact: true }).fill(secret);
      await page.keyboard.press("Enter");
      await status(page).getByText("Too many. (rate_limit_exceeded) Try again in 7 seconds.").waitFor();
      isRefused = false;
      await show(page, secret);
      const ban = page.getByRole("row", { name: "Ban" }).getByRole("cell").nth(1);
      expect(await ban.textContent()).toStartWith("until ");
      expect(await ban.locator("time").getAttribute("datetime")).toBe(until);
      await page.getByText("Strikes in the last ten minutes: 42.").waitFor();
      await page.close();
    },
    PATIENCE,
  );

  test.each(["Asia/Kathmandu", "America/St_Johns"])(
    "in %s it shows times of there, and the days in UTC",
    async (timezoneId) => {
      const secret = await usedKey();
      // Calls of deprecated operations are written a moment later.
      const { id } = (await service.withSecret(secret).get("/v1/key")).body;
      await eventually(async () => {
        const { callers } = (await operator.get("/admin/v1/deprecations/callers")).body;
        return callers.some(({ keyId }: { keyId: string }) => keyId === id);
      });
      const page = await visit({ timezoneId, locale: "en-GB" });
      await show(page, secret);
      const shown = await page.evaluate<{ table: string; at: string; text: string }[]>(
        `[...document.querySelectorAll("table time")].map((time) => (
          { table: time.closest("table").ariaLabel, at: time.dateTime, text: time.textContent }))`,
      );
      const forms: Record<string, Intl.DateTimeFormatOptions> = {
        "By day, in UTC": { dateStyle: "medium", timeZone: "UTC" },
        "By hour": { dateStyle: "medium", timeStyle: "short", timeZone: timezoneId },
      };
      const others: Intl.DateTimeFormatOptions = { dateStyle: "medium", timeStyle: "medium", timeZone: timezoneId };
      const written = ({ table, at }: { table: string; at: string }) =>
        new Date(at).toLocaleString("en-GB", forms[table] ?? others);
      expect(shown.map(({ text }) => text)).toEqual(shown.map(written));
      const tables = ["Key", "Limits", "By hour", "By day, in UTC", "Refused requests", "Deprecated operations"];
      expect([...new Set(shown.map(({ table }) => table))]).toEqual(tables);
      await page.close();
    },
    PATIENCE,
  );

  test(
    "a key that is not valid is refused in words; without the scope there is no rotation; without scripts it says what to call",
    async () => {
      const page = await visit();
      await page.getByLabel("API key", { exact: true }).fill("pets_live_x");
      await page.keyboard.press("Enter");
      await status(page).getByText("invalid_api_key").waitFor();
      // A pasted key has blanks around it.
      await show(page, ` ${(await service.createKey({ scopes: ["pets:read"] })).secret} `);
      await page.getByText("None that the service keeps.").waitFor();
      await page.getByText("The key calls none.").waitFor();
      await page.getByRole("button", { name: "Show older ones" }).waitFor({ state: "hidden" });
      const cell = (name: string, at: number) =>
        page.getByRole("row", { name, exact: false }).getByRole("cell").nth(at);
      for (const name of ["Expires", "Last used"]) expect(await cell(name, 1).textContent()).toBe("never");
      for (const name of ["60 seconds", "24 hours"])
        expect(await cell(name, 4).textContent()).toBe("not open: the next request opens it");
      await page.getByText("Strikes in the last ten minutes: 0.").waitFor();
      expect(await page.getByRole("heading", { name: "Rotate the key" }).count()).toBe(0);
      await page.close();
      const plain = await visit({ javaScriptEnabled: false });
      const named = ((await plain.locator("noscript").textContent()) ?? "").match(/GET \/v1[/\w]*/g) ?? [];
      expect(named).toContain("GET /v1/key");
      const { secret } = await service.createKey();
      for (const call of named)
        expect([call, (await service.withSecret(secret).get(call.slice("GET ".length))).status]).toEqual([call, 200]);
      await plain.close();
    },
    PATIENCE,
  );
});

test("the page has the policy of the documentation's forms, and a setting switches it off", async () => {
  states(
    "docs/settings.md",
    "`on` serves the page `/account`, on which the holder of a key sees what the key says about itself. `off` leaves that path out",
  );
  states("docs/your-key.md", "Operators switch the page off with `PETSTORE_ACCOUNT_PAGE`.");
  const { status, headers, text } = await service.anonymous().get("/account");
  expect(status).toBe(200);
  expect(headers.get("Content-Security-Policy")).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect(headers.get("Referrer-Policy")).toBe("no-referrer");
  expect(text).toContain('href="/account">Account</a>');
  expect((await service.anonymous().get("/docs/limits")).text).not.toContain("account.js");
  await using without = await startService({ env: { PETSTORE_ACCOUNT_PAGE: "off" } });
  expect((await without.anonymous().get("/account")).status).toBe(404);
  expect((await without.anonymous().get("/docs/limits")).text).not.toContain("/account");
});
