/** Takes the screenshots of the console in docs/images: every page in both themes, on desktop and phone. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { startService } from "../support/service.ts";
import { launchChromium } from "./chromium.ts";
import { buildConsole, choose, goTo, settled, signIn } from "./console.ts";
import { NOW, SampleShop } from "./sample-shop.ts";

const IMAGES = fileURLToPath(new URL("../../docs/images/", import.meta.url));
const LIVE_SECONDS = 75;

const sizes: Record<string, BrowserContextOptions> = {
  desktop: { viewport: { width: 1280, height: 860 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};
const themes = ["light", "dark"] as const;

/** Saves a screenshot in 256 colours, which look the same at a third of the size. Needs pngquant. */
async function capture(page: Page, path: string): Promise<void> {
  // Charts are drawn and transitions are over by then.
  await page.waitForTimeout(400);
  execFileSync("pngquant", ["--speed=1", "--strip", "--output", path, "-"], { input: await page.screenshot() });
}

/** The settings of the test's service as those of one that is installed: its paths, ports and hosts. */
function asInstalled(text: string): string {
  const installed: Record<string, string> = {
    PORT: "8080",
    PETSTORE_ADMIN_PORT: "8081",
    PETSTORE_ADMIN_HOSTS: "console.pets.example.com",
  };
  const body = JSON.parse(text.replace(/[^":]*\/petstore-test-\w+\//g, "/var/lib/petstore/"));
  for (const setting of body.settings ?? []) setting.value = installed[setting.name] ?? setting.value;
  return JSON.stringify(body);
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
  const shop = await SampleShop.create(service, service.adminUrl);
  // The past requests are written by then, so that live rates do not include them.
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  const views: { page: Page; name: (what: string) => string }[] = [];
  for (const [size, options] of Object.entries(sizes)) {
    for (const theme of themes) {
      const page = await browser.newPage({
        ...options,
        colorScheme: theme,
        timezoneId: "Europe/Berlin",
        locale: "en-GB",
        reducedMotion: "reduce",
      });
      await page.clock.install({ time: service.now });
      await page.route(/\/admin\/v1\/(settings|backups)$/, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: asInstalled(await response.text()) });
      });
      const name = (what: string) => join(IMAGES, `console-${what}-${size}-${theme}.png`);
      await page.goto(`${service.adminUrl}/console`);
      await page.getByLabel("Operator token").waitFor();
      await capture(page, name("sign-in"));
      await signIn(page, service.adminUrl, shop.token);
      await settled(page);
      views.push({ page, name });
    }
  }
  const traffic = shop.startTraffic();
  await new Promise((resolve) => setTimeout(resolve, LIVE_SECONDS * 1000));
  for (const { page, name } of views) await capture(page, name("overview"));

  const pages = [
    ["keys", "#/keys"],
    ["key", `#/keys/${shop.bannedKey}`],
    ["pets", "#/pets"],
    ["pet", `#/pets/${shop.ordered.pet}`],
    ["categories", "#/categories"],
    ["orders", "#/orders"],
    ["order", `#/orders/${shop.ordered.order}`],
    ["deprecation", "#/deprecation"],
    ["alerts", "#/alerts"],
    ["audit", "#/audit"],
    ["operators", "#/operators"],
    ["backups", "#/backups"],
    ["service", "#/service"],
  ] as const;
  for (const { page, name } of views) {
    await page.getByRole("button", { name: "30 days" }).click();
    await capture(page, name("month"));
  }
  await shop.sendBursts();
  for (const [what, path] of pages) {
    for (const { page, name } of views) {
      await goTo(page, path);
      if (what === "key") await page.getByRole("button", { name: "24 hours", exact: true }).click();
      await page.mouse.move(0, 0);
      await page.evaluate("scrollTo(0, 0)");
      await capture(page, name(what));
    }
  }
  for (const { page, name } of views) {
    await goTo(page, "#/keys");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Guinea Pig Garden");
    await page.getByRole("dialog").getByLabel("Plan").selectOption("pro");
    await capture(page, name("new-key"));
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("link", { name: "Barkyard" }).click();
    await choose(page, "Revoke");
    await page.getByRole("dialog").waitFor();
    await capture(page, name("revoke"));
  }
  await traffic.stop();
} finally {
  await browser.close();
  await service.remove();
}
