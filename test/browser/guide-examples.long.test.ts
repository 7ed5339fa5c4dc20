import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { Guide } from "../../src/adapters/http/guide/guide.ts";
import { compileGo, hasGo } from "../examples/go.ts";
import { BASE_URL } from "../support/client.ts";
import { states } from "../support/markdown.ts";
import { temporaryDirectory } from "../support/temporary.ts";
import { useKey, useService } from "../support/use-service.ts";
import { hasChromium, launchChromium, PATIENCE, watch } from "./chromium.ts";

if (!hasChromium) console.log("skipped: examples are not looked at in a browser, without chromium on this machine");

const LAPTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
const service = useService();
const { key } = useKey(service);
let browser: Browser;
beforeAll(async () => {
  if (hasChromium) browser = await launchChromium();
}, PATIENCE);
afterAll(() => browser?.close());

async function open(path: string): Promise<Page> {
  const page = await (await browser.newContext(LAPTOP)).newPage();
  await page.goto(service.url + path);
  return page;
}

/** The texts of all blocks of code that a reader may type, in one language or all. */
const codeOn = (page: Page, language = "") =>
  page.locator(`.code:not(.output)${language && `[data-language="${language}"]`} code`).allTextContents();

async function paste(page: Page, text: string): Promise<void> {
  const field = page.getByLabel("API key");
  if (!(await field.isVisible())) await page.getByText("Show your key in the examples").click();
  await field.fill(text);
}

describe.skipIf(!hasChromium)("an example", () => {
  test(
    "shows the address under which it is read, not the one that the service knows",
    async () => {
      const page = await open("/docs/quick-start");
      const code = (await codeOn(page)).join("\n");
      expect(code).toContain(`${service.url}/v1/pets`);
      expect(code).not.toContain("petstore.test");
      expect(await page.locator(".output code").allTextContents()).not.toContain("petstore.test");
    },
    PATIENCE,
  );

  test(
    "is shown in the language that was chosen last, on every page, with the mouse and with the keyboard",
    async () => {
      const page = await open("/docs/quick-start");
      const chosen = () => page.locator('[role=tab][aria-selected="true"]').allTextContents();
      const shown = () =>
        page.locator(".example .code:visible").evaluateAll((all) => all.map((each) => each.dataset.language));
      expect(new Set(await chosen())).toEqual(new Set(["curl"]));
      await page.getByRole("tab", { name: "Python" }).nth(2).click();
      expect(new Set(await chosen())).toEqual(new Set(["Python"]));
      expect(new Set(await shown())).toEqual(new Set(["Python"]));
      await page.goto(`${service.url}/docs/limits`);
      expect(new Set(await shown())).toEqual(new Set(["Python"]));
      await page.getByRole("tab", { name: "Python" }).first().focus();
      for (const [name, language] of [
        ["ArrowRight", "Go"],
        ["ArrowRight", "curl"],
        ["ArrowLeft", "Go"],
        ["Home", "curl"],
        ["End", "Go"],
      ]) {
        await page.keyboard.press(name ?? "");
        expect(new Set(await shown())).toEqual(new Set([language]));
        expect(await page.evaluate<string>("document.activeElement.textContent")).toBe(language ?? "");
      }
      // The Tab key reaches of each example the chosen tab alone.
      const inOrder = await page.locator('[role=tab][tabindex="0"]').allTextContents();
      expect(inOrder).toEqual(await chosen());
      expect(inOrder).toHaveLength(await page.locator("[role=tablist]").count());
    },
    PATIENCE,
  );

  test(
    "has the tab that was chosen at the same place of the window",
    async () => {
      const page = await open("/docs/paging");
      const tab = page.getByRole("tab", { name: "Go" }).last();
      await tab.scrollIntoViewIfNeeded();
      const before = (await tab.boundingBox())?.y ?? 0;
      await tab.click();
      expect(Math.abs(((await tab.boundingBox())?.y ?? 0) - before)).toBeLessThan(2);
    },
    PATIENCE,
  );
});

describe.skipIf(!hasChromium)("a key that is pasted", () => {
  test(
    "is in every example that had a name for it, on every page, until it is forgotten",
    async () => {
      const page = await open("/docs/quick-start");
      const before = await codeOn(page);
      const named = before.filter((code) => /KEY|pets_live_…/.test(code)).length;
      expect(named).toBeGreaterThan(20);
      expect(await page.locator("#key-note").textContent()).toContain("is sent nowhere.");
      await paste(page, `  ${key.secret}\n`);
      expect(await page.locator("#key-state").textContent()).toBe("The examples contain your key.");
      const after = await codeOn(page);
      expect(after.filter((code) => code.includes(key.secret))).toHaveLength(named);
      expect(after.join("\n")).not.toMatch(/\$KEY|env\.KEY|environ\[|Getenv|pets_live_…/);
      await page.goto(`${service.url}/docs/client`);
      expect((await codeOn(page)).join("\n")).toContain(`apiKey: "${key.secret}"`);
      await page.getByText("Show your key in the examples").click();
      await page.getByRole("button", { name: "Forget it" }).click();
      expect(await page.locator("#key-state").textContent()).toBe("");
      expect((await codeOn(page)).join("\n")).not.toContain(key.secret);
      await page.goto(`${service.url}/docs/quick-start`);
      expect(await codeOn(page)).toEqual(before);
    },
    PATIENCE,
  );

  test(
    "stays in its tab: it is in no request, no URL, no other tab, and in no storage that outlives the tab",
    async () => {
      states("SECURITY.md", "A key that you type there stays in the page's memory.");
      states(
        "docs/call-it.md",
        "Paste your key, and they contain it: it stays in this tab of your browser, and is sent nowhere.",
      );
      const page = await open("/docs/quick-start");
      const seen = watch(page);
      const sent: string[] = [];
      page.on("request", (request) =>
        sent.push(JSON.stringify([request.url(), request.headers(), request.postData()])),
      );
      await paste(page, key.secret);
      await page.goto(`${service.url}/docs/limits`);
      await page.getByRole("link", { name: "Next" }).click();
      expect((await codeOn(page)).join("\n")).toContain(key.secret);
      expect(sent.length).toBeGreaterThan(3);
      expect(sent.join("\n")).not.toContain(key.secret);
      expect(page.url()).not.toContain(key.secret);
      expect(seen.complaints).toEqual([]);
      expect(JSON.stringify(await page.context().storageState())).not.toContain(key.secret);
      const other = await page.context().newPage();
      await other.goto(`${service.url}/docs/quick-start`);
      expect(await other.content()).not.toContain(key.secret);
      expect(service.output.join("\n")).not.toContain(key.secret);
    },
    PATIENCE,
  );

  test(
    "is in no example that calls the other deployment",
    async () => {
      const page = await open("/docs/quick-start");
      await paste(page, key.secret);
      await page.goto(`${service.url}/docs/rehearsal`);
      const code = (await codeOn(page)).join("\n");
      expect(code).toContain("http://127.0.0.1:8090/v1/pets");
      expect(code).not.toContain(key.secret);
      await page.goto(`${service.url}/docs/quick-start`);
      expect((await codeOn(page)).join("\n")).toContain(key.secret);
    },
    PATIENCE,
  );

  test(
    "cannot be sent by the page, even if it tried",
    async () => {
      const page = await open("/docs/quick-start");
      const isSent = await page.evaluate<boolean>("fetch('/livez').then(() => true, () => false)");
      expect(isSent).toBe(false);
    },
    PATIENCE,
  );

  test.each([
    ["pets_live_too-short", "This is not a whole API key."],
    ['"; rm -rf ~ #', "This is not a whole API key."],
    ["<img src=x onerror=alert(1)>", "This is not a whole API key."],
    [
      `pets_stag_${"a".repeat(32)}_${"a".repeat(6)}`,
      "This key belongs to another deployment: here, keys begin with pets_live_.",
    ],
  ])(
    "is not shown if it cannot be one: %s",
    async (text, problem) => {
      const page = await open("/docs/limits");
      const before = await codeOn(page);
      await paste(page, text);
      expect(await page.locator("#key-state").textContent()).toBe(problem);
      expect(await page.getByLabel("API key").getAttribute("aria-invalid")).toBe("true");
      expect(await codeOn(page)).toEqual(before);
      expect(await page.evaluate<number>("sessionStorage.length")).toBe(0);
    },
    PATIENCE,
  );

  test.skipIf(!hasGo)(
    "leaves programs in Go that compile",
    async () => {
      const page = await open("/docs/quick-start");
      await paste(page, key.secret);
      const programs = await codeOn(page, "Go");
      await page.goto(`${service.url}/docs/paging`);
      programs.push(...(await codeOn(page, "Go")));
      expect(programs.length).toBeGreaterThan(10);
      expect(() =>
        compileGo(
          programs.map((text) => `${text.trimEnd()}\n`),
          join(temporaryDirectory(), "go"),
        ),
      ).not.toThrow();
    },
    4 * PATIENCE,
  );
});

describe.skipIf(!hasChromium)("at 1280 pixels, commands of curl", () => {
  const { paths } = new Guide({
    deployment: "production",
    baseUrls: { production: BASE_URL, staging: "http://127.0.0.1:8090/v1" },
  });
  test(
    "neither wrap nor scroll, also with a key",
    async () => {
      const page = await open("/docs/quick-start");
      await paste(page, key.secret);
      const wide: string[] = [];
      for (const path of paths) {
        await page.goto(service.url + path);
        wide.push(
          ...(await page
            .locator('.code[data-language="curl"]:visible pre')
            .evaluateAll((all) =>
              all
                .filter((pre) => pre.scrollWidth > pre.clientWidth || getComputedStyle(pre).whiteSpace !== "pre")
                .map((pre) => pre.textContent ?? ""),
            )),
        );
      }
      expect(wide).toEqual([]);
    },
    4 * PATIENCE,
  );
});
