import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { useService } from "../support/use-service.ts";
import { hasChromium, launchChromium, PATIENCE, type Seen, watch } from "./chromium.ts";
import { buildConsole, choose, goTo, settled, signIn } from "./console.ts";

if (!hasChromium) console.log("skipped: the console tests need Chromium, which this machine does not have");

/** The shortest story of an operator at the console; the long tests have every page and dialog. */
describe.skipIf(!hasChromium)("an operator at the console", () => {
  beforeAll(buildConsole, PATIENCE);
  const service = useService({ now: Date.now() });
  let browser: Browser;
  let page: Page;
  let seen: Seen;
  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    seen = watch(page);
    await signIn(page, service.adminUrl, (await service.withOperator("admin")).token);
  }, PATIENCE);
  afterAll(() => browser?.close());

  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const dialog = () => page.getByRole("dialog");

  test(
    "creates a key, which works, and revokes it",
    async () => {
      await goTo(page, "#/keys");
      await button("Create key").first().click();
      await dialog().getByLabel("Name").fill("Paws");
      await dialog().getByRole("button", { name: "Create key" }).click();
      const client = service.withSecret((await dialog().locator(".copyable-text code").textContent()) ?? "");
      await button("I have stored it").click();
      await dialog().waitFor({ state: "detached" });
      expect((await client.get("/v1/pets")).status).toBe(200);

      await page.getByRole("link", { name: "Paws" }).click();
      await choose(page, "Revoke");
      await dialog().getByRole("button", { name: "Revoke Paws" }).click();
      await page.locator(".badge", { hasText: "revoked" }).waitFor();
      expect((await client.get("/v1/pets")).body.code).toBe("revoked_api_key");
    },
    PATIENCE,
  );

  test(
    "follows an address that changes as soon as the page is there",
    async () => {
      const other = await browser.newPage();
      // As the operator does who clicks at once.
      await other.addInitScript(`new MutationObserver(() => {
        if (document.body?.textContent.includes("Skip to main content") && location.hash === "#/overview") location.hash = "#/keys";
      }).observe(document, { childList: true, subtree: true })`);
      await signIn(other, service.adminUrl, (await service.withOperator("admin")).token);
      await other.locator("main h1", { hasText: "Keys" }).waitFor();
      await other.close();
    },
    PATIENCE,
  );

  test(
    "opens every page without an error",
    async () => {
      const links = page.getByRole("navigation").getByRole("link");
      const paths = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
      expect(paths.length).toBeGreaterThan(5);
      for (const path of paths) await goTo(page, path);
      await settled(page);
      // Before the sign-in there is no session.
      expect(seen.complaints.filter((complaint) => !complaint.includes("401 (Unauthorized)"))).toEqual([]);
    },
    PATIENCE,
  );
});
