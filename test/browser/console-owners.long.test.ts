import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { MAX_NAME_LENGTH } from "../../src/domain/keys/key.ts";
import { OperatorAdministration } from "../../src/domain/operators.ts";
import { TESTER } from "../support/author.ts";
import { states } from "../support/markdown.ts";
import { useService } from "../support/use-service.ts";
import { accessibilityViolations } from "./accessibility.ts";
import { hasChromium, launchChromium, overflowOf, PATIENCE, type Seen, STEP, watch } from "./chromium.ts";
import { buildConsole, choose, goTo, settled, titled } from "./console.ts";

if (!hasChromium) console.log("skipped: the console tests need Chromium, which this machine does not have");

/** The first session of a new service, by the keyboard alone: each test continues where the one before stopped. */
describe.skipIf(!hasChromium)("the first admin at the console", () => {
  beforeAll(buildConsole, PATIENCE);
  const service = useService({ now: Date.now() });
  let browser: Browser;
  let page: Page;
  let seen: Seen;
  let link = "";
  let token = "";
  beforeAll(async () => {
    const administration = new OperatorAdministration(service.stores.operators, TESTER);
    link = (await administration.createLink(service.now))?.secret ?? "";
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(STEP);
    seen = watch(page);
  }, PATIENCE);
  afterAll(() => browser?.close());

  const press = async (...keys: string[]) => {
    for (const one of keys) await page.keyboard.press(one);
  };
  const open = async (opener: string) => {
    await choose(page, opener);
    await page.getByRole("dialog").waitFor();
  };
  const isClosed = () => page.getByRole("dialog").waitFor({ state: "detached" });
  /** Those that the operator has created; the first start has created another one. */
  const keys = async () =>
    (await service.stores.keys.list({ plan: ["free"], order: "oldest", limit: 9 }, service.now)).map(({ key }) => key);

  test(
    "opens the link, whose secret leaves the address, and gets a session and a token",
    async () => {
      states("docs/console.md", "Open the link that the first start prints: it makes you the first admin.");
      states(
        "docs/administration.md",
        "It opens the console, which asks for your name, creates the first operator, an admin, signs you in, and shows your token.",
        "The secret is the fragment of the link.",
        "The console takes it out of the address",
      );
      await page.goto(`${service.adminUrl}/console#/first/${link}`);
      await page.getByRole("heading", { name: "Become the first admin" }).waitFor();
      expect(page.url()).toBe(`${service.adminUrl}/console#/overview`);
      await titled(page, "First admin · Petstore console");
      expect(await page.getByLabel("Your name").getAttribute("maxlength")).toBe(String(MAX_NAME_LENGTH));
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.keyboard.type("Ada");
      await press("Enter");
      await page.getByRole("dialog", { name: "Your token" }).waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      token = (await page.locator("dialog code").textContent()) ?? "";
      expect(token).toStartWith("pets_oper_");
      expect((await service.stores.operators.list()).map(({ name, role }) => [name, role])).toEqual([["Ada", "admin"]]);
      await press("Escape");
      expect(await page.getByRole("dialog").count()).toBe(1);
      await page.getByRole("button", { name: "I have stored it" }).focus();
      await press("Enter");
      await isClosed();
      await page.getByRole("heading", { name: "Overview" }).waitFor();
      await page.reload();
      await page.getByRole("heading", { name: "Overview" }).waitFor();
    },
    PATIENCE,
  );

  test(
    "creates keys for an owner, and sees them together",
    async () => {
      states("docs/console.md", "filter by owner, plan or state, see the keys of each owner together");
      await goTo(page, "#/keys");
      for (const [name, owner] of [
        ["Till", "Ada Lovelace"],
        ["Web", ""],
      ] as const) {
        await open("Create key");
        await page.keyboard.type(name);
        await press("Tab");
        await page.keyboard.type(owner);
        await press("Tab");
        await page.keyboard.type("ada@example.org");
        await press("Tab");
        await page.keyboard.type("Contract 4711");
        expect(await accessibilityViolations(page)).toEqual([]);
        await press("Enter");
        await page.getByRole("dialog", { name: "Key created" }).waitFor();
        await page.getByRole("button", { name: "I have stored it" }).focus();
        await press("Enter");
        await isClosed();
        await service.advance({ seconds: 1 });
      }
      const owner = { name: "Ada Lovelace", email: "ada@example.org" };
      expect(await keys()).toMatchObject([{ name: "Till", owner, note: "Contract 4711" }, { name: "Web" }]);
      await page.getByLabel("Order").focus();
      await press("ArrowDown");
      await page.locator("tr.group").first().getByText("Ada Lovelace").waitFor();
      expect(await page.locator("tr.group").allTextContents()).toEqual(["Ada Lovelace ada@example.org", "No owner"]);
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.getByLabel("Owner", { exact: true }).focus();
      await page.keyboard.type("ADA@example.org");
      await press("Enter");
      await page.getByText("2 keys").waitFor();
      expect(page.url()).toContain("owner=ADA%40example.org");
      await goTo(page, "#/keys?search=nobody&sort=owner");
      await page.getByRole("button", { name: "Clear filters" }).press("Enter");
      await page.waitForURL("**#/keys?sort=owner");
    },
    PATIENCE,
  );

  test(
    "goes from a key to the others of its owner, and changes and removes the owner",
    async () => {
      const [till] = await keys();
      await goTo(page, `#/keys/${till?.id}`);
      await page.getByText("Contract 4711").first().waitFor();
      await page.getByRole("link", { name: "Ada Lovelace", exact: true }).focus();
      await press("Enter");
      await page.getByText("2 keys").waitFor();
      await page.goBack();
      await settled(page);
      await open("Change owner");
      await press("Control+A");
      await page.keyboard.type("Ada\u202e");
      await press("Tab", "Control+A");
      await page.keyboard.type("ada@example.com");
      expect(await accessibilityViolations(page)).toEqual([]);
      await press("Enter");
      await isClosed();
      await page.getByRole("link", { name: "Ada[U+202E]" }).waitFor();
      expect((await keys())[0]).toMatchObject({ owner: { name: "Ada\u202e", email: "ada@example.com" } });
      await open("Change owner");
      await press("Control+A", "Delete", "Tab", "Control+A", "Delete", "Tab", "Control+A", "Delete", "Enter");
      await isClosed();
      await page.getByText("Contract 4711").first().waitFor();
      const [changed] = await keys();
      expect([changed?.owner, changed?.note]).toEqual([undefined, undefined]);
    },
    PATIENCE,
  );

  test(
    "cannot use the link again, and signs in with the token instead",
    async () => {
      states("docs/console.md", "sign in with its token:");
      const other = await browser.newContext({ viewport: { width: 390, height: 844 } });
      const phone = await other.newPage();
      phone.setDefaultTimeout(STEP);
      await phone.goto(`${service.adminUrl}/console#/keys`);
      await phone.getByText("operators create").waitFor();
      // In a tab that shows the console already, only the fragment of the address changes.
      await phone.goto(`${service.adminUrl}/console#/first/${link}`);
      await phone.getByLabel("Your name").fill("Eve");
      await phone.keyboard.press("Enter");
      await phone.getByRole("alert").getByText("This link does not work").waitFor();
      expect(await overflowOf(phone)).toBeLessThanOrEqual(0);
      await phone.getByRole("button", { name: "Sign in with a token" }).click();
      await phone.getByLabel("Operator token").fill(token);
      await phone.keyboard.press("Enter");
      await phone.getByRole("heading", { name: "Overview" }).waitFor();
      // The way back does not lead to the link.
      await phone.goBack();
      await phone.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
      expect(phone.url()).toEndWith("#/keys");
      // To who is signed in, the refusal of a link says nothing about the session.
      await phone.goto(`${service.adminUrl}/console#/first/${link}`);
      await phone.getByLabel("Your name").fill("Eve");
      await phone.keyboard.press("Enter");
      await phone.getByRole("alert").getByText("This link does not work").waitFor();
      await phone.getByRole("button", { name: "Sign in with a token" }).click();
      await phone.getByRole("heading", { name: "Overview" }).waitFor();
      expect(await phone.getByLabel("Operator token").count()).toBe(0);
      await other.close();
    },
    PATIENCE,
  );

  test("nothing was reported meanwhile, except that nobody was signed in at first", () => {
    expect(seen.complaints.filter((one) => !one.includes("401"))).toEqual([]);
  });
});
