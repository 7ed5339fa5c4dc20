import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { besideLoad, eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { hasRedis, startRedis } from "../support/redis.ts";
import { startService } from "../support/service.ts";
import { useService } from "../support/use-service.ts";
import { accessibilityViolations, smallTargets } from "./accessibility.ts";
import {
  elsewhere,
  hasChromium,
  intercept,
  launchChromium,
  overflowOf,
  PATIENCE,
  type Seen,
  watch,
} from "./chromium.ts";
import { buildConsole, detailsIn, goTo, settled, signIn } from "./console.ts";
import { writeHistory } from "./history.ts";

if (!hasChromium) console.log("skipped: the console tests need Chromium, which this machine does not have");

const KEYS = 1_000;
const LARGEST_FIRST_LOAD = 150_000;
const pages = [
  ...[
    "overview",
    "keys",
    "pets",
    "categories",
    "orders",
    "deprecation",
    "audit",
    "operators",
    "backups",
    "service",
    "webhooks",
    "alerts",
  ],
  ...["pets/1", "pets/3", "categories/1", "categories/7", "orders/1", "orders/3"],
];

const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 900 }, colorScheme: "light" };
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  colorScheme: "dark",
};

describe.skipIf(!hasChromium)("the console, on a service with 1,000 keys and 30 days of usage", () => {
  beforeAll(buildConsole, PATIENCE);
  const service = useService({ now: Date.now() });
  let browser: Browser;
  let url = "";
  let key = "";
  let admin = "";
  beforeAll(async () => {
    browser = await launchChromium();
    url = service.adminUrl;
    admin = (await service.withOperator("admin")).token;
    // The service creates the first key itself.
    const keys = await Promise.all(Array.from({ length: KEYS - 1 }, () => service.createKey({ plan: "pro" })));
    key = keys[0]?.id ?? "";
    await writeHistory(service.stores.usage, service.now, 900, [{ keyId: key, plan: "pro", share: 0.1 }]);
    const client = service.withSecret(keys[0]?.secret ?? "");
    await client.post("/v1/categories", { name: "Dogs" });
    await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
    await client.post("/v1/pets", { name: "Mia", categoryId: 7 });
    await client.post("/v1/store/orders", { petId: 1 });
    const { client: operator } = await service.withOperator("admin", "Grace");
    await operator.patch("/admin/v1/pets/2", { name: "Luna", status: "sold" });
    await client.get("/v1/pets/1", { "User-Agent": "okhttp/4.12.0" });
  }, PATIENCE);
  afterAll(() => browser?.close());

  /** A page of the console after signing in, with its requests and its errors. */
  async function open(options: BrowserContextOptions, token: string, path = "#/overview"): Promise<[Page, Seen]> {
    const page = await browser.newPage(options);
    const seen = watch(page);
    await signIn(page, url, token, path);
    await settled(page);
    return [page, seen];
  }
  /** Without the 401 before signing in, which browsers log as an error. */
  const complaints = (seen: Seen) => seen.complaints.filter((one) => !one.includes("401 (Unauthorized)"));

  test.each([
    ["on a desktop, light", DESKTOP],
    ["on a phone, dark", PHONE],
  ])(
    "%s: axe-core finds nothing serious on any page, no page overflows or requests anything from elsewhere",
    async (_where, options) => {
      states("docs/console.md", "The console contacts no other server.");
      const [page, seen] = await open(options, admin);
      for (const path of [...pages, `keys/${key}`]) {
        await goTo(page, `#/${path}`);
        expect([path, await accessibilityViolations(page), await overflowOf(page)]).toEqual([path, [], 0]);
        const current = await page
          .locator("nav [aria-current=page]")
          .evaluateAll((all) => all.map((one) => one.getAttribute("href")));
        expect([path, current]).toEqual([path, [`#/${path.split("/")[0]}`]]);
        expect([path, await smallTargets(page)]).toEqual([path, []]);
        // Also where the cells have their names beside them, who listens to a table hears its columns.
        const unnamed = page
          .locator("main table.cards:has(thead):visible")
          .filter({ hasNot: page.getByRole("columnheader") });
        expect([path, await unnamed.count()]).toEqual([path, 0]);
        // There they are shown, and nowhere else.
        const names = await page
          .locator("main table.cards td[data-label]:visible")
          .evaluateAll((cells) =>
            cells.map((cell) => [cell.getAttribute("data-label"), getComputedStyle(cell, "::before").content] as const),
          );
        const expected = options === PHONE ? (label: string | null) => JSON.stringify(label) : () => "none";
        expect([path, names.filter(([label, shown]) => shown !== expected(label))]).toEqual([path, []]);
        // What has no value is left out, or said in words.
        expect([path, await page.locator("dd:empty").count()]).toEqual([path, 0]);
      }
      for (const [path, opens] of [
        ["keys", "Create key"],
        ["pets", "Import"],
        ["pets", "Add pet"],
        ["pets/1", "Edit"],
        ["categories/1", "Remove"],
        ["orders/1", "Cancel"],
        ["operators", "Create operator"],
        ["webhooks", "Create endpoint"],
      ] as const) {
        await goTo(page, `#/${path}`);
        await page.getByRole("button", { name: opens, exact: true }).click();
        await page.getByRole("dialog").waitFor();
        expect([opens, await accessibilityViolations(page), await smallTargets(page)]).toEqual([opens, [], []]);
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
      }
      expect(elsewhere(seen, url)).toEqual([]);
      expect(complaints(seen).filter((one) => !one.includes("404 (Not Found)"))).toEqual([]);
      await page.close();
    },
    2 * PATIENCE,
  );

  test(
    "axe-core finds nothing serious on the sign-in page",
    async () => {
      const page = await browser.newPage(DESKTOP);
      await page.goto(`${url}/console`);
      await page.getByLabel("Operator token").waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.close();
    },
    PATIENCE,
  );

  test(
    "the first load is under 150 kB, and files with a hash in their name are fetched once",
    async () => {
      const context = await browser.newContext(DESKTOP);
      const page = await context.newPage();
      const sizes: number[] = [];
      page.on("response", async (response) => {
        const { responseBodySize, responseHeadersSize } = await response.request().sizes();
        sizes.push(responseBodySize + responseHeadersSize);
      });
      await page.goto(`${url}/console`, { waitUntil: "networkidle" });
      const size = sizes.reduce((sum, one) => sum + one, 0);
      expect(sizes.length).toBeGreaterThan(3);
      expect(size).toBeGreaterThan(10_000);
      expect(size).toBeLessThan(LARGEST_FIRST_LOAD);
      await page.goto("about:blank");
      await page.goto(`${url}/console`, { waitUntil: "networkidle" });
      const again = await page.evaluate<[string, number][]>(
        `performance.getEntriesByType("resource").map(({ name, transferSize }) => [name, transferSize])`,
      );
      const hashed = again.filter(([name]) => /assets\/.*(css|js)$/.test(name));
      expect(hashed.map(([, transferred]) => transferred)).toEqual([0, 0]);
      await context.close();
    },
    PATIENCE,
  );

  test(
    "the overview responds in under 100 ms",
    async () => {
      const [page] = await open(DESKTOP, admin);
      const took = await page.evaluate<number[]>(`(async () => {
        const took = [];
        for (let i = 0; i < 9; i++) {
          const began = performance.now();
          await (await fetch("/admin/v1/overview")).json();
          took.push(performance.now() - began);
        }
        return took.sort((a, b) => a - b);
      })()`);
      expect(took[4]).toBeLessThan(besideLoad(100));
      await page.getByRole("button", { name: "30 days" }).click();
      await page.getByText("1,000 total").waitFor();
      await page.close();
    },
    PATIENCE,
  );

  test(
    "a range is chosen by keyboard, and the busiest key in it leads to its page",
    async () => {
      states(
        "docs/console.md",
        "responses by class or by plan",
        "or from one time to another; the busiest keys, and those that are refused most; requests by plan",
      );
      const [page, seen] = await open(DESKTOP, admin);
      const custom = page.getByRole("button", { name: "Custom", exact: true });
      await page.getByRole("button", { name: "90 days" }).focus();
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      expect(await custom.getAttribute("aria-pressed")).toBe("true");
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.labels[0].textContent")).toBe("From");
      const asked = page.waitForResponse((response) => /usage\?.*resolution=day&from=/.test(response.url()));
      const from = new Date(service.now - 20 * 86_400_000);
      await page.getByLabel("From").fill(from.toISOString().slice(0, 16));
      await page.getByLabel("From").press("Tab");
      expect((await asked).status()).toBe(200);
      await page.getByRole("button", { name: "By plan" }).press("Enter");
      await page.getByRole("button", { name: "Show table" }).press("Enter");
      await page.getByRole("region", { name: "Requests" }).getByRole("columnheader", { name: "Pro" }).waitFor();
      const plans = page.getByRole("table").filter({ hasText: "Successful" });
      expect(await plans.getByRole("row", { name: /^Pro/ }).textContent()).toContain("100 %");
      await page.getByRole("button", { name: "Refusals" }).press("Enter");
      await page
        .getByRole("table")
        .filter({ hasText: "Rate limited" })
        .getByRole("link", { name: "test" })
        .first()
        .press("Enter");
      await page.getByRole("heading", { name: "Changes by operators" }).waitFor();
      expect(page.url()).toEndWith(`#/keys/${key}`);
      expect(complaints(seen)).toEqual([]);
      await page.close();
    },
    PATIENCE,
  );

  test(
    "the callers of a deprecated operation lead to their keys",
    async () => {
      states(
        "docs/console.md",
        "The time until getPet is removed, and the keys that still call it, with their programs.",
      );
      states("docs/console.md", "and the keys that still call it, with their programs.");
      const [page] = await open(DESKTOP, admin, "#/deprecation");
      await page
        .getByRole("row", { name: /okhttp/ })
        .getByRole("link")
        .click();
      await page.getByRole("heading", { name: "Changes by operators" }).waitFor();
      expect(page.url()).toEndWith(`#/keys/${key}`);
      await page.close();
    },
    PATIENCE,
  );

  test(
    "a viewer sees everything and no action",
    async () => {
      states(
        "docs/console.md",
        "A viewer (`--role viewer`) reads all of it except the operators and the backups, and changes nothing.",
      );
      const [page, seen] = await open(DESKTOP, (await service.withOperator("viewer")).token);
      // What chooses, finds, exports or leads on changes nothing.
      const reading =
        /^(Live|Hour|24 hours|7 days|30 days|90 days|Custom|By status|By plan|Requests|Refusals|Latest|Most calls|Show table|Find|Export|Previous|Next|Clear filters)$/;
      for (const path of [...pages, `keys/${key}`]) {
        await goTo(page, `#/${path}`);
        const buttons = await page.locator("main").getByRole("button").allTextContents();
        expect([path, ...buttons.filter((name) => !reading.test(name.trim()))]).toEqual([path]);
        expect([path, await page.locator("main").getByRole("checkbox").count()]).toEqual([path, 0]);
      }
      const linksOf = (one: Page) => one.getByRole("navigation", { name: "Pages" }).getByRole("link").allTextContents();
      const [all] = await open(DESKTOP, admin);
      const hidden = (await linksOf(all)).filter((name) => name !== "Operators" && name !== "Backups");
      expect(await linksOf(page)).toEqual(hidden);
      expect(hidden).toHaveLength((await linksOf(all)).length - 2);
      // The palette leads where the menu does.
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("option").first().waitFor();
      expect(await page.getByRole("dialog").locator("[role=option] strong").allTextContents()).toEqual(hidden);
      await all.close();
      expect(complaints(seen).filter((one) => !one.includes("404 (Not Found)"))).toEqual([]);
      await page.close();
    },
    PATIENCE,
  );

  test(
    "the chosen theme stays after a reload",
    async () => {
      const [page] = await open(DESKTOP, admin);
      const ground = () => page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor");
      const light = await ground();
      const choices = ["system", "light", "dark"] as const;
      /** The button says what is chosen, and what it chooses next. */
      const button = (at: number) =>
        page.getByRole("button", {
          name: `Theme: ${choices[at % 3]}. Switch to ${choices[(at + 1) % 3]}`,
          exact: true,
        });
      await button(0).click();
      await button(1).click();
      await button(2).waitFor();
      const dark = await ground();
      expect(dark).not.toBe(light);
      await page.reload();
      await settled(page);
      expect(await ground()).toBe(dark);
      await button(2).click();
      await button(0).waitFor();
      expect(await ground()).toBe(light);
      await page.close();
    },
    PATIENCE,
  );

  test(
    "the keyboard alone skips the menu, opens a dialog that traps the focus, and gets the focus back",
    async () => {
      const [page] = await open(DESKTOP, admin, "#/keys");
      const focused = () =>
        page.evaluate<string>("document.activeElement.closest('dialog, main, .skip')?.tagName ?? ''");
      // Signing in has put the focus on the heading, behind the link.
      await page.reload();
      await page.getByRole("button", { name: "Create key" }).waitFor();
      const skip = page.getByRole("button", { name: "Skip to main content" });
      expect((await skip.boundingBox())?.y).toBeLessThan(0);
      await page.keyboard.press("Tab");
      expect((await skip.boundingBox())?.y).toBeGreaterThanOrEqual(0);
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
      expect(await page.evaluate<string>("document.activeElement.textContent")).toBe("Create key");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
      for (let i = 0; i < 12; i++) {
        await page.keyboard.press("Tab");
        expect(["DIALOG", ""]).toContain(await focused());
      }
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      expect(await page.evaluate<string>("document.activeElement.textContent")).toBe("Create key");
      await page.close();
    },
    PATIENCE,
  );

  test(
    "Escape closes the menu of a phone; the last page of a list has the focus on its rows",
    async () => {
      await Promise.all(Array.from({ length: 101 }, () => service.createKey({ plan: "free" })));
      const [page] = await open(PHONE, admin, "#/keys?search=test&plan=free");
      const focused = () => page.evaluate<string>("document.activeElement.ariaLabel || document.activeElement.tagName");
      // Pages come late: meanwhile the list shows the rows of the page before.
      await intercept(page, "**/admin/v1/keys?*", async (route) => {
        await pause(300);
        await route.continue();
      });
      await settled(page);
      await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("link", { name: "Deprecation" }).focus();
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "Deprecation" }).waitFor({ state: "hidden" });
      expect(await focused()).toBe("Menu");
      const next = page.getByRole("button", { name: "Next" });
      const previous = page.getByRole("button", { name: "Previous" });
      const rows = () => page.locator("main tbody a").evaluateAll((links) => links.map((link) => `${link}`));
      const seen = new Set(await rows());
      for (const last of [50, 100]) {
        await page.getByRole("status").getByText(`–${last} of`).waitFor();
        await next.click({ trial: true });
        await next.press("Enter");
        await page
          .getByRole("status")
          .getByText(new RegExp(`^${last + 1}–`))
          .waitFor();
        await previous.click({ trial: true });
        for (const row of await rows()) seen.add(row);
      }
      expect(seen.size).toBe(101);
      await page.locator("main table:focus").waitFor();
      await page.close();
    },
    PATIENCE,
  );

  test(
    "timestamps are in the time zone of the browser, and in UTC in the tooltip",
    async () => {
      states("docs/console.md", "Times are in your time zone; hover over one to see UTC.");
      const [page] = await open({ ...DESKTOP, timezoneId: "Asia/Tokyo", locale: "en-GB" }, admin, "#/service");
      const started = page.locator("dd time").first();
      const [local, utc] = [await started.textContent(), await started.getAttribute("title")];
      expect(utc).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
      const hour = (Number(utc?.slice(11, 13)) + 9) % 24;
      expect(local).toContain(` ${String(hour).padStart(2, "0")}:${utc?.slice(14, 19)}`);
      await page.close();
    },
    PATIENCE,
  );

  test(
    "the page of the service shows a setting that an option of serve gives beside those of the environment",
    async () => {
      const [page] = await open(DESKTOP, admin);
      await intercept(page, "**/admin/v1/settings", async (route) => {
        const response = await route.fetch();
        const text = (await response.text()).replace(/("name":"PORT",[^}]*"source":)"\w+"/, '$1"option"');
        await route.fulfill({ response, body: text });
      });
      await goTo(page, "#/service");
      await page.getByRole("row", { name: "PORT" }).getByText("option of serve").first().waitFor();
      await page.close();
    },
    PATIENCE,
  );

  test(
    "a failed request shows its error and can be retried",
    async () => {
      const [page] = await open(DESKTOP, admin);
      await intercept(page, "**/admin/v1/keys?*", (route) => route.abort());
      await page.evaluate('location.hash = "#/keys"');
      await page.getByRole("alert").getByText("The service cannot be reached.").waitFor();
      await page.unroute("**/admin/v1/keys?*");
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByText(/^1–50 of 1,\d{3}$/).waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
      await goTo(page, "#/keys/key_nobody");
      await page.getByRole("heading", { name: "Key not found" }).waitFor();
      // Without the service nobody knows who is signed in: that is no reason to ask for a token.
      await page.route("**/admin/v1/session", (route) => route.fulfill({ status: 503, body: "" }));
      await page.reload();
      await page.getByRole("alert").getByText("The service returned status 503.").waitFor();
      expect(await page.getByLabel("Operator token").count()).toBe(0);
      await page.unroute("**/admin/v1/session");
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("heading", { name: "Key not found" }).waitFor();
      await page.close();
    },
    PATIENCE,
  );

  test("the content security policy allows only its own scripts and styles", async () => {
    const { headers, ...answer } = await fetch(`${url}/console`).then(async (response) => ({
      headers: response.headers,
      html: await response.text(),
    }));
    const policy = headers.get("Content-Security-Policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("style-src 'self';");
    expect(policy).not.toContain("unsafe");
    // No search engine lists it, and the first picture is that of the theme.
    expect(answer.html).toMatch(/<meta name="?robots"? content="?noindex/);
    expect(answer.html).toMatch(/<script type="?module"? blocking="?render/);
  });

  test(
    "without scripts it says that it requires them",
    async () => {
      const page = await browser.newPage({ ...DESKTOP, javaScriptEnabled: false });
      await page.goto(`${url}/console`);
      expect((await page.locator("body").textContent())?.trim()).toBe("The console requires JavaScript.");
      await page.close();
    },
    PATIENCE,
  );
});

describe.skipIf(!hasChromium || !hasRedis)("the console of a service whose Redis may evict counts", () => {
  beforeAll(buildConsole, PATIENCE);
  test(
    "says so with the policy, and which requests are kept, on a desktop and on a phone",
    async () => {
      states("docs/console.md", "whether the database and Redis answer, and whether Redis may evict counts");
      await using stack = new AsyncDisposableStack();
      const redis = stack.adopt(await startRedis(["--maxmemory-policy", "allkeys-lru"]), (server) => server.remove());
      const running = await startService({ env: { REDIS_URL: redis.url, PETSTORE_REQUEST_HISTORY_SHARE: "0.01" } });
      const service = stack.adopt(running, (one) => one.remove());
      const browser = stack.adopt(await launchChromium(), (one) => one.close());
      const { token } = await service.withOperator("viewer");
      for (const options of [DESKTOP, PHONE]) {
        const page = await browser.newPage(options);
        await signIn(page, service.adminUrl, token, "#/service");
        await settled(page);
        const dependencies = page.locator("section", { hasText: "Dependencies" });
        await dependencies.getByText("allkeys-lru").waitFor({ timeout: PATIENCE });
        expect(await dependencies.textContent()).toContain("Set maxmemory-policy to noeviction.");
        expect(await accessibilityViolations(page)).toEqual([]);
        expect(await overflowOf(page)).toBe(0);
        await goTo(page, "#/requests");
        await page.getByText("All errors and refusals are kept, and 1 % of the other requests.").waitFor();
      }
      const page = await browser.newPage(DESKTOP);
      await signIn(page, service.adminUrl, token, "#/service");
      await redis.kill();
      await eventually(async () => (await detailsIn(page, "Dependencies")).Redis === "not responding");
      expect((await detailsIn(page, "Dependencies")).SQLite).toMatch(/^healthy [\d.]+ ms$/);
    },
    PATIENCE,
  );
});
