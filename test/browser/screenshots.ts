/** Takes the pictures of the console in docs/images: every page, in the light and in the dark, at a desk and on a phone. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { startService } from "../support/service.ts";
import { launchChromium } from "./chromium.ts";
import { buildConsole, goTo, settled, signIn } from "./console.ts";
import { NOW, SampleShop } from "./sample-shop.ts";

const IMAGES = fileURLToPath(new URL("../../docs/images/", import.meta.url));
const LIVE_SECONDS = 75;

const sizes: Record<string, BrowserContextOptions> = {
  desktop: { viewport: { width: 1280, height: 860 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};
const looks = ["light", "dark"] as const;

/** Keeps what a page looks like, in 256 colours: a third of the size, and no visible difference. Needs pngquant. */
async function take(page: Page, path: string): Promise<void> {
  // What is drawn anew is there by then.
  await page.waitForTimeout(400);
  execFileSync("pngquant", ["--speed=1", "--strip", "--output", path, "-"], { input: await page.screenshot() });
}

rmSync(IMAGES, { recursive: true, force: true });
mkdirSync(IMAGES, { recursive: true });
buildConsole();
const env = {
  PETSTORE_BASE_URL: "https://pets.example.com/v1",
  PETSTORE_STAGING_BASE_URL: "https://staging.pets.example.com/v1",
};
const [service, browser] = await Promise.all([startService({ now: NOW - 40 * 86_400_000, env }), launchChromium()]);
try {
  const shop = await SampleShop.open(service, service.adminUrl);
  // What was called before is written down by then, and not taken for a rush of this moment.
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  const views: { page: Page; name: (what: string) => string }[] = [];
  for (const [size, options] of Object.entries(sizes)) {
    for (const look of looks) {
      const page = await browser.newPage({
        ...options,
        colorScheme: look,
        timezoneId: "Europe/Berlin",
        locale: "en-GB",
        reducedMotion: "reduce",
      });
      await page.clock.install({ time: service.now });
      const name = (what: string) => join(IMAGES, `console-${what}-${size}-${look}.png`);
      await page.goto(`${service.adminUrl}/console`);
      await page.getByLabel("Operator token").waitFor();
      await take(page, name("sign-in"));
      await signIn(page, service.adminUrl, shop.token);
      await settled(page);
      views.push({ page, name });
    }
  }
  const traffic = shop.openDoors();
  await new Promise((resolve) => setTimeout(resolve, LIVE_SECONDS * 1000));
  for (const { page, name } of views) await take(page, name("overview"));

  const places = [
    ["keys", "#/keys"],
    ["key", `#/keys/${shop.bannedKey}`],
    ["pets", "#/pets"],
    ["deprecation", "#/deprecation"],
    ["audit", "#/audit"],
    ["operators", "#/operators"],
    ["service", "#/service"],
  ] as const;
  for (const { page, name } of views) {
    await page.getByRole("button", { name: "30 days" }).click();
    await take(page, name("month"));
  }
  await shop.rush();
  for (const [what, place] of places) {
    for (const { page, name } of views) {
      await goTo(page, place);
      if (what === "key") await page.getByRole("button", { name: "Day", exact: true }).click();
      await page.mouse.move(0, 0);
      await page.evaluate("scrollTo(0, 0)");
      await take(page, name(what));
    }
  }
  for (const { page, name } of views) {
    await goTo(page, "#/keys");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Guinea Pig Garden");
    await page.getByRole("dialog").getByLabel("Plan").selectOption("pro");
    await take(page, name("new-key"));
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Barkyard" }).click();
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").waitFor();
    await take(page, name("revoke"));
  }
  await traffic.stop();
} finally {
  await browser.close();
  await service.remove();
}
