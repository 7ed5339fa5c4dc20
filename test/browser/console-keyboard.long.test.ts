import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Locator, Page } from "playwright-core";
import { MAX_REQUEST_ID_LENGTH } from "../../src/domain/requests.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { useService } from "../support/use-service.ts";
import { accessibilityViolations } from "./accessibility.ts";
import { hasChromium, intercept, launchChromium, overflowOf, PATIENCE } from "./chromium.ts";
import { buildConsole, goTo, settled, signIn } from "./console.ts";

if (!hasChromium) console.log("skipped: the console tests need Chromium, which this machine does not have");

/** More than a page of the list. */
const PETS = 60;
const HEIGHT = 700;
/** Longer than the pages take to refresh, in ms. */
const REFRESHED = 6_000;

describe.skipIf(!hasChromium)("the console by keyboard, in several tabs and in forced colors", () => {
  beforeAll(buildConsole, PATIENCE);
  const service = useService({ now: Date.now() });
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await launchChromium();
    const context = await browser.newContext({ viewport: { width: 1280, height: HEIGHT } });
    page = await context.newPage();
    await signIn(page, service.adminUrl, (await service.withOperator("admin", "Ada")).token);
    const shopper = await service.withKey();
    for (let i = 0; i < PETS; i++) await shopper.post("/v1/pets", { name: `Rex ${i}`, categoryId: 7 });
  }, PATIENCE);
  afterAll(() => browser?.close());

  const open = async (path: string) => {
    await goTo(page, path);
    await settled(page);
  };
  const topOf = async (element: Locator) => (await element.boundingBox())?.y ?? Number.NaN;

  test(
    "the next page of a list begins at its first row, and so does the one before",
    async () => {
      await open("#/pets");
      // The Tab key does not lead to it.
      const focusedTable = page.locator('main table[tabindex="-1"]:focus');
      for (const [button, range] of [
        ["Next", "51–60"],
        ["Previous", "1–50"],
      ] as const) {
        await page.getByRole("button", { name: button }).press("Enter");
        await page.getByText(range).waitFor();
        const top = await topOf(focusedTable);
        expect(top).toBeGreaterThanOrEqual(0);
        expect(top).toBeLessThan(HEIGHT / 2);
      }
    },
    PATIENCE,
  );

  test(
    "the menu and the account are in view at the end of a long page",
    async () => {
      await open("#/pets");
      const shown = [page.getByRole("link", { name: "Overview" }), page.getByRole("button", { name: "Sign out" })];
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
      expect(await page.evaluate<number>("scrollY")).toBeGreaterThan(HEIGHT);
      for (const element of shown) expect(await topOf(element)).toBeWithin(0, HEIGHT);
    },
    PATIENCE,
  );

  test(
    "in a low window the menu scrolls to its last page",
    async () => {
      await page.setViewportSize({ width: 1280, height: 420 });
      await open("#/pets");
      const last = page.getByRole("navigation").getByRole("link").last();
      await page.evaluate("scrollTo(0, 0)");
      expect(await topOf(last)).toBeGreaterThan(420);
      await page.getByRole("link", { name: "Overview" }).hover();
      await page.mouse.wheel(0, 2_000);
      await eventually(async () => (await topOf(last)) < 420 && (await page.evaluate<number>("scrollY")) === 0);
      // Another page is read from its beginning, also in a window that is lower than what it shows at first.
      await page.setViewportSize({ width: 1280, height: 160 });
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
      expect(await page.evaluate<number>("scrollY")).toBeGreaterThan(420);
      await goTo(page, "#/service");
      await page.locator("main:focus", { hasText: "Base URLs" }).waitFor();
      expect(await page.evaluate("document.documentElement.scrollHeight - innerHeight")).toBeGreaterThan(420);
      expect(await page.evaluate<number>("scrollY")).toBe(0);
      await page.setViewportSize({ width: 1280, height: HEIGHT });
    },
    PATIENCE,
  );

  test(
    "nothing moves for an operator who asked for less motion",
    async () => {
      const moving = () =>
        page.evaluate<string[]>(`[...document.querySelectorAll("*")].flatMap((one) => {
          const { animationName, transitionDuration } = getComputedStyle(one);
          const moves = animationName !== "none" || !/^0s(, 0s)*$/.test(transitionDuration);
          return moves ? [one.tagName + "." + one.className] : [];
        })`);
      const held = Promise.withResolvers<void>();
      await page.emulateMedia({ reducedMotion: "no-preference" });
      await open("#/keys");
      expect(await moving()).not.toEqual([]);
      await page.emulateMedia({ reducedMotion: "reduce" });
      expect(await moving()).toEqual([]);
      await page.getByRole("button", { name: "Create key" }).press("Enter");
      await page.getByRole("dialog").waitFor();
      expect(await moving()).toEqual([]);
      await page.keyboard.press("Escape");
      await intercept(page, "**/admin/v1/orders?*", async (route) => {
        await held.promise;
        await route.continue();
      });
      await page.evaluate('location.hash = "#/orders"');
      await page.locator(".skeleton").first().waitFor();
      expect(await page.locator(".skeleton").first().and(page.getByRole("status")).textContent()).toBe("Loading");
      expect(await moving()).toEqual([]);
      held.resolve();
      await settled(page);
      await page.unroute("**/admin/v1/orders?*");
      await page.emulateMedia({ reducedMotion: null });
    },
    PATIENCE,
  );

  test(
    "a list of requests stays as it is while the focus is in it, and goes on when it leaves",
    async () => {
      const client = await service.withKey();
      await open("#/requests");
      const rows = page.locator("tbody tr");
      const first = await rows.first().locator("th a").getAttribute("href");
      const firstLink = page.locator(`tbody a[href="${first}"]`);
      await firstLink.focus();
      const before = await topOf(firstLink);
      for (let i = 0; i < 5; i++) await client.get("/v1/pets/1");
      await page.waitForTimeout(REFRESHED);
      expect(await topOf(firstLink)).toBe(before);
      await page.locator("h1").focus();
      await page.getByRole("link", { name: "GET /v1/pets/1" }).first().waitFor();
      expect(await topOf(firstLink)).toBeGreaterThan(before);
    },
    PATIENCE,
  );

  test(
    "the audit log stays as it is while the focus is in it, and goes on when it leaves",
    async () => {
      const other = await browser.newPage();
      const { token, client } = await service.withOperator("admin", "Una");
      await client.post("/admin/v1/keys", { name: "First", plan: "free" });
      await other.clock.install();
      await signIn(other, service.adminUrl, token, "#/audit");
      const link = other.locator(".audit a").first();
      await link.focus();
      await client.post("/admin/v1/keys", { name: "Second", plan: "free" });
      let asked = 0;
      other.on("request", (request) => {
        if (request.url().includes("/audit?")) asked += 1;
      });
      await other.clock.runFor(30_000);
      expect(asked).toBe(0);
      await other.locator("h1").focus();
      const next = other.waitForResponse((response) => response.url().includes("/audit?"));
      await other.clock.runFor(30_000);
      await next;
      await other.getByText("Second").first().waitFor();
      const answered = () => other.waitForResponse((response) => response.url().includes("/audit?"));

      // A request that fails is followed by others; meanwhile the list stays.
      await other.route("**/audit?*", (route) => route.abort());
      await other.clock.runFor(30_000);
      await other.getByRole("alert").getByText("The service cannot be reached.").waitFor();
      expect(await other.getByText("Second").count()).toBeGreaterThan(0);
      await other.unroute("**/audit?*");
      await Promise.all([answered(), other.clock.runFor(30_000)]);
      await other.getByRole("alert").waitFor({ state: "detached" });

      // Nobody sees a tab that is hidden.
      const show = (isHidden: boolean) =>
        other.evaluate((value) => {
          Object.defineProperty(document, "hidden", { configurable: true, value });
          document.dispatchEvent(new Event("visibilitychange"));
        }, isHidden);
      await show(true);
      asked = 0;
      await other.clock.runFor(60_000);
      expect(asked).toBe(0);
      await Promise.all([answered(), show(false)]);
      await other.close();
    },
    PATIENCE,
  );

  test(
    "a list is fetched again when the operator comes back to its tab",
    async () => {
      await open("#/pets");
      const { client } = await service.withOperator("admin", "Grace");
      await client.patch("/admin/v1/pets/1", { name: "Renamed elsewhere" });
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await page.getByRole("link", { name: "Renamed elsewhere" }).waitFor();
    },
    PATIENCE,
  );

  test(
    "a pet that was added is linked above the list, and a search without a result is announced",
    async () => {
      await open("#/pets");
      await page.getByRole("button", { name: "Add pet" }).press("Enter");
      await page.keyboard.type("Last of all");
      await page.getByRole("dialog").getByLabel("Category id").fill("7");
      await page.keyboard.press("Enter");
      const link = page.getByRole("link", { name: `Last of all, pet ${PETS + 1}` });
      expect(await link.getAttribute("href")).toBe(`#/pets/${PETS + 1}`);
      expect(await page.getByRole("status").filter({ has: link }).count()).toBe(1);
      await page.getByLabel("Name").fill("Nobody");
      await page.keyboard.press("Enter");
      await page.locator("#announcement", { hasText: "No matching pets" }).waitFor();
    },
    PATIENCE,
  );

  test(
    "on a phone the menu closes when the focus leaves it, and its head covers nothing that has the focus",
    async () => {
      await page.setViewportSize({ width: 640, height: 400 });
      await open("#/pets");
      const menu = page.getByRole("button", { name: "Menu" });
      await menu.press("Enter");
      await page.getByRole("button", { name: "Sign out" }).focus();
      // It stays while the focus is in it.
      expect(await menu.getAttribute("aria-expanded")).toBe("true");
      await page.keyboard.press("Tab");
      await page.locator("button[aria-label=Menu][aria-expanded=false]").waitFor();
      const head = await page.locator(".head").boundingBox();
      for (let i = 0; i < 30; i++) await page.keyboard.press("Tab");
      const outlined = () =>
        page.locator(":focus").evaluate((element) => {
          const { outlineStyle, outlineWidth } = getComputedStyle(element);
          return `${outlineStyle} ${outlineWidth}`;
        });
      for (let i = 0; i < 20; i++) {
        await page.keyboard.press("Shift+Tab");
        expect(await topOf(page.locator(":focus"))).toBeGreaterThanOrEqual(head?.height ?? Number.NaN);
        expect(await outlined()).toBe("solid 2px");
      }
      await page.setViewportSize({ width: 1280, height: HEIGHT });
    },
    PATIENCE,
  );

  test(
    "the menu of a page opens, moves, finds and closes by the keys of a menu button, and takes no more room than there is",
    async () => {
      states(
        "docs/console.md",
        "its menu `More` has the rest: name, owner, note, scopes, expiry, and last what refuses requests.",
      );
      states("docs/console.md", "its menu `More` has the rest");
      const { id } = await service.createKey();
      const more = page.getByRole("button", { name: "More" });
      const focused = page.locator(":focus");
      const presses = async (key: string, expected: string) => {
        await page.keyboard.press(key);
        expect([key, await focused.textContent()]).toEqual([key, expected]);
      };
      for (const [width, colorScheme] of [
        [390, "dark"],
        [1280, "light"],
      ] as const) {
        await page.setViewportSize({ width, height: HEIGHT });
        await page.emulateMedia({ colorScheme });
        await open(`#/keys/${id}`);
        expect(await page.locator("main .actions button").allTextContents()).toEqual(["Change plan", "Rotate", "More"]);
        await more.focus();
        for (const [key, expected] of [
          ["Enter", "Rename"],
          ["ArrowUp", "Revoke"],
          ["ArrowDown", "Rename"],
          ["End", "Revoke"],
          ["Home", "Rename"],
          ["c", "Change owner"],
          ["c", "Change scopes"],
          ["x", "Change scopes"],
          ["Escape", "More"],
          ["ArrowUp", "Revoke"],
          ["Escape", "More"],
          ["ArrowDown", "Rename"],
        ] as const) {
          await presses(key, expected);
        }
        expect(await accessibilityViolations(page)).toEqual([]);
        expect(await overflowOf(page)).toBe(0);
        const { x = -1, width: menuWidth = width } = (await page.getByRole("menu").boundingBox()) ?? {};
        expect([x >= 0, x + menuWidth <= width]).toEqual([true, true]);
        await page.keyboard.press("Tab");
        await page.getByRole("menu").waitFor({ state: "detached" });
        expect(await page.locator("main .actions :focus").count()).toBe(0);
        await more.click();
        await page.getByRole("heading", { name: "Details" }).click();
        await page.getByRole("menu").waitFor({ state: "detached" });
      }
    },
    PATIENCE,
  );

  test(
    "the command palette finds pages, keys, pets, orders and requests",
    async () => {
      states(
        "docs/console.md",
        "`Ctrl+K`, or `⌘K`, or the magnifier beside the name leads to any page, key, pet, order or request: type a part of a name, or an id.",
      );
      states("docs/console.md", "leads to any page, key, pet, order or request: type a part of a name, or an id.");
      const key = await service.createKey();
      const client = service.withSecret(key.secret);
      const { body: order } = await client.post("/v1/store/orders", { petId: 1 });
      await client.get("/v1/pets", { "X-Request-Id": "checkout-4711" });
      const palette = page.getByRole("dialog", { name: "Go to" });
      const field = palette.getByRole("combobox");
      const isChosen = (text: string) =>
        palette.getByRole("option", { selected: true }).filter({ hasText: text }).waitFor();
      const goTo = async (typed: string, wanted: string, shortcut = "Control+k") => {
        await page.keyboard.press(shortcut);
        await field.waitFor();
        await page.keyboard.type(typed);
        await palette.getByRole("option").filter({ hasText: wanted }).waitFor();
        for (let i = 0; i < 20; i++) {
          const active = await field.getAttribute("aria-activedescendant");
          if ((await palette.locator(`[id="${active}"]`).textContent())?.includes(wanted)) break;
          await page.keyboard.press("ArrowDown");
        }
        await isChosen(wanted);
        await page.keyboard.press("Enter");
        await palette.waitFor({ state: "detached" });
      };
      await open("#/overview");
      await goTo("AUDIT", "Audit log");
      await page.waitForURL("**/console#/audit");
      await goTo(key.id.slice(0, 12), `active key, ${key.id}`, "Meta+k");
      await page.waitForURL(`**/console#/keys/${key.id}`);
      await goTo("1", "Pet 1 Renamed elsewhere, pending");
      await page.waitForURL("**/console#/pets/1");
      await goTo(String(order.id), `Order ${order.id} placed`);
      await page.waitForURL(`**/console#/orders/${order.id}`);
      await goTo(" X-Request-Id: checkout-4711", "GET /v1/pets, 200");
      await page.waitForURL("**/console#/requests/checkout-4711");
      const longest = "z".repeat(MAX_REQUEST_ID_LENGTH);
      await client.get("/v1/pets?limit=1", { "X-Request-Id": longest });
      await goTo(longest, "GET /v1/pets, 200");
      await page.waitForURL(`**/console#/requests/${longest}`);
      await client.get("/v1/pets?limit=2", { "X-Request-Id": "4711-abc" });
      await goTo("4711-abc", "GET /v1/pets, 200");
      await page.waitForURL("**/console#/requests/4711-abc");
      await goTo("checkout-4711", "GET /v1/pets, 200");
      // The page takes the focus when it is there.
      await page.locator("main:focus", { hasText: "checkout-4711" }).waitFor();

      await page.getByRole("button", { name: /^Go to/ }).press("Enter");
      await field.waitFor();
      await page.keyboard.press("ArrowUp");
      await isChosen("Service");
      // The list scrolls to it.
      const results = await palette.getByRole("listbox").boundingBox();
      const bottomOf = (box: { y: number; height: number } | null) => (box === null ? Number.NaN : box.y + box.height);
      expect(bottomOf(await palette.getByRole("option", { selected: true }).boundingBox())).toBeLessThan(
        bottomOf(results) + 1,
      );
      await page.keyboard.press("ArrowDown");
      await isChosen("Overview");
      expect(await accessibilityViolations(page)).toEqual([]);
      // What is typed next is another search: its first result is chosen, wherever the one before was.
      await page.keyboard.press("ArrowUp");
      await isChosen("Service");
      await page.keyboard.type("audit");
      await isChosen("Audit log");
      await page.keyboard.press("Enter");
      await page.waitForURL("**/console#/audit");
      await palette.waitFor({ state: "detached" });
      await page.getByRole("button", { name: /^Go to/ }).press("Enter");
      await field.waitFor();
      await page.keyboard.type("nothing-has-this");
      await palette.getByText("Nothing found.").waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      // Enter leads nowhere then. An id that no pet can have is none of the service's errors.
      await page.keyboard.press("Enter");
      await field.fill("1".repeat(30));
      await palette.getByText("Nothing found.").waitFor();
      expect(await palette.getByRole("alert").count()).toBe(0);
      await field.fill("1");
      await palette.getByRole("option").filter({ hasText: "Pet 1" }).waitFor();
      const found = await palette.getByRole("option").count();
      expect(found).toBeGreaterThan(1);
      expect(await palette.getByRole("status").textContent()).toBe(`${found} results`);
      await palette.getByRole("option").filter({ hasText: "Order 1" }).click();
      await palette.waitFor({ state: "detached" });
      await page.waitForURL("**/console#/orders/1");
      await page.getByRole("button", { name: /^Go to/ }).press("Enter");
      await field.waitFor();
      await page.context().setOffline(true);
      await page.keyboard.type("somebody");
      await palette.getByRole("alert").getByText("The service cannot be reached.").waitFor();
      await page.context().setOffline(false);
      await page.keyboard.press("Escape");
      await palette.waitFor({ state: "detached" });
      expect(await page.evaluate<string>("document.activeElement.ariaLabel")).toBe("Go to… (Ctrl+K)");

      // Over another dialog it would lead away from what is entered there.
      await open("#/keys");
      await page.getByRole("button", { name: "Create key" }).press("Enter");
      await page.keyboard.type("Paws");
      await page.keyboard.press("Control+k");
      await page.keyboard.type(" and");
      expect(await page.getByRole("dialog").count()).toBe(1);
      expect(await page.getByRole("dialog").getByLabel("Name", { exact: true }).inputValue()).toBe("Paws and");
      await page.getByRole("button", { name: "Cancel" }).press("Enter");
      await page.getByRole("button", { name: "Discard" }).press("Enter");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    },
    PATIENCE,
  );

  test(
    "the command palette shows what was found for the last text, and nothing that was found for another one",
    async () => {
      const [first, last] = [await service.createKey(), await service.createKey()];
      const held = Promise.withResolvers<void>();
      const search = `**/admin/v1/keys?search=${last.id}*`;
      await intercept(page, search, async (route) => {
        await held.promise;
        await route.continue();
      });
      await open("#/overview");
      await page.keyboard.press("Control+k");
      const palette = page.getByRole("dialog", { name: "Go to" });
      const options = palette.getByRole("option");
      const field = palette.getByRole("combobox");
      await field.fill(first.id);
      await options.filter({ hasText: first.id }).waitFor();
      const asked = page.waitForRequest((request) => request.url().includes(`search=${last.id}`));
      await field.fill(last.id);
      await asked;
      expect(await options.count()).toBe(0);
      // The answer for the text before comes when another one is shown.
      await field.fill(first.id);
      await options.filter({ hasText: first.id }).waitFor();
      const answered = page.waitForResponse((response) => response.url().includes(`search=${last.id}`));
      held.resolve();
      await (await answered).finished();
      await page.evaluate(
        "new Promise((done) => setTimeout(() => requestAnimationFrame(() => setTimeout(done, 0)), 0))",
      );
      expect(await options.allTextContents()).toEqual([expect.stringContaining(first.id)]);
      await page.keyboard.press("Escape");
      await palette.waitFor({ state: "detached" });
      await page.unroute(search);
    },
    PATIENCE,
  );

  test(
    "in forced colors, what is chosen and the series of a chart differ from the others",
    async () => {
      await page.emulateMedia({ forcedColors: "active" });
      await open("#/overview");
      await page.locator("h1").focus();
      const outline = (name: string) =>
        page.getByRole("button", { name, exact: true }).evaluate((button) => getComputedStyle(button).outlineStyle);
      expect([await outline("Requests"), await outline("Refusals")]).toEqual(["solid", "none"]);
      const outlineOf = (locator: Locator) => locator.evaluate((element) => getComputedStyle(element).outlineStyle);
      const pages = page.getByRole("navigation", { name: "Pages" });
      const ofPage = (name: string) => outlineOf(pages.getByRole("link", { name, exact: true }));
      expect([await ofPage("Overview"), await ofPage("Keys")]).toEqual(["solid", "none"]);
      await page.keyboard.press("Control+k");
      const options = page.getByRole("dialog").getByRole("option");
      await options.nth(1).waitFor();
      expect([await outlineOf(options.first()), await outlineOf(options.nth(1))]).toEqual(["solid", "none"]);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      const colours = await page.evaluate(() => {
        const swatch = document.createElement("i");
        document.querySelector("main")?.append(swatch);
        const found = ["success", "rate-limited"].map((series) => {
          swatch.className = `swatch ${series}`;
          return getComputedStyle(swatch).backgroundColor;
        });
        swatch.remove();
        return new Set(found).size;
      });
      expect(colours).toBe(2);
      const isDrawn = await page.evaluate(() => {
        const canvas = document.querySelector<HTMLCanvasElement>(".plot canvas");
        const swatch = document.createElement("i");
        swatch.className = "swatch success";
        document.querySelector("main")?.append(swatch);
        const wanted = getComputedStyle(swatch).backgroundColor.match(/\d+/g)?.map(Number) ?? [];
        swatch.remove();
        const { data = [] } = canvas?.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? {};
        for (let at = 0; at < data.length; at += 4) {
          if (data[at + 3] === 255 && wanted.every((value, part) => data[at + part] === value)) return true;
        }
        return false;
      });
      expect(isDrawn).toBe(true);
      await page.emulateMedia({ forcedColors: null });
    },
    PATIENCE,
  );

  test(
    "a tab shows who has signed in in another one",
    async () => {
      await open("#/pets");
      const other = await page.context().newPage();
      await other.goto(`${service.adminUrl}/console`);
      // The address names no page.
      await other.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
      await other.locator('nav [aria-current=page][href="#/overview"]').waitFor();
      await other.getByRole("button", { name: "Sign out" }).click();
      await page.getByText("Your session has ended.").waitFor();
      await other.getByLabel("Operator token").fill((await service.withOperator("viewer", "Barbara")).token);
      await other.getByRole("button", { name: "Sign in" }).click();
      await page.locator(".account", { hasText: "Barbara" }).waitFor();
      expect(await page.getByRole("dialog").count()).toBe(0);
      expect(await page.getByRole("button", { name: "Add pet" }).count()).toBe(0);
      await other.close();
    },
    PATIENCE,
  );

  test(
    "a sign-out that fails is reported, and the operator stays signed in",
    async () => {
      await page.context().setOffline(true);
      await page.getByRole("button", { name: "Sign out" }).press("Enter");
      await page
        .getByRole("alert")
        .filter({ hasText: "You are still signed in. The service cannot be reached." })
        .waitFor();
      await page.locator(".account").waitFor();
      await page.context().setOffline(false);
      await page.getByRole("button", { name: "Try again" }).first().press("Enter");
      await page.getByLabel("Operator token").waitFor();
      await page.reload();
      await page.getByLabel("Operator token").waitFor();
      // Whose session has ended meanwhile is signed out too.
      await signIn(page, service.adminUrl, (await service.withOperator("admin", "Ada")).token);
      await settled(page);
      await page.context().clearCookies();
      await page.getByRole("button", { name: "Sign out" }).press("Enter");
      await page.locator("main.sign-in").getByLabel("Operator token").waitFor();
      expect(await page.getByText("You are still signed in.").count()).toBe(0);
    },
    PATIENCE,
  );
});
