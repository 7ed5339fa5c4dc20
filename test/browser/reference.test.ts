import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { type RunningService, startService } from "../support/service.ts";

const PATIENCE = 30_000;
const CHROMIUM = (process.env.PATH ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "chromium"))
  .find((path) => existsSync(path));

const isMissing = CHROMIUM === undefined;
if (isMissing) console.log("The reference is not looked at in a browser: there is no chromium.");

/** A page, with everything that it asked for and complained about. */
type Visit = { page: Page; requests: string[]; complaints: string[] };

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.remove());

test("the page's policy runs no script but the service's own, and asks nobody but the two deployments", async () => {
  const { headers } = await service.stranger().get("/docs/reference");
  const policy = headers.get("Content-Security-Policy")?.split("; ");
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("connect-src 'self' http://petstore.test http://127.0.0.1:8090");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
  expect(headers.get("Referrer-Policy")).toBe("no-referrer");
});

describe.skipIf(isMissing)("/docs/reference in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM ?? "", args: ["--no-sandbox"], timeout: PATIENCE });
  }, PATIENCE);
  afterAll(() => browser?.close());

  /** Opens the reference and waits until its operations are there. */
  async function visit(options: BrowserContextOptions = {}): Promise<Visit> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
    const seen: Visit = { page, requests: [], complaints: [] };
    page.on("request", (request) => seen.requests.push(request.url()));
    page.on("pageerror", (error) => seen.complaints.push(error.message));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) seen.complaints.push(message.text());
    });
    await page.goto(`${service.url}/docs/reference`, { waitUntil: "networkidle" });
    await page.getByRole("heading", { name: "List animals" }).waitFor({ timeout: PATIENCE });
    return seen;
  }

  const elsewhere = ({ requests }: Visit) =>
    requests.filter((url) => !url.startsWith(`${service.url}/`) && !/^(data|blob):/.test(url));

  test.each<[string, BrowserContextOptions]>([
    ["in the light", { colorScheme: "light" }],
    ["in the dark", { colorScheme: "dark" }],
    ["on a phone", { viewport: { width: 390, height: 844 }, isMobile: true }],
  ])(
    "%s it shows the three operations, asks nobody else, and complains of nothing",
    async (_where, options) => {
      const seen = await visit(options);
      for (const name of ["List animals", "Add an animal", "Get one animal"]) {
        expect(await seen.page.getByRole("heading", { name }).count()).toBeGreaterThan(0);
      }
      expect(elsewhere(seen)).toEqual([]);
      expect(seen.complaints).toEqual([]);
      const overflow = await seen.page.evaluate<number>(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect(overflow).toBe(0);
      await seen.page.close();
    },
    PATIENCE,
  );

  test(
    "an operation can be tried there with a key",
    async () => {
      const { secret } = await service.createKey();
      await service.withSecret(secret).post("/v1/pets", { name: "Rex of the reference", categoryId: 1 });
      const seen = await visit();
      const { page } = seen;
      await page.getByPlaceholder("Token").first().fill(secret);
      await page
        .getByRole("button", { name: /Test Request/ })
        .first()
        .click();
      const answered = page.waitForResponse((response) => response.url().startsWith(`${service.url}/v1/pets`));
      await page.getByRole("button", { name: /^Send/ }).first().click();
      expect((await answered).status()).toBe(200);
      await page.getByText("Rex of the reference").first().waitFor({ timeout: PATIENCE });
      expect(elsewhere(seen)).toEqual([]);
      expect(seen.complaints).toEqual([]);
      await page.close();
    },
    PATIENCE,
  );
});
