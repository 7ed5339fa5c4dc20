import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { eventually } from "../support/eventually.ts";
import { useOperator, useService } from "../support/use-service.ts";
import { RECEIVERS_ALLOWED, WebhookReceiver } from "../support/webhook-receiver.ts";
import { hasChromium, launchChromium, PATIENCE } from "./chromium.ts";
import { buildConsole, choose, goTo, settled, signIn } from "./console.ts";

if (!hasChromium) console.log("skipped: the console tests need Chromium, which this machine does not have");

const FILE = join(import.meta.dir, "console-text.txt");
const isWriting = !existsSync(FILE);
const HEAD = /^=== (.*)$/m;
const [, ...parts] = isWriting ? [] : readFileSync(FILE, "utf8").split(HEAD);
const expected = new Map(
  parts.flatMap((name, at) => (at % 2 === 0 ? [[name, (parts[at + 1] ?? "").trim()] as const] : [])),
);
/** So often is a page read that is idle and does not have the expected text. */
const READS = 30;

const NOW = Date.UTC(2026, 11, 2, 9, 41);
const DAY = 86_400_000;

/** What names something, so that it stays as it is, and where points of a chart must stay in order. */
const KEPT = /(^|\.)(id|petId|categoryId|limit|page|next|firstPetId|status|points\.\d+\.at|now|seconds)$/;

/** The response with each figure, each time and each text of the machine replaced by one that depends on its place. */
function distinct(value: unknown, path = ""): unknown {
  const place = ([...path].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 8_999, 7) * 4_639) % 8_999;
  if (Array.isArray(value)) return value.map((item, at) => distinct(item, `${path}.${at}`));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, distinct(item, `${path}.${name}`)]));
  }
  if (KEPT.test(path)) return value;
  if (typeof value === "number") return /latency|\.p\d+$/i.test(path) ? place / 10 : 1_000 + place;
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value)) {
    return new Date(NOW + (/expires|until|next/i.test(path) ? 1 : -1) * (place / 9_000) * 40 * DAY).toISOString();
  }
  if (/\.(version|runtime|directory|lastFour|production|staging|location|value|url)$/.test(path))
    return `the ${path.slice(1).replace(/^settings\.\d+/, "setting's")}`;
  return value;
}

/**
 * What each page and each dialog says, as a screen reader has it: names of fields, columns and buttons, whether they are disabled,
 * where links lead, which buttons have the color of danger, which colors states, bars and series have, what fields take, and values,
 * on data in which no two figures are equal. To change it, remove `console-text.txt`, run this, and look at what differs.
 */
describe.skipIf(!hasChromium)("the text of the console", () => {
  beforeAll(buildConsole, PATIENCE);
  const env = { ...RECEIVERS_ALLOWED, PETSTORE_DEPLOYMENT: "staging" };
  const service = useService({ store: "sqlite", now: NOW, env });
  const { operator, client: admin } = useOperator(service, "admin");
  let browser: Browser;
  let page: Page;
  let receiver: WebhookReceiver;
  let key = "";
  let other = "";
  let webhook = "";
  let asked = 0;
  /** What the service says otherwise of the page that is looked at, by its path: what would take a day, another store or no Redis. */
  let [isBusy, isBanned, isUncounted, isWithout] = [false, false, false, false];
  beforeAll(async () => {
    const owner = { name: "Happy Tails", email: "api@example.com" };
    const limits = { perMinute: 70, perDay: 800 };
    await service.advance({ seconds: 1 });
    const { body } = await admin.post("/admin/v1/keys", {
      name: "Mobile app",
      owner,
      note: "Calls at night",
      plan: "enterprise",
      limits,
      expiresAt: new Date(NOW + DAY).toISOString(),
    });
    key = body.key.id;
    const client = service.withSecret(body.secret);
    await client.post("/v1/categories", { name: "Dogs" });
    for (const name of ["Rex", "Mia", "Bo"]) await client.post("/v1/pets", { name, categoryId: 1 });
    for (const petId of [1, 2]) await client.post("/v1/store/orders", { petId });
    await client.patch("/v1/store/orders/1", { status: "approved" });
    await client.get("/v1/pets/3", { "User-Agent": "okhttp/4.12.0", "X-Request-Id": "a-known-request" });
    await client.get("/v1/pets?limit=0", { "X-Request-Id": "a-refused-request" });
    await service.anonymous().get("/v1/pets");
    await service.advance({ seconds: 1 });
    const website = await admin.post("/admin/v1/keys", { name: "Website", plan: "free" });
    other = website.body.key.id;
    await service.withSecret(website.body.secret).get("/v1/pets");
    await admin.patch(`/admin/v1/keys/${other}`, { disabled: true });
    await admin.post("/admin/v1/operators", { name: "Vera", role: "viewer" });
    // The last use, like usage, is written in the background.
    await eventually(async () => (await admin.get(`/admin/v1/keys/${key}`)).body.lastUsedAt !== null);
    await admin.put(`/admin/v1/keys/${key}/simulation`, { answer: "service_unavailable", every: 10 });
    await admin.post(`/admin/v1/keys/${key}/rotate`, { graceSeconds: 3_600 });
    // Nobody knows this disk, so the alert does not end.
    const message = "The disk of the database has 1 MB free of 100 MB.";
    await service.stores.alerts().change([{ type: "alert.disk_full", subject: "disks/of-a-test", message }], [], NOW);
    receiver = await new WebhookReceiver().start();
    const endpoint = { url: receiver.url, types: ["pet.deleted", "category.created"], description: "Shop" };
    webhook = (await admin.post("/admin/v1/webhooks", endpoint)).body.webhook.id;
    await client.post("/v1/categories", { name: "Cats" });
    const delivered = async () => (await admin.get(`/admin/v1/webhooks/${webhook}/deliveries`)).body.deliveries.length;
    await eventually(async () => (await delivered()) === 1);
    receiver.answer = () => 503;
    await admin.post(`/admin/v1/webhooks/${webhook}/test`, {});
    await admin.post(`/admin/v1/webhooks/${webhook}/rotate`, { graceSeconds: 3_600 });
    await admin.post("/admin/v1/backups", {});
    await eventually(async () => (await admin.get("/admin/v1/backups")).body.backups?.[0]?.verifiedAt != null);
    const isWritten = async () => {
      const [overview, busiest] = await Promise.all(
        ["overview", "usage/keys?resolution=hour"].map((path) => admin.get(`/admin/v1/${path}`)),
      );
      return (
        overview?.body.hour.requests === 12 &&
        overview?.body.live.latency.p50 !== null &&
        busiest?.body.keys.length === 2
      );
    };
    await eventually(isWritten);
    browser = await launchChromium();
    page = await browser.newPage({
      viewport: { width: 1280, height: 900 },
      timezoneId: "Asia/Kathmandu",
      locale: "en-GB",
    });
    page.on("request", () => {
      asked += 1;
    });
    const end = () => {
      asked -= 1;
    };
    page.on("requestfinished", end);
    page.on("requestfailed", end);
    await page.clock.setFixedTime(NOW);
    await page.route(/\/admin\/v1\/(?!session)[^?]*(\?.*)?$/, async (route) => {
      if (route.request().method() !== "GET") return route.continue();
      // No key is banned: the panel of those that are shows all.
      const url = route.request().url().replace("state=banned&", "");
      // The service may close the connection that it had kept alive at the moment when it is used again.
      const response = await route.fetch({ url, maxRetries: 2 });
      const job = isBusy &&
        url.endsWith("/backups") && {
          job: { kind: "verification", place: "s3", startedAt: new Date(NOW).toISOString() },
        };
      const json = await response.json();
      const until = { bannedUntil: new Date(NOW + DAY).toISOString() };
      const ban = isBanned && url.endsWith(`/keys/${key}`) && { state: "banned", usage: { ...json.usage, ...until } };
      const uncounted = isUncounted && url.endsWith(`/keys/${key}`) && { usage: null };
      const without = isWithout && url.endsWith("/backups") && { isAvailable: false };
      await route.fulfill({ response, json: distinct({ ...json, ...job, ...ban, ...uncounted, ...without }) });
    });
    await signIn(page, service.adminUrl, operator.token);
  }, PATIENCE);
  afterAll(async () => {
    await browser?.close();
    await receiver[Symbol.asyncDispose]();
  });

  /** Until the page has drawn what it knows, and asks for nothing more. */
  const idle = async () => {
    const frames =
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))))";
    for (let rounds = 0; rounds < 2; rounds = asked === 0 ? rounds + 1 : 0) await page.evaluate(frames);
  };

  /** What is random has the name of its kind and the number of its first occurrence. */
  const textOf = async (selector: string) => {
    await idle();
    const text = await page.locator(selector).ariaSnapshot();
    const warned = await page.locator(`:is(${selector}) :is(button, [role=menuitem]).danger`).allTextContents();
    const colored = ".badge, [role=meter], figcaption span";
    const colors = await page.locator(`:is(${selector}) :is(${colored})`).evaluateAll((all) => {
      const probe = document.body.appendChild(document.createElement("i"));
      /** A series of a chart has a swatch. */
      const colorOf = (element: Element) => {
        const swatch = element.querySelector(".swatch");
        return swatch === null ? getComputedStyle(element).color : getComputedStyle(swatch).backgroundColor;
      };
      const names = [
        ...["good", "warn", "bad", "muted", "success", "client-error", "rate-limited", "server-error", "accent"],
        ...["plan-free", "plan-pro", "plan-business", "plan-enterprise", "plan-none"],
      ].map((name) => {
        probe.style.color = `var(--${name})`;
        return [name, colorOf(probe)];
      });
      probe.remove();
      return all.map((one) => {
        const [name = "no state"] = names.find(([, color]) => color === colorOf(one)) ?? [];
        return `- in the color ${name}: ${one.ariaLabel === null ? one.textContent : `${one.ariaLabel}, ${one.ariaValueNow} of ${one.ariaValueMax}`}`;
      });
    });
    const fields = await page.locator(`:is(${selector}) :is(input:not([type=checkbox]), select)`).evaluateAll((all) =>
      (all as HTMLInputElement[]).flatMap((field) => {
        const texts = [field.ariaLabel, ...(field.labels?.[0]?.childNodes ?? [])].map((one) =>
          typeof one === "string" ? one : one?.textContent,
        );
        const limits = ["type", "inputmode", "pattern", "accept", "maxlength", "autocomplete"].flatMap((name) =>
          field.hasAttribute(name) && field.getAttribute(name) !== "text"
            ? [`${name} ${field.getAttribute(name)}`]
            : [],
        );
        const hint = document.getElementById(field.getAttribute("aria-describedby") ?? "")?.textContent ?? "";
        const said = [
          ...(field.required ? ["required"] : []),
          ...limits,
          ...(field.list ? ["with suggestions"] : []),
          ...(hint === "" ? [] : ["with its hint"]),
        ];
        return said.length === 0 ? [] : [`- the field ${texts.find(Boolean)?.trim()}: ${said.join(", ")}`];
      }),
    );
    const seen: string[] = [];
    // A row has the text of its cells.
    const danger = new Set(warned.map((name) => `- in the color of danger: ${name}`));
    const rows = [text, ...danger, ...new Set(colors), ...fields]
      .join("\n")
      .replaceAll(/\b(pets_(live|stag|oper)|whsec)_[\w+/=]{20,}/g, (_, kind) => `a secret (${kind})`)
      // How the program is run depends on how the tests are.
      .replaceAll(/(code: ).* (?=operators create)/g, "$1petstore ")
      .replaceAll(/^ *- (cell|columnheader)( ".*")?\n/gm, "");
    return rows.replaceAll(/\b(key|op|whe)_[0-9A-Za-z]{16}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
      if (!seen.includes(id)) seen.push(id);
      return `${/^(key|op|whe)/.exec(id)?.[0] ?? "request"} no. ${seen.indexOf(id) + 1}`;
    });
  };

  /** What a cell of a table is called on a phone, where it is not called as its column: there the head is not shown. */
  const otherNames = () =>
    page.locator("main table.cards").evaluateAll((tables) =>
      tables.flatMap((table) => {
        const { tHead, tBodies } = table as HTMLTableElement;
        const names = [...(tHead?.rows[0]?.cells ?? [])].map((cell) => cell.textContent.trim());
        const cells = [...tBodies].flatMap(({ rows }) =>
          [...rows].flatMap((row) => [...row.cells].entries().toArray()),
        );
        return cells.flatMap(([at, { dataset }]) =>
          dataset.label === undefined || dataset.label === names[at] ? [] : [`${dataset.label}, not ${names[at]}`],
        );
      }),
    );

  const expectText = async (name: string, selector: string) => {
    let text = await textOf(selector);
    for (let reads = 1; !isWriting && reads < READS && text !== expected.get(name); reads++)
      text = await textOf(selector);
    if (isWriting) appendFileSync(FILE, `=== ${name}\n${text}\n`);
    else expect(text).toBe(expected.get(name) ?? "");
  };

  test("is compared with what was written before", () => expect(isWriting).toBe(false));

  const pages = [
    "overview",
    "keys",
    "keys/KEY",
    "keys/OTHER",
    "pets",
    "pets/1",
    "pets/3",
    "categories",
    "categories/1",
    "orders",
    "orders/1",
    "orders/2",
    "requests",
    "requests/a-refused-request",
    "alerts",
    "deprecation",
    "audit",
    "operators",
    "webhooks",
    "webhooks/WEBHOOK",
    "backups",
    "service",
    "backups?busy",
    "keys/KEY?banned",
    "backups?without",
    "keys/KEY?uncounted",
    "keys?search=Mobile&plan=enterprise&state=active&rehearsing=true&sort=owner",
    "pets?status=pending&categoryId=1&name=Rex&order=desc",
    "categories?name=Dogs",
    "orders?status=approved&petId=1&order=asc",
    "requests?status=4xx&operation=listPets&error=invalid_parameter",
    "audit?action=key.create&target=KEY",
  ];
  test.each(pages)(
    "#/%s",
    async (path) => {
      const announced = () => page.locator("#announcement").textContent();
      const before = await announced();
      [isBusy, isWithout] = [path === "backups?busy", path === "backups?without"];
      [isBanned, isUncounted] = [path === "keys/KEY?banned", path === "keys/KEY?uncounted"];
      await goTo(page, `#/${path.replace("WEBHOOK", webhook).replace("KEY", key).replace("OTHER", other)}`);
      await idle();
      // The tables do not differ from those of the page itself.
      const tables = isUncounted ? [] : await page.getByRole("button", { name: "Show table" }).all();
      for (const more of tables) await more.click();
      if (path === "backups") expect(await announced()).toBe(before);
      // The menu and the head are the same on all pages.
      await expectText(path, path === "overview" ? "body" : "main");
      expect(await otherNames()).toEqual([]);
      if (path === "overview") {
        await page.getByRole("button", { name: "30 days" }).click();
        await page.getByRole("button", { name: "By plan" }).click();
        await settled(page);
        await page.getByRole("button", { name: "Show table" }).first().click();
        await page.getByRole("columnheader", { name: "Enterprise" }).waitFor();
        await expectText(`${path}, 30 days`, "main");
      }
      if (path.includes("?") && !isBanned && !isUncounted) return;
      const actions = await page.locator("main button:not([aria-pressed])").allTextContents();
      const more = page.getByRole("button", { name: "More", exact: true });
      if (await more.isVisible()) {
        await more.click();
        await expectText(`${path}, More`, "[role=menu]");
        actions.push(...(await page.getByRole("menuitem").allTextContents()));
        await page.keyboard.press("Escape");
      }
      if (isUncounted) return;
      for (const action of new Set(actions)) {
        if (
          /^(Acknowledge|More|Show|Sort|Next|Previous|Clear|Retry|Copy|Back up now|Verify|Hour|Day)/.test(action) ||
          action === ""
        )
          continue;
        if (isBanned && action !== "Unban") continue;
        const button = page.locator("main").getByRole("button", { name: action, exact: true }).first();
        if ((await button.isVisible()) && (await button.isDisabled())) continue;
        await choose(page, action);
        await idle();
        const dialog = page.locator("dialog[open]");
        if ((await dialog.count()) === 0) continue;
        await expectText(`${path}, ${action}`, "dialog[open]");
        await page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
      }
      if (path !== "keys") return;
      await page.getByLabel("Select all on this page").check();
      await expectText(`${path}, all selected`, "main");
      for (const action of ["Change plan", "Disable", "Revoke"]) {
        await choose(page, action);
        await idle();
        await expectText(`${path}, all selected, ${action}`, "dialog[open]");
        await page.keyboard.press("Escape");
        await page.locator("dialog[open]").waitFor({ state: "detached" });
      }
    },
    PATIENCE,
  );

  test(
    "what belongs to no page: the palette, secrets that are shown once, an unknown address, and the ways to sign in",
    async () => {
      const dialog = page.locator("dialog[open]");
      await goTo(page, "#/nowhere");
      await expectText("nowhere", "main");
      await page.keyboard.press("Control+k");
      await dialog.waitFor();
      await expectText("the command palette", "dialog[open]");
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      for (const [path, opener] of [
        ["keys", "Create key"],
        ["operators", "Create operator"],
      ] as const) {
        await goTo(page, `#/${path}`);
        await choose(page, opener);
        await dialog.getByLabel("Name", { exact: true }).fill("Made last");
        await dialog.getByRole("button", { name: opener }).press("Enter");
        await dialog.getByRole("button", { name: "I have stored it" }).waitFor();
        await expectText(`${path}, ${opener}, done`, "dialog[open]");
        await dialog.getByRole("button", { name: "I have stored it" }).press("Enter");
        await dialog.waitFor({ state: "detached" });
      }
      await page.context().clearCookies();
      await goTo(page, "#/categories");
      await dialog.waitFor();
      await expectText("a session that has ended", "dialog[open]");
      await page.reload();
      await page.getByLabel("Operator token").waitFor();
      await expectText("the sign-in", "body");
      await page.evaluate("location.hash = '#/first/abcdef'");
      await page.getByLabel("Your name").waitFor();
      await expectText("the first sign-in", "body");
      await page.getByLabel("Your name").fill("Ada");
      await page.getByRole("button", { name: "Sign in" }).press("Enter");
      await page.getByRole("alert").waitFor();
      await expectText("the first sign-in, refused", "body");
    },
    PATIENCE,
  );
});
