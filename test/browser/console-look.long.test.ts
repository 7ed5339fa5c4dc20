import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { type AlertType, alertTypes } from "../../src/domain/alerts.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { useService } from "../support/use-service.ts";
import { accessibilityViolations } from "./accessibility.ts";
import { hasChromium, launchChromium, overflowOf, PATIENCE, watch } from "./chromium.ts";
import { buildConsole, choose, goTo, settled, signIn, titled } from "./console.ts";
import { writeHistory } from "./history.ts";

if (!hasChromium) console.log("skipped: the console tests need Chromium, which this machine does not have");

/** "Paws" followed by an override that would show the rest from right to left. */
const DISGUISED = "Paws \u202egnp.exe\u2066";
const SHOWN = "Paws [U+202E]gnp.exe[U+2066]";
const LONG = "W".repeat(100);
const LOWEST = "-9223372036854775808";

describe.skipIf(!hasChromium)("the console", () => {
  beforeAll(buildConsole, PATIENCE);
  const service = useService({ now: Date.now() });
  const staging = useService({ now: Date.now(), env: { PETSTORE_DEPLOYMENT: "staging" } });
  let browser: Browser;
  let page: Page;
  let token = "";
  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    ({ token } = await service.withOperator("admin"));
    await writeHistory(service.stores.usage, service.now, 600, []);
    await signIn(page, service.adminUrl, token);
    await settled(page);
  }, PATIENCE);
  afterAll(() => browser?.close());

  const create = async (path: string, body: object) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const answer = await fetch(`${service.adminUrl}/admin/v1${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(201);
  };

  test(
    "shows the past minutes in the live chart as soon as it is loaded",
    async () => {
      await page.getByRole("button", { name: "Show table" }).click();
      // The first response makes two points of each complete minute; a live rate needs a second one.
      expect(
        await page.getByRole("figure", { name: "Requests per second" }).locator("tbody tr").count(),
      ).toBeGreaterThan(20);
      await page.getByRole("button", { name: "Show chart" }).click();
    },
    PATIENCE,
  );

  test(
    "draws a chart again in the colors of another theme, of the system or chosen",
    async () => {
      const isDrawnAgain = async (change: () => Promise<void>) => {
        await page.locator(".uplot").waitFor();
        await page.evaluate('document.querySelector(".uplot").dataset.before = "yes"');
        await change();
        await page.locator(".uplot[data-before]").waitFor({ state: "detached" });
        await page.locator(".uplot").waitFor();
      };
      for (const colorScheme of ["dark", "light"] as const)
        await isDrawnAgain(() => page.emulateMedia({ colorScheme }));
      for (const theme of ["system", "light", "dark"])
        await isDrawnAgain(() => page.getByRole("button", { name: `Theme: ${theme}.` }).click());
    },
    PATIENCE,
  );

  test(
    "an alert of each type leads to what it is about",
    async () => {
      states(
        "docs/console.md",
        "What you should look at, newest first: when it was raised, what was observed, what to do, and whether it is open, acknowledged or ended.",
      );
      const expected: [type: AlertType, subject: string, href: string | null][] = [
        ["alert.key_banned", "keys/key_0000000000000001", "#/keys/key_0000000000000001"],
        ["alert.webhook_disabled", "webhooks/wh_0000000000000001", "#/webhooks/wh_0000000000000001"],
        ["alert.error_rate", "requests", "#/requests?status=5xx"],
        ["alert.backup_failed", "backups", "#/backups"],
        ["alert.file_damaged", "backups/of-a-test.db", "#/backups"],
        ["alert.file_damaged", "database", null],
        ["alert.disk_full", "disks/of-a-test", null],
      ];
      expect(alertTypes.filter((type) => expected.every(([other]) => other !== type))).toEqual([]);
      const raised = expected.map(([type, subject], at) => ({ type, subject, message: `Raised by test ${at}.` }));
      await service.stores.alerts().change(raised, [], service.now);
      await goTo(page, "#/alerts");
      for (const [at, [type, , href]] of expected.entries()) {
        const row = page.getByRole("row").filter({ hasText: `Raised by test ${at}.` });
        await row.waitFor();
        const links = await row.getByRole("link").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
        expect([type, links]).toEqual([type, href === null ? [] : [href]]);
      }
    },
    PATIENCE,
  );

  test(
    "shows bidirectional control characters in names, wherever they are",
    async () => {
      states(
        "docs/console.md",
        "Control characters that change the direction of text are shown by their code, such as `[U+202E]`.",
      );
      await create("/keys", { name: DISGUISED, plan: "free" });
      await create("/pets", { name: DISGUISED, categoryId: 1 });
      await create("/categories", { name: DISGUISED });
      await create("/operators", { name: DISGUISED, role: "viewer" });
      for (const path of ["#/keys", "#/pets", "#/pets/1", "#/categories", "#/categories/1", "#/operators", "#/audit"]) {
        await goTo(page, path);
        await page.getByText(SHOWN).first().waitFor();
        expect(await page.evaluate<string>("document.body.innerText")).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
        const attributes = `[...document.querySelectorAll("[title], [aria-label]")].map((one) => one.title + one.ariaLabel).join()`;
        expect(await page.evaluate<string>(attributes)).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
      }
      await goTo(page, "#/keys");
      await page.getByRole("link", { name: SHOWN }).click();
      await page.getByRole("heading", { name: SHOWN, level: 1 }).waitFor();
      await choose(page, "Revoke");
      await page
        .getByRole("dialog")
        .getByRole("heading", { name: `Revoke ${SHOWN}?` })
        .waitFor();
      await page.keyboard.press("Escape");
      await titled(page, `${SHOWN} · Petstore console`);
      await choose(page, "Rename");
      await page.getByRole("dialog").getByLabel("Name").fill("Paws");
      await page.getByRole("button", { name: "Rename key" }).click();
      await page.locator(".changes del").getByText(SHOWN, { exact: true }).waitFor();
      await goTo(page, "#/pets/1");
      await choose(page, "Remove");
      await page.getByRole("button", { name: `Remove ${SHOWN}` }).press("Enter");
      await page.getByText(`${SHOWN} was removed.`).waitFor();
      await goTo(page, "#/operators");
      await page.getByRole("row").filter({ hasText: SHOWN }).getByRole("button", { name: "Revoke" }).press("Enter");
      await page.getByRole("button", { name: `Revoke ${SHOWN}` }).press("Enter");
      // What a screen reader says.
      await page.locator("#announcement").getByText(`Revoke ${SHOWN}: done.`, { exact: true }).waitFor();
    },
    PATIENCE,
  );

  test(
    "filters the audit log, keeps the filters in the address, and exports what they select",
    async () => {
      states("docs/console.md", "Filter it by operator, action, target and time, and export what you see.");
      await goTo(page, "#/audit");
      const rows = page.locator(".audit > li");
      await page.getByLabel("Action").selectOption("key.create");
      await rows.filter({ hasText: "signed in" }).first().waitFor({ state: "detached" });
      expect(await rows.count()).toBe(2);
      expect(page.url()).toContain("#/audit?action=key.create");
      await page.getByRole("link", { name: "Ada" }).first().click();
      await rows.filter({ hasText: "signed in" }).first().waitFor();
      expect(await rows.count()).toBeGreaterThan(3);
      await page.getByLabel("Target").fill("key_nobody");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "No matching changes" }).waitFor();
      await page.getByRole("button", { name: "Clear filters" }).click();
      await rows.filter({ hasText: "signed in" }).first().waitFor();
      await page.getByLabel("From").fill("2099-01-01T00:00");
      await page.getByRole("heading", { name: "No matching changes" }).waitFor();
      await page.getByRole("button", { name: "Clear filters" }).click();
      await page.getByLabel("Action").selectOption("pet.create");
      await page.getByRole("button", { name: "Export" }).click();
      await page.getByRole("dialog").getByLabel("Format").selectOption("csv");
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("dialog").getByRole("link", { name: "Export" }).click(),
      ]);
      const chunks: Buffer[] = [];
      for await (const chunk of await download.createReadStream()) chunks.push(chunk);
      const lines = Buffer.concat(chunks).toString().trimEnd().split("\n");
      expect(download.suggestedFilename()).toBe("audit.csv");
      expect(lines).toHaveLength(2);
      expect(lines[1]).toContain(",pet.create,1,");
    },
    PATIENCE,
  );

  test(
    "lists follow the address: its filters, the way back, and the navigation, which clears them",
    async () => {
      states("docs/console.md", "or all; the address keeps them.");
      const navigate = (name: string) => page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
      for (const [path, name, label, chosen] of [
        ["#/keys", "Keys", "State", "revoked"],
        ["#/audit", "Audit log", "Action", "key.create"],
        ["#/orders", "Orders", "Status", "delivered"],
        ["#/pets", "Pets", "Status", "sold"],
      ] as const) {
        const filter = page.getByLabel(label);
        const becomes = (value: string) => filter.and(page.locator(`:has(option[value="${value}"]:checked)`)).waitFor();
        await goTo(page, "#/overview");
        await goTo(page, path);
        await filter.selectOption(chosen);
        await page.waitForURL(`**/console${path}?${label.toLowerCase()}=${chosen}`);
        await navigate(name);
        await becomes("");
        await page.goBack();
        await becomes(chosen);
        // Filters are no steps of the way back.
        await page.goBack();
        await page.waitForURL("**/console#/overview");
      }
    },
    PATIENCE,
  );

  test(
    "a link leads where it says, also when what was typed into the search is applied at the same time",
    async () => {
      await create("/keys", { name: "Whiskers", plan: "free" });
      await goTo(page, "#/keys");
      await page.getByRole("link", { name: "Whiskers" }).waitFor();
      await page.evaluate(`(async () => {
        const search = document.querySelector("main input[type=search]");
        search.value = "whisk";
        search.dispatchEvent(new Event("input", { bubbles: true }));
        await new Promise((resolve) => setTimeout(resolve, 100));
        [...document.querySelectorAll("main th a")].find((link) => link.textContent === "Whiskers").click();
        // The search is due before the page of the link is drawn.
        const until = performance.now() + 300;
        while (performance.now() < until);
      })()`);
      await page.getByRole("heading", { name: "Whiskers", level: 1 }).waitFor();
    },
    PATIENCE,
  );

  test(
    "a filter applies as it is typed; those that are set are listed, and cleared one by one or all",
    async () => {
      states(
        "docs/console.md",
        "In each list a filter applies as you type. Above the list stands what is set, with a way to clear one filter or all",
      );
      const set = page.getByRole("list", { name: "Filters that are set" });
      const isSet = (texts: string[]) =>
        eventually(async () => (await set.getByRole("listitem").allTextContents()).join() === texts.join());
      for (const [path, label, text] of [
        ["#/keys", "Search", "whisk"],
        ["#/keys", "Owner", "ada@example.org"],
        ["#/pets", "Name", "Rex"],
        ["#/categories", "Name", "Dogs"],
        ["#/orders", "Reference", "No. 7"],
        ["#/requests", "Key", "key_1"],
        ["#/audit", "Operator", "Ada"],
      ] as const) {
        await goTo(page, path);
        await page.getByLabel(label, { exact: true }).focus();
        await page.keyboard.type(text);
        await isSet([`Clear ${label}: ${text}`]);
        expect(await page.getByLabel(label, { exact: true }).inputValue()).toBe(text);
      }
      // As it is pasted, with blanks around it; and the address says so when it is taken away again.
      await page.getByLabel("Operator", { exact: true }).fill("  Ada  ");
      await page.keyboard.press("Enter");
      await page.waitForURL("**/console#/audit?operator=Ada");
      await page.getByLabel("Operator", { exact: true }).fill(" ");
      await page.waitForURL("**/console#/audit");
      await goTo(page, "#/keys?plan=pro&state=active&search=ada&sort=owner");
      await isSet(["Clear Search: ada", "Clear Plan: Pro", "Clear State: Active", "Clear all"]);
      expect(await accessibilityViolations(page)).toEqual([]);
      await set.getByRole("button", { name: "Clear Plan: Pro" }).press("Enter");
      await isSet(["Clear Search: ada", "Clear State: Active", "Clear all"]);
      await set.getByRole("button", { name: "Clear all" }).press("Enter");
      await set.waitFor({ state: "detached" });
      expect(page.url()).toEndWith("#/keys?sort=owner");
      await eventually(async () => (await page.getByLabel("Search").inputValue()) === "");
    },
    PATIENCE,
  );

  test(
    "an owner is looked for once the address is complete",
    async () => {
      await goTo(page, "#/keys");
      const owner = page.getByLabel("Owner", { exact: true });
      await owner.fill("ada@");
      await eventually(async () => (await owner.getAttribute("aria-invalid")) === "true");
      await owner.press("Enter");
      expect(page.url()).toEndWith("#/keys");
      await owner.fill("ada@example.org");
      await page.waitForURL("**/console#/keys?owner=ada%40example.org");
    },
    PATIENCE,
  );

  test(
    "a filter changes what the address has, also when the page does not show it yet",
    async () => {
      await goTo(page, "#/audit?target=key_nobody");
      await page.getByRole("button", { name: "Clear filters" }).waitFor();
      await page.evaluate(`(() => {
        document.querySelector("main .empty-state button").click();
        const action = document.querySelector("main select");
        action.value = "key.create";
        action.dispatchEvent(new Event("change", { bubbles: true }));
      })()`);
      await page.waitForURL("**/console#/audit?action=key.create");
      await page.locator(".audit > li").first().waitFor();
      await goTo(page, "#/pets?after=1");
      await page.getByLabel("Name").fill("Rex");
      await page.keyboard.press("Enter");
      await page.waitForURL("**/console#/pets?name=Rex");
    },
    PATIENCE,
  );

  test(
    "a dialog that has just closed does not keep the page",
    async () => {
      await goTo(page, "#/audit");
      await page.getByRole("button", { name: "Export" }).click();
      await page.getByRole("dialog").getByLabel("Format").selectOption("csv");
      await page.evaluate(`(() => {
        new MutationObserver((_, observer) => {
          if (document.querySelector("dialog") !== null) return;
          observer.disconnect();
          // The address changes now, and the listeners are called at once: before the browser paints.
          const { href } = location;
          history.pushState(null, "", "#/keys");
          dispatchEvent(new HashChangeEvent("hashchange", { oldURL: href, newURL: location.href }));
        }).observe(document.body, { childList: true, subtree: true });
        document.querySelector("dialog footer button").click();
      })()`);
      await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
    },
    PATIENCE,
  );

  test(
    "an invalid time in the address of the audit log is an error of the service",
    async () => {
      await goTo(page, "#/audit?from=yesterday");
      await page.getByRole("alert").getByText("from").waitFor();
      await page.getByLabel("From").waitFor();
    },
    PATIENCE,
  );

  test(
    "looks different on staging, also before signing in: colour, icon and title",
    async () => {
      states("docs/console.md", "Staging has other colours, another icon and another title than production.");
      const other = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      const seen = watch(other);
      await other.goto(`${staging.adminUrl}/console`);
      await other.getByText("staging", { exact: true }).waitFor();
      await titled(other, "Sign in · Petstore STAGING");
      await signIn(other, staging.adminUrl, (await staging.withOperator("admin")).token);
      await settled(other);
      await other.locator('link[rel=icon][href^="data:"]').waitFor({ state: "attached" });
      const look = (one: Page) =>
        one.evaluate<string[]>(`[
          getComputedStyle(document.documentElement).getPropertyValue("--accent"),
          getComputedStyle(document.querySelector(".logo rect")).fill,
          getComputedStyle(document.body, "::before").height,
          document.querySelector("link[rel=icon]").href.slice(0, 5),
          document.title,
        ]`);
      const [here, there] = [await look(page), await look(other)];
      for (const [i, value] of there.entries()) expect(value).not.toBe(here[i] ?? "");
      expect(there.slice(3)).toEqual(["data:", "Overview · Petstore STAGING"]);
      // The icon has the color of the logo.
      const icons = await Promise.all(
        [page, other].map(async (one) => {
          const [href = "", brand = ""] = await one.evaluate<string[]>(`[
            document.querySelector("link[rel=icon]").href,
            getComputedStyle(document.documentElement).getPropertyValue("--brand"),
          ]`);
          return [href.startsWith("data:") ? decodeURIComponent(href) : await (await fetch(href)).text(), brand];
        }),
      );
      for (const [icon = "", brand = ""] of icons) expect(icon).toContain(brand || "a color");
      expect(await accessibilityViolations(other)).toEqual([]);
      expect(seen.complaints.filter((one) => !one.includes("401 (Unauthorized)"))).toEqual([]);
      await other.close();
    },
    PATIENCE,
  );

  test(
    "a window of a limit is amber from 80 % on, and red when it is full",
    async () => {
      const { id } = await service.createKey();
      const answers = `**/admin/v1/keys/${id}`;
      for (const [used, level, percent] of [
        [79, "success", 79],
        [80, "client-error", 80],
        [99, "client-error", 99],
        [100, "server-error", 100],
        [140, "server-error", 100],
      ] as const) {
        await page.route(answers, async (route) => {
          const response = await route.fetch();
          const { usage, ...key } = await response.json();
          await route.fulfill({
            response,
            json: { ...key, usage: { ...usage, minute: { ...usage.minute, used, limit: 100 } } },
          });
        });
        await goTo(page, "#/overview");
        await goTo(page, `#/keys/${id}`);
        const meter = page.getByRole("meter", { name: "Requests per minute" });
        await meter.waitFor();
        const shown = await meter.evaluate((element, level) => {
          const bar = element.firstElementChild as HTMLElement;
          const probe = element.appendChild(document.createElement("i"));
          probe.style.color = `var(--${level})`;
          const isOfLevel = getComputedStyle(element).color === getComputedStyle(probe).color;
          probe.remove();
          return [element.ariaValueNow, element.ariaValueMax, isOfLevel, Number.parseFloat(bar.style.width)];
        }, level);
        expect(shown).toEqual([String(used), "100", true, percent]);
        await page.unroute(answers);
      }
    },
    PATIENCE,
  );

  test(
    "breaks a long name without spaces instead of widening a page or a dialog",
    async () => {
      const { token: longToken, client } = await service.withOperator("admin", LONG);
      const phone = await browser.newPage({ viewport: { width: 320, height: 700 } });
      await signIn(phone, service.adminUrl, longToken);
      const { body: key } = await client.post("/admin/v1/keys", { name: LONG, plan: "free" });
      await client.put(`/admin/v1/categories/${LOWEST}`, { name: "Last" });
      await client.put("/admin/v1/categories/5", { name: LONG });
      const { body: pet } = await client.post("/admin/v1/pets", { name: LONG.repeat(2), categoryId: 5 });
      await client.patch(`/admin/v1/pets/${pet.id}`, { name: `${LONG}!` });
      const paths = ["keys", "audit", "operators", "pets", "categories", "orders"];
      paths.push(`pets/${pet.id}`, `categories/${LOWEST}`, "categories/5", `keys/${key.key.id}`);
      for (const width of [320, 390, 1280]) {
        await phone.setViewportSize({ width, height: 700 });
        for (const path of paths) {
          await goTo(phone, `#/${path}`);
          expect([width, path, await overflowOf(phone), await cutOff(phone, "main")]).toEqual([width, path, 0, []]);
        }
        for (const opener of ["Rename", "Disable", "Rotate", "Revoke"]) {
          await choose(phone, opener);
          expect([width, opener, await cutOff(phone, "dialog")]).toEqual([width, opener, []]);
          await phone.keyboard.press("Escape");
          await phone.getByRole("dialog").waitFor({ state: "detached" });
        }
      }
      await phone.close();
    },
    2 * PATIENCE,
  );
});

/** The elements inside `selector` that are narrower than their content. */
function cutOff(page: Page, selector: string): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll("${selector} *")]
    .filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1 && !one.matches(".cut, .visually-hidden, input, thead, thead *"))
    .map((one) => one.tagName + " " + one.className)`);
}
