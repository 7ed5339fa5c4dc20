import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { states } from "../support/markdown.ts";
import { type RunningService, startService } from "../support/service.ts";
import { useService } from "../support/use-service.ts";
import { accessibilityViolations } from "./accessibility.ts";
import { hasChromium, intercept, launchChromium, overflowOf, PATIENCE, type Seen, watch } from "./chromium.ts";
import { buildConsole, goTo, signIn } from "./console.ts";

if (!hasChromium) console.log("skipped: the console tests need Chromium, which this machine does not have");

/** One session of an operator who uses the keyboard alone: each test continues where the one before stopped. */
describe.skipIf(!hasChromium)("staging at the console", () => {
  beforeAll(buildConsole, PATIENCE);
  const service = useService({ now: Date.now(), env: { PETSTORE_DEPLOYMENT: "staging" } });
  let browser: Browser;
  let page: Page;
  let seen: Seen;
  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    seen = watch(page);
    await signIn(page, service.adminUrl, (await service.withOperator("admin")).token);
    // Before signing in, the console asks in vain who is signed in.
    seen.complaints.length = 0;
  }, PATIENCE);
  afterAll(() => browser?.close());

  const opener = (on: Page) => on.getByRole("button", { name: "Reset staging", exact: true });
  const dialog = () => page.getByRole("dialog");
  const press = async (...keys: string[]) => {
    for (const one of keys) await page.keyboard.press(one);
  };
  const open = async () => {
    await opener(page).first().focus();
    await press("Enter");
    await dialog().waitFor();
  };
  const isClosed = () => dialog().waitFor({ state: "detached" });
  const pets = async () => Object.values(await service.stores.pets.inventory()).reduce((sum, one) => sum + one, 0);

  test(
    "is not reset when the dialog is left",
    async () => {
      await goTo(page, "#/service");
      await open();
      expect(await accessibilityViolations(page)).toEqual([]);
      await press("Escape");
      await isClosed();
      expect(await pets()).toBe(0);
    },
    PATIENCE,
  );

  test(
    "is reset to sample data after a confirmation, and says what it has then",
    async () => {
      states("docs/data.md", "Administrators do the same on the console's page Service");
      states("docs/console.md", "On staging, `Reset staging` replaces all data.");
      await goTo(page, "#/service");
      const answer = Promise.withResolvers<void>();
      await intercept(page, "**/staging/reset", (route) => answer.promise.then(() => route.continue()));
      await open();
      await press("Tab", "Tab", "Enter");
      // The dialog stays while the reset is under way.
      await dialog().getByRole("button", { name: "Reset staging" }).and(page.locator("[aria-busy=true]")).waitFor();
      await press("Escape");
      expect(await dialog().getByText("This cannot be undone.").isVisible()).toBe(true);
      expect(await dialog().getByRole("button", { name: "Close" }).count()).toBe(0);
      answer.resolve();
      await page.getByText("It has 200 pets from id 1 on, 9 categories and 85 orders.").waitFor();
      await press("Enter");
      await isClosed();
      expect(await pets()).toBe(200);
      await goTo(page, "#/audit");
      await page.getByText("Ada replaced all pets, categories and orders").waitFor();
    },
    PATIENCE,
  );

  test(
    "takes the pets of a file, after one with an invalid line was refused",
    async () => {
      await goTo(page, "#/service");
      await open();
      const choose = (name: string, text: string) =>
        page.getByLabel("Pets of a file instead").setInputFiles({ name, mimeType: "", buffer: Buffer.from(text) });
      await choose("wrong.ndjson", '{"name":"Rex"}\n');
      await dialog().getByRole("button", { name: "Reset staging" }).focus();
      await press("Enter");
      await page
        .getByRole("alert")
        .filter({ hasText: "Line 1: categoryId is required. Nothing was changed." })
        .waitFor();
      await choose("pets.CSV", "name,categoryId\nRex,1\nMia,2\n");
      await dialog().getByRole("button", { name: "Reset staging" }).focus();
      await press("Enter");
      await page.getByText("It has 2 pets from id 201 on, 9 categories and 0 orders.").waitFor();
      await press("Enter");
      await isClosed();
    },
    PATIENCE,
  );

  test(
    "fits into a phone and has no accessibility violations, light and dark",
    async () => {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        for (const width of [360, 1280]) {
          await page.setViewportSize({ width, height: 740 });
          await goTo(page, "#/service");
          expect(await overflowOf(page)).toBe(0);
          await open();
          expect(await overflowOf(page)).toBe(0);
          expect(await accessibilityViolations(page)).toEqual([]);

          await press("Escape");
          await isClosed();
        }
      }
      expect(seen.complaints.filter((complaint) => !complaint.includes("400"))).toEqual([]);
    },
    PATIENCE,
  );

  test(
    "is reset by admins of staging only: neither a viewer nor production has the button",
    async () => {
      const production: RunningService = await startService({ now: Date.now() });
      const tokens = [
        [service.adminUrl, (await service.withOperator("viewer", "Vera")).token],
        [production.adminUrl, (await production.withOperator("admin")).token],
      ] as const;
      for (const [url, token] of tokens) {
        const context = await browser.newContext();
        const other = await context.newPage();
        await signIn(other, url, token, "#/service");
        await other.getByText("Base URLs").waitFor();
        expect(await opener(other).count()).toBe(0);
        await context.close();
      }
      await production.remove();
    },
    PATIENCE,
  );
});
