import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { useService } from "../support/use-service.ts";
import { accessibilityViolations } from "./accessibility.ts";
import { elsewhere, hasChromium, intercept, launchChromium, overflowOf, PATIENCE, watch } from "./chromium.ts";

if (!hasChromium) console.log("skipped: the search is not tried in a browser, without chromium on this machine");

const service = useService();
let browser: Browser;
beforeAll(async () => {
  if (hasChromium) browser = await launchChromium();
}, PATIENCE);
afterAll(() => browser?.close());

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  await page.goto(service.url + path);
  return page;
}

const field = (page: Page) => page.getByLabel("Search the documentation");
const results = (page: Page) => page.locator("dialog.search a");

async function search(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await page.locator("dialog.search [role=status]", { hasText: "results" }).waitFor({ timeout: PATIENCE });
}

describe.skipIf(!hasChromium)("the search", () => {
  test(
    "is opened, used and followed with the keyboard alone",
    async () => {
      const page = await open("/docs/quick-start");
      const seen = watch(page);
      await page.keyboard.press("/");
      await search(page, "retry-after");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      const target = await results(page).nth(1).getAttribute("href");
      expect(await page.evaluate<string>("document.activeElement.getAttribute('href')")).toBe(target ?? "");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowUp");
      expect(await field(page).evaluate((input) => input === document.activeElement)).toBe(true);
      const first = await results(page).first().getAttribute("href");
      await page.keyboard.press("Enter");
      await page.waitForURL(`**${first}`);
      expect(elsewhere(seen, service.url)).toEqual([]);
      expect(seen.complaints).toEqual([]);
      await page.close();
    },
    PATIENCE,
  );

  test(
    "closes with Escape, returns the focus, and leaves a slash that is typed into a field",
    async () => {
      const page = await open("/docs/quick-start");
      const button = page.getByRole("button", { name: "Search" });
      await button.focus();
      await page.keyboard.press("Enter");
      await field(page).pressSequentially("a/b");
      expect(await field(page).inputValue()).toBe("a/b");
      await page.keyboard.press("Escape");
      await page.getByText("Show your key in the examples").click();
      await page.getByLabel("API key").pressSequentially("a/b");
      expect(await page.getByLabel("API key").inputValue()).toBe("a/b");
      expect(await page.getByRole("dialog").isVisible()).toBe(false);
      await button.focus();
      // The shortcuts of the browser stay its own.
      await page.keyboard.press("Control+/");
      expect(await page.getByRole("dialog").isVisible()).toBe(false);
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Close" }).click();
      expect(await page.getByRole("dialog").isVisible()).toBe(false);
      expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
      await page.close();
    },
    PATIENCE,
  );

  test(
    "closes when a result is on the page that is open",
    async () => {
      const page = await open("/docs/limits");
      await page.keyboard.press("/");
      await search(page, "bans");
      await page.locator('dialog.search a[href="/docs/limits#bans"]').click();
      await page.waitForURL("**/docs/limits#bans");
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      await page.close();
    },
    PATIENCE,
  );

  test(
    "says that the index did not load, and finds it when it does",
    async () => {
      const page = await open("/docs");
      await intercept(page, "**/docs/search-index.js*", (route) => route.abort());
      await page.keyboard.press("/");
      await field(page).fill("idempotency");
      await page.getByText("The index did not load: try again.").waitFor();
      await page.unroute("**/docs/search-index.js*");
      await search(page, "idempotency key");
      await results(page).first().waitFor();
      await page.close();
    },
    PATIENCE,
  );

  test.each([
    ["ban", "/docs/limits#bans"],
    ["Retry-After wait", "/docs/limits#how-to-wait"],
    ["idempotency", "/docs/idempotency"],
    ["PETSTORE_CORS_ORIGINS", "/docs/settings"],
    ["pet_reserved", "/docs/errors#pet_reserved"],
    ["backup", "/docs/backups"],
    ["upgrade", "/docs/upgrading#upgrading"],
    ["How do I create another key?", "/docs/data#keys"],
    ["idempotnecy", "/docs/idempotency"],
    ["operater token", "/docs/administration#operators"],
  ])(
    "finds what a reader looks for: %s",
    async (text, url) => {
      const page = await open("/docs");
      await page.keyboard.press("/");
      await search(page, text);
      const found = await results(page).evaluateAll((links) => links.map((link) => link.getAttribute("href")));
      expect(found.slice(0, 5)).toContain(url);
      expect(await results(page).first().locator("mark").count()).toBeGreaterThan(0);
      const said = (await page.locator("dialog.search [role=status]").textContent()) ?? "";
      const corrected = ["idempotnecy", "operater token"].includes(text);
      expect([said, / for (idempotency|operator token)$/.test(said)]).toEqual([said, corrected]);
      // What is shown of a long text is around the word, from the beginning of another one on.
      const excerpt = (await results(page).first().locator("span").textContent()) ?? "";
      expect(excerpt.length).toBeLessThan(170);
      if (text === "PETSTORE_CORS_ORIGINS") expect(excerpt).toMatch(/^… \S.*\bsetting\b.* …$/);
      await page.close();
    },
    PATIENCE,
  );

  test.each(["zzzz nothing", "<script>alert(1)</script>", "(((", "\\\\", "a".repeat(5000)])(
    "finds nothing for what is nowhere, and does nothing else: %p",
    async (text) => {
      const page = await open("/docs");
      const seen = watch(page);
      await page.keyboard.press("/");
      await search(page, text);
      expect(await page.locator("dialog.search [role=status]").textContent()).toBe(
        "0 results: try fewer or other words",
      );
      expect(await results(page).count()).toBe(0);
      expect(seen.complaints).toEqual([]);
      await page.close();
    },
    PATIENCE,
  );

  test.each([
    ["at a desk, in the light", { colorScheme: "light" }],
    [
      "on a phone, in the dark",
      { viewport: { width: 375, height: 800 }, isMobile: true, hasTouch: true, colorScheme: "dark" },
    ],
  ] as [string, BrowserContextOptions][])(
    "%s fits, and can be used by ear",
    async (_where, options) => {
      const page = await open("/docs/limits", options);
      await page.getByRole("button", { name: "Search" }).click();
      await search(page, "limit");
      expect(await results(page).count()).toBe(20);
      expect(await page.locator("dialog.search [role=status]").textContent()).toMatch(
        /^The best 20 of \d{2,} results$/,
      );
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
      await page.close();
    },
    PATIENCE,
  );

  test(
    "the feed of changes is well-formed XML with what Atom requires",
    async () => {
      const page = await open("/docs");
      const feed = await (await fetch(`${service.url}/docs/changelog.atom`)).text();
      const names = await page.evaluate<string[]>(`
        (([...new DOMParser().parseFromString(${JSON.stringify(feed)}, "application/xml").documentElement.children])
          .map((element) => element.localName))`);
      expect(names).toEqual(expect.arrayContaining(["id", "title", "updated", "author", "link", "entry"]));
      expect(names).not.toContain("parsererror");
      await page.close();
    },
    PATIENCE,
  );
});
