import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { useService } from "../support/use-service.ts";
import { elsewhere, hasChromium, launchChromium, overflowOf, PATIENCE, type Seen, watch } from "./chromium.ts";

if (!hasChromium) console.log("skipped: the reference is not looked at in a browser, without chromium on this machine");

/** A page, with everything that it asked for and complained about. */
type Visit = { page: Page; seen: Seen };

const service = useService();

test("the page's policy runs no script but the service's own, and asks nobody but the two deployments", async () => {
  const { headers } = await service.anonymous().get("/docs/reference");
  const policy = headers.get("Content-Security-Policy")?.split("; ");
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("connect-src 'self' http://petstore.test http://127.0.0.1:8090");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
  expect(headers.get("Referrer-Policy")).toBe("no-referrer");
});

describe.skipIf(!hasChromium)("/docs/reference in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  }, PATIENCE);
  afterAll(() => browser?.close());

  /** Opens the reference and waits until its operations are there. */
  async function visit(options: BrowserContextOptions = {}): Promise<Visit> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
    const seen = watch(page);
    await page.goto(`${service.url}/docs/reference`, { waitUntil: "networkidle" });
    await page.getByRole("heading", { name: "List pets" }).waitFor({ timeout: PATIENCE });
    return { page, seen };
  }

  test.each<[string, BrowserContextOptions]>([
    ["in the light", { colorScheme: "light" }],
    ["in the dark", { colorScheme: "dark" }],
    ["on a phone", { viewport: { width: 390, height: 844 }, isMobile: true }],
  ])(
    "%s it shows the three operations, asks nobody else, and complains of nothing",
    async (_where, options) => {
      const { page, seen } = await visit(options);
      for (const name of ["List pets", "Add a pet", "Get one pet"]) {
        expect(await page.getByRole("heading", { name }).count()).toBeGreaterThan(0);
      }
      expect(elsewhere(seen, service.url)).toEqual([]);
      expect(seen.complaints).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
      await page.close();
    },
    PATIENCE,
  );

  test(
    "an operation can be tried there with a key",
    async () => {
      const { secret } = await service.createKey();
      await service.withSecret(secret).post("/v1/pets", { name: "Rex of the reference", categoryId: 1 });
      const { page, seen } = await visit();
      await page.getByPlaceholder("Token").first().fill(secret);
      await page
        .getByRole("button", { name: /Test Request/ })
        .first()
        .click();
      const answered = page.waitForResponse((response) => response.url().startsWith(`${service.url}/v1/pets`));
      await page.getByRole("button", { name: /^Send/ }).first().click();
      expect((await answered).status()).toBe(200);
      await page.getByText("Rex of the reference").first().waitFor({ timeout: PATIENCE });
      expect(elsewhere(seen, service.url)).toEqual([]);
      expect(seen.complaints).toEqual([]);
      await page.close();
    },
    PATIENCE,
  );
});
