import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { Guide } from "../../src/adapters/http/guide/guide.ts";
import { BASE_URL } from "../support/client.ts";
import { useService } from "../support/use-service.ts";
import { accessibilityViolations } from "./accessibility.ts";
import { elsewhere, launchChromium, overflowOf, PATIENCE, watch } from "./chromium.ts";

const { paths } = new Guide({
  deployment: "production",
  baseUrls: { production: BASE_URL, staging: "http://127.0.0.1:8090/v1" },
});
/** The pages of operations have the same parts. */
const looked = paths.filter((path) => !/reference\/(?!listPets|updatePet|getUsage)/.test(path));

/** Describes every page of the guide as this browser shows it. */
export function describePages(options: BrowserContextOptions): void {
  const service = useService();
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage(options);
  }, PATIENCE);
  afterAll(() => browser?.close());

  test.each(looked)(
    "%s fits, asks nobody else, complains of nothing, and can be used by ear and by keys",
    async (path) => {
      const seen = watch(page);
      await page.goto(service.url + path);
      expect(await overflowOf(page)).toBe(0);
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(elsewhere(seen, service.url)).toEqual([]);
      expect(seen.complaints).toEqual([]);
    },
    PATIENCE,
  );
}
