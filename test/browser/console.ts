import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { runtimeCommand } from "../../bin/runtime.js";
import { eventually } from "../support/eventually.ts";
import { STEP } from "./chromium.ts";

const BUILD = fileURLToPath(new URL("../../console/build.ts", import.meta.url));
let isBuilt = false;

/** Builds the console from the current sources, once per process: the files in `dist` may be older. */
export function buildConsole(): void {
  if (isBuilt) return;
  const [bun = "", ...options] = runtimeCommand("bun");
  const { status, stderr } = spawnSync(bun, [...options, BUILD], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the console cannot be built: ${stderr}`);
  isBuilt = true;
}

/** Opens the console at `path` and signs in. */
export async function signIn(page: Page, url: string, token: string, path = "#/overview"): Promise<void> {
  page.setDefaultTimeout(STEP);
  await page.goto(`${url}/console${path}`);
  await page.getByLabel("Operator token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  // Present on every page; on a phone the menu is closed.
  await page.getByText("Skip to main content").waitFor({ state: "attached" });
}

/** Goes to the page at `path`, such as `#/keys`, and waits until it has loaded. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(path)}`);
  await settled(page);
}

/** Presses the button of an action with the keyboard, or its item in the menu of the page. */
export async function choose(page: Page, action: string): Promise<void> {
  const button = page.getByRole("button", { name: action, exact: true, disabled: false }).first();
  const more = page.getByRole("button", { name: "More", exact: true });
  await button.or(more).first().waitFor();
  if (!(await button.isVisible())) await more.press("Enter");
  // A button may have come meanwhile, with a new state of what the page shows.
  await button
    .or(page.getByRole("menuitem", { name: action, exact: true }))
    .first()
    .press("Enter");
}

/** Waits until the page has a heading and no skeleton. */
export async function settled(page: Page): Promise<void> {
  await page.locator("main h1").first().waitFor();
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
}

/** Resolves when this is the title of the page, which is set after what the page shows. */
export function titled(page: Page, title: string): Promise<void> {
  return eventually(async () => (await page.title()) === title);
}

/** What a panel says of something, by its terms: a time as the one that it stands for, all else as its text. */
export function detailsIn(page: Page, panel: string): Promise<Record<string, string>> {
  return page
    .locator("section.panel")
    .filter({ has: page.getByRole("heading", { name: panel, exact: true }) })
    .evaluate((section) =>
      Object.fromEntries(
        [...section.querySelectorAll(".description-list > div")].map((item) => {
          const [term, value] = [item.querySelector("dt"), item.querySelector("dd")];
          const text = value?.cloneNode(true) as HTMLElement;
          for (const time of text.querySelectorAll("time")) time.textContent = time.dateTime;
          return [term?.textContent ?? "", text.textContent?.trim() ?? ""];
        }),
      ),
    );
}
