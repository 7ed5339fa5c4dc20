import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { eventually } from "../support/eventually.ts";
import { useService } from "../support/use-service.ts";
import { accessibilityViolations } from "./accessibility.ts";
import { hasChromium, launchChromium, PATIENCE } from "./chromium.ts";

if (!hasChromium) console.log("skipped: the guide is not looked at in a browser, without chromium on this machine");

const DESKTOP: BrowserContextOptions = { viewport: { width: 1400, height: 900 }, colorScheme: "light" };
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  colorScheme: "dark",
};

const service = useService();
let browser: Browser;
beforeAll(async () => {
  if (hasChromium) browser = await launchChromium();
}, PATIENCE);
afterAll(() => browser?.close());

async function open(path: string, options: BrowserContextOptions): Promise<Page> {
  const page = await browser.newPage(options);
  await page.goto(service.url + path);
  return page;
}

const focused = (page: Page) => page.evaluate<string>("document.activeElement.textContent.trim()");

describe.skipIf(!hasChromium)("a page", () => {
  test(
    "can be used by keys: first comes the way past everything to its content",
    async () => {
      const page = await open("/docs/limits", DESKTOP);
      await page.keyboard.press("Tab");
      expect(await focused(page)).toBe("Skip to the content");
      const { y = -1 } = (await page.getByText("Skip to the content").boundingBox()) ?? {};
      expect(y).toBeGreaterThanOrEqual(0);
      await page.keyboard.press("Enter");
      expect(await page.evaluate<string>("document.activeElement.id")).toBe("content");
      await page.keyboard.press("Tab");
      expect(await page.evaluate<boolean>("document.querySelector('main').contains(document.activeElement)")).toBe(
        true,
      );
      await page.close();
    },
    PATIENCE,
  );

  test(
    "scrolls its lists of pages and of headings by themselves where the window is too low for them",
    async () => {
      const page = await open("/docs/known-traps", { ...DESKTOP, viewport: { width: 1400, height: 200 } });
      // The list shows its place, though it is far down.
      const place = await page.locator("#navigation [aria-current=page]").boundingBox();
      expect(place?.y).toBeWithin(0, 200);
      await page.goto(`${service.url}/docs/limits`);
      for (const name of ["All pages", "On this page"]) {
        const links = page.getByRole("navigation", { name }).getByRole("link");
        const topOf = async () => (await links.last().boundingBox())?.y ?? Number.NaN;
        expect([name, (await topOf()) > 200]).toEqual([name, true]);
        await links.first().hover();
        await page.mouse.wheel(0, 10_000);
        await eventually(async () => (await topOf()) < 200);
        expect([name, await page.evaluate<number>("scrollY")]).toEqual([name, 0]);
      }
      await page.close();
    },
    PATIENCE,
  );

  test(
    "marks in its outline what is being read, which the header does not cover",
    async () => {
      const page = await open("/docs/limits", DESKTOP);
      const outline = page.getByRole("navigation", { name: "On this page" });
      const marked = outline.locator('[aria-current="location"]');
      expect(await marked.count()).toBe(0);
      for (const name of ["How to wait", "The two windows"]) {
        await outline.getByRole("link", { name, exact: true }).click();
        await marked.and(page.getByText(name, { exact: true })).waitFor();
        expect(await marked.count()).toBe(1);
        // The page scrolls there in its own time.
        const below = page.locator("header").boundingBox();
        const bottom = await below.then((box) => (box?.y ?? 0) + (box?.height ?? 0));
        const topOf = async () => (await page.getByRole("heading", { name }).boundingBox())?.y ?? 0;
        await eventually(async () => (await topOf()) > bottom && (await topOf()) < 120);
      }
      expect(await page.locator(".account-link").locator("visible=true").allTextContents()).toEqual(["Account"]);
      await page.close();
    },
    PATIENCE,
  );

  test(
    "on a phone has its navigation behind a button, which Escape closes again",
    async () => {
      const page = await open("/docs/limits", PHONE);
      const navigation = page.getByRole("navigation", { name: "All pages" });
      expect(await navigation.isVisible()).toBe(false);
      // A finger hovers over nothing; the outline leaves its room to the text; the header is too narrow for the account.
      const opacity = "getComputedStyle(document.querySelector('.copy')).opacity";
      expect(await page.evaluate<string>(opacity)).toBe("1");
      const outline = page.getByRole("navigation", { name: "On this page" });
      expect(await outline.getByRole("link").first().isVisible()).toBe(false);
      const account = page.locator(".account-link").locator("visible=true");
      expect(await account.allTextContents()).toEqual(["Your account"]);
      await page.getByRole("button", { name: "Menu" }).click();
      expect(await navigation.isVisible()).toBe(true);
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.keyboard.press("Escape");
      expect(await navigation.isVisible()).toBe(false);
      await page.getByRole("button", { name: "Menu" }).click();
      await navigation.getByRole("link", { name: "Errors" }).click();
      await page.waitForURL("**/docs/errors");
      await page.close();
    },
    PATIENCE,
  );

  test(
    "copies what a reader types, whole and without its answer",
    async () => {
      const context = await browser.newContext({ ...DESKTOP, permissions: ["clipboard-read", "clipboard-write"] });
      const page = await context.newPage();
      await page.goto(`${service.url}/docs/quick-start`);
      const typed = page.locator(".code:not(.output):visible");
      const copied = async (block: number) => {
        await typed.nth(block).getByRole("button").click();
        await typed.nth(block).getByText("Copied").waitFor({ timeout: PATIENCE });
        return page.evaluate<string>("navigator.clipboard.readText()");
      };
      expect(await copied(0)).toBe("export KEY=pets_live_…");
      const command = await copied(1);
      expect(command).toStartWith(`curl -s ${service.url}/v1/pets \\\n  -H "Authorization`);
      expect(command).toEndWith(`-d '{"name": "Rex", "categoryId": 1}'`);
      expect(await page.locator(".output").getByRole("button").count()).toBe(0);
      // The button can be used again, and does not promise what the browser refuses.
      const button = typed.nth(0).getByRole("button");
      await button.and(page.getByText("Copy", { exact: true })).waitFor({ timeout: PATIENCE });
      await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))");
      await button.click();
      await button.and(page.getByText("Not copied", { exact: true })).waitFor({ timeout: PATIENCE });
      await context.close();
    },
    PATIENCE,
  );

  test(
    "can be read in the other colours, also the next one, and its picture with it",
    async () => {
      const page = await open("/docs/quick-start", DESKTOP);
      const ground = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
      const light = await ground();
      // Until the reader chooses, the page and its button follow the system.
      for (const [colorScheme, other] of [
        ["dark", "Light"],
        ["light", "Dark"],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.getByRole("button", { name: other, exact: true }).waitFor();
      }
      expect(await ground()).toBe(light);
      await page.getByRole("button", { name: "Dark" }).click();
      const dark = await ground();
      expect(dark).not.toBe(light);
      await page.goto(`${service.url}/docs/limits`);
      expect(await ground()).toBe(dark);
      const picture = await page.locator("main img").screenshot();
      await page.getByRole("button", { name: "Light" }).click();
      expect(picture.equals(await page.locator("main img").screenshot())).toBe(false);
      await page.getByRole("button", { name: "Dark" }).click();
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.close();
    },
    PATIENCE,
  );

  test(
    "can be read without its script",
    async () => {
      const page = await open("/docs/limits", { ...DESKTOP, javaScriptEnabled: false });
      expect(await page.getByRole("heading", { name: "The two windows" }).isVisible()).toBe(true);
      expect(await page.getByRole("navigation", { name: "All pages" }).isVisible()).toBe(true);
      await page.getByText("On this page").click();
      expect(await page.getByRole("link", { name: "What the headers say", exact: true }).isVisible()).toBe(true);
      await page.close();
    },
    PATIENCE,
  );
});
