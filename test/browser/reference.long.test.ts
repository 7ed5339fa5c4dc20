import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { useService } from "../support/use-service.ts";
import { accessibilityViolations } from "./accessibility.ts";
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
  expect(policy).toContain("style-src 'self' 'unsafe-inline'");
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
    await operation(page, "List pets").waitFor({ timeout: PATIENCE });
    return { page, seen };
  }

  /** The button that opens and closes an operation. */
  const operation = (page: Page, summary: string) => page.locator(".opblock-summary-control", { hasText: summary });

  /** Has the page send this key with its requests. */
  async function authorize(page: Page, secret: string): Promise<void> {
    await page.locator(".auth-wrapper > .authorize").click();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByLabel("API key").fill(secret);
    await page.locator(".modal-btn.authorize").click();
    await page.getByRole("button", { name: "Close" }).last().click();
  }

  test(
    "with the keyboard alone, a key is entered in a dialog that keeps the focus, and the response is announced",
    async () => {
      const { secret } = await service.createKey();
      const { page } = await visit();
      const opener = page.locator(".auth-wrapper > .authorize");
      const dialog = page.getByRole("dialog", { name: "Authorize" });
      await opener.press("Enter");
      await dialog.getByLabel("API key").and(page.locator(":focus")).waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await opener.and(page.locator(":focus")).waitFor();
      await page.keyboard.press("Enter");
      await page.keyboard.type(secret);
      await page.keyboard.press("Enter");
      await dialog.locator(".btn-done:focus").waitFor();
      await page.keyboard.press("Enter");
      await opener.and(page.locator(":focus")).waitFor();
      await operation(page, "List pets").press("Enter");
      await page.getByRole("button", { name: "Execute" }).press("Enter");
      await page.getByText("Response 200", { exact: true }).waitFor();
      await page.close();
    },
    PATIENCE,
  );

  test(
    "no parameter is sent that nobody chose",
    async () => {
      const { secret } = await service.createKey();
      const { page } = await visit();
      await authorize(page, secret);
      for (const [summary, path] of [
        ["List pets", "/v1/pets"],
        ["List categories", "/v1/categories"],
        ["List orders", "/v1/store/orders"],
        ["Count pets by status", "/v1/store/inventory"],
      ] as const) {
        await operation(page, summary).click();
        const sent = page.waitForRequest((request) => request.url().startsWith(service.url + path));
        await page.locator(".opblock", { hasText: summary }).getByRole("button", { name: "Execute" }).click();
        const request = await sent;
        expect(request.url()).toBe(service.url + path);
        expect(await request.headerValue("If-None-Match")).toBeNull();
      }
      await operation(page, "Approve, deliver or cancel").click();
      const change = page.locator(".opblock", { hasText: "Approve, deliver or cancel" });
      for (const name of ["If-Match", "If-None-Match"])
        expect(await change.getByLabel(name, { exact: true }).inputValue()).toBe("");
      await page.close();
    },
    PATIENCE,
  );

  const looks: [string, BrowserContextOptions][] = [
    ["at a desk, in the light", { colorScheme: "light" }],
    ["on a phone, in the dark", { viewport: { width: 390, height: 844 }, isMobile: true, colorScheme: "dark" }],
  ];

  test.each(looks)(
    "%s every operation can be read by ear, fits, asks nobody else, and complains of nothing",
    async (_where, options) => {
      const { page, seen } = await visit(options);
      for (const summary of ["List pets", "Add a pet", "Get one pet"]) await operation(page, summary).click();
      await page.locator(".models button").first().click();
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
      expect(elsewhere(seen, service.url)).toEqual([]);
      expect(seen.complaints).toEqual([]);
      await page.close();
    },
    PATIENCE,
  );

  test.each(looks)(
    "%s an operation can be tried with a key, and shows 64-bit integers exactly",
    async (_where, options) => {
      const { secret } = await service.createKey();
      const { page, seen } = await visit(options);
      await authorize(page, secret);
      await operation(page, "Add a pet").click();
      const pet = '{"name": "Rex of the reference", "categoryId": 9223372036854775807}';
      await page.getByLabel("Request body").fill(pet);
      const answered = page.waitForResponse((response) => response.url().startsWith(`${service.url}/v1/pets`));
      await page.getByRole("button", { name: "Execute" }).click();
      expect((await answered).status()).toBe(201);
      const shown = page.locator(".live-responses-table .response-col_description");
      await shown.getByText('"categoryId": 9223372036854775807').waitFor({ timeout: PATIENCE });
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
      expect(elsewhere(seen, service.url)).toEqual([]);
      expect(seen.complaints).toEqual([]);
      await page.close();
    },
    PATIENCE,
  );
});
