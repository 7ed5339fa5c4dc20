import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { runtimeCommand } from "../../bin/runtime.js";
import { PATIENCE } from "./chromium.ts";

const BUILD = fileURLToPath(new URL("../../console/build.ts", import.meta.url));
const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** Builds the console of these sources: what lies there may be that of others. */
export function buildConsole(): void {
  const [bun = "", ...options] = runtimeCommand("bun");
  const { status, stderr } = spawnSync(bun, [...options, BUILD], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the console cannot be built: ${stderr}`);
}

/** Opens the console at a place and signs in. */
export async function signIn(page: Page, url: string, token: string, place = "#/overview"): Promise<void> {
  page.setDefaultTimeout(PATIENCE);
  await page.goto(`${url}/console${place}`);
  await page.getByLabel("Operator token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  // On a phone the menu is closed.
  await page.getByText("Skip to the content").waitFor({ state: "attached" });
}

/** Goes to a page of the console by its address, and waits until everything that it shows is there. */
export async function goTo(page: Page, place: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
  await settled(page);
}

export async function settled(page: Page): Promise<void> {
  await page.locator("main h1").first().waitFor();
  await page.locator(".shape").first().waitFor({ state: "detached" });
}

/** What axe-core finds on a page that is serious or worse. */
export async function findings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults>("axe.run()");
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
