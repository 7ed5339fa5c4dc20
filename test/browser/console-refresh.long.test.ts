import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { eventually } from "../support/eventually.ts";
import { useKey, useOperator, useService } from "../support/use-service.ts";
import { RECEIVERS_ALLOWED, WebhookReceiver } from "../support/webhook-receiver.ts";
import { hasChromium, launchChromium, PATIENCE } from "./chromium.ts";
import { buildConsole, choose, goTo, settled, signIn } from "./console.ts";

if (!hasChromium) console.log("skipped: the console tests need Chromium, which this machine does not have");

/** What a page asks for by itself, with the seconds after which it does. */
type Asked = Record<string, number>;

/** Timers of a second and more run when `fire` is called, which returns what they ask for. That is not answered. */
const HELD_TIMERS = `{
  const { setTimeout, clearTimeout, fetch } = window;
  let [due, asked] = [undefined, {}];
  const timers = new Map();
  window.setTimeout = (run, ms, ...rest) => {
    if (!(ms >= 1_000)) return setTimeout(run, ms, ...rest);
    const id = setTimeout(() => {}, 2_147_483_647);
    timers.set(id, { run, ms });
    return id;
  };
  window.clearTimeout = (id) => {
    timers.delete(id);
    clearTimeout(id);
  };
  window.fetch = (path, ...rest) => {
    if (due === undefined) return fetch(path, ...rest);
    asked[new URL(path, location).pathname.replace("/admin/v1/", "")] = due / 1_000;
    return new Promise(() => {});
  };
  window.waiting = () => timers.size;
  window.fire = () => {
    const queue = [...timers.values()];
    timers.clear();
    asked = {};
    for (const { run, ms } of queue) {
      due = ms;
      run();
      due = undefined;
    }
    return asked;
  };
}`;

describe.skipIf(!hasChromium)("what a page of the console reads again", () => {
  beforeAll(buildConsole, PATIENCE);
  const service = useService({ store: "sqlite", now: Date.now(), env: RECEIVERS_ALLOWED });
  const { operator, client: admin } = useOperator(service, "admin");
  const { client, key } = useKey(service, { plan: "free" });
  let browser: Browser;
  let page: Page;
  let receiver: WebhookReceiver;
  let webhook = "";
  beforeAll(async () => {
    await client.post("/v1/categories", { name: "Dogs" });
    await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
    await client.post("/v1/store/orders", { petId: 1 });
    await admin.patch("/admin/v1/orders/1", { status: "approved" });
    await client.get("/v1/pets/1");
    receiver = await new WebhookReceiver().start();
    webhook = (await admin.post("/admin/v1/webhooks", { url: receiver.url, types: [] })).body.webhook.id;
    // The overview has no charts without usage.
    await eventually(async () => (await admin.get("/admin/v1/overview")).body.live.requests > 0);
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.addInitScript(HELD_TIMERS);
    await signIn(page, service.adminUrl, operator.token);
  }, PATIENCE);
  afterAll(async () => {
    await browser?.close();
    await receiver[Symbol.asyncDispose]();
  });

  const fire = () => page.evaluate<Asked>("fire()");
  const waiting = () => page.evaluate<number>("waiting()");
  const named = (path: string) => path.replace("KEY", key.id).replace("WEBHOOK", webhook);

  const open = async (path: string) => {
    await page.goto("about:blank");
    await page.goto(`${service.adminUrl}/console#/${path}`);
    await settled(page);
  };

  const pages: Record<string, Asked> = {
    overview: {
      ...{ overview: 2, usage: 4, keys: 10, state: 10, "usage/plans": 10, "usage/keys": 10, alerts: 30 },
    },
    keys: { keys: 5 },
    "keys/KEY": { "keys/KEY": 3, "keys/KEY/usage": 3, requests: 10, audit: 10 },
    pets: {},
    "pets/1": { "pets/1": 5, orders: 5, events: 10, audit: 10 },
    categories: {},
    "categories/1": { "categories/1": 5, audit: 10 },
    orders: { orders: 5 },
    "orders/1": { "orders/1": 5, events: 10, audit: 10 },
    requests: { requests: 5 },
    alerts: { alerts: 5 },
    deprecation: { deprecations: 30, "deprecations/callers": 30 },
    audit: { audit: 10 },
    operators: {},
    webhooks: { webhooks: 5 },
    "webhooks/WEBHOOK": { "webhooks/WEBHOOK": 5, "webhooks/WEBHOOK/deliveries": 5, audit: 10 },
    backups: { backups: 30 },
    service: { state: 5, settings: 30 },
  };

  test(
    "each part is read again as often as it changes",
    async () => {
      const all = (asked: Asked) =>
        Object.entries(asked)
          .map(([path, seconds]) => `${named(path)} every ${seconds} s`)
          .toSorted();
      for (const [path, expected] of Object.entries(pages)) {
        await goTo(page, `#/${named(path)}`);
        const asked: Asked = {};
        await eventually(async () => {
          Object.assign(asked, await fire());
          return Object.keys(asked).length >= Object.keys(expected).length;
        });
        expect([path, ...all(asked)]).toEqual([path, ...all(expected)]);
      }
    },
    PATIENCE,
  );

  test(
    "nothing is read while a dialog is open, and a list that is read with the keyboard stays",
    async () => {
      const reading: [path: string, link: string, goesOn: string[]][] = [
        ["orders", "tbody a", []],
        ["requests", "tbody a", []],
        ["audit", ".audit a", []],
        ["pets/1", "tbody a", ["pets/1"]],
        ["orders/1", ".audit a", ["orders/1"]],
      ];
      for (const [path, link, goesOn] of reading) {
        await goTo(page, "#/service");
        await goTo(page, `#/${path}`);
        const count = Object.keys(pages[path] ?? {}).length;
        await page.locator("main").locator(link).first().focus();
        await eventually(async () => (await waiting()) === count);
        expect([path, Object.keys(await fire())]).toEqual([path, goesOn]);
        await page.locator("h1").focus();
        expect([path, Object.keys(await fire()).length]).toEqual([path, count - goesOn.length]);
      }
      for (const [path, opener] of [
        ["keys/KEY", "Change plan"],
        ["orders/1", "Deliver"],
      ] as const) {
        await goTo(page, "#/service");
        await goTo(page, `#/${named(path)}`);
        const count = Object.keys(pages[path] ?? {}).length;
        await choose(page, opener);
        await page.getByRole("dialog").waitFor();
        await eventually(async () => (await waiting()) === count);
        expect([path, await fire()]).toEqual([path, {}]);
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
        expect([path, Object.keys(await fire()).length]).toEqual([path, count]);
      }
    },
    PATIENCE,
  );

  test(
    "what an operator has changed is shown at once, and announced",
    async () => {
      const dialog = page.getByRole("dialog");
      const isClosed = () => dialog.waitFor({ state: "detached" });
      const announced = (text: string) => page.locator("#announcement").filter({ hasText: text }).waitFor();
      const submit = async (label: string) => {
        await dialog.getByRole("button", { name: label, exact: true }).click();
      };
      await open("keys");
      await page.getByRole("row", { name: /test/ }).first().waitFor();
      await choose(page, "Create key");
      await dialog.getByLabel("Name", { exact: true }).fill("Created here");
      await submit("Create key");
      // It is in the list that the dialog is above.
      await page.locator("main tbody", { hasText: "Created here" }).waitFor();
      await submit("I have stored it");
      await isClosed();
      await page.getByLabel("Select Created here").check();
      await choose(page, "Disable");
      await submit("Disable: 1 key");
      await isClosed();
      await page.getByRole("row", { name: /Created here.*disabled/ }).waitFor();
      await page.getByRole("link", { name: "Created here" }).click();
      await choose(page, "Rotate");
      await submit("Rotate key");
      await submit("I have stored it");
      await isClosed();
      await page.getByText("works until").waitFor();

      await open("operators");
      await choose(page, "Create operator");
      await dialog.getByLabel("Name").fill("Grace");
      await dialog.getByLabel("Role").selectOption("Admin: full access");
      await submit("Create operator");
      await submit("I have stored it");
      await isClosed();
      await page
        .getByRole("row", { name: /Grace.*admin active/ })
        .getByRole("button", { name: "Revoke" })
        .click();
      await submit("Revoke Grace");
      await isClosed();
      const ofGrace = page.getByRole("row", { name: /Grace.*revoked/ });
      await ofGrace.locator(".badge.bad").waitFor();
      expect(await ofGrace.getByRole("button").count()).toBe(0);

      const alert = { type: "alert.disk_full", subject: "disks/of-a-test", message: "Full." } as const;
      await service.stores.alerts().change([alert], [], service.now);
      await open("alerts?state=open");
      await page.getByRole("button", { name: "Acknowledge", exact: true }).click();
      await page.getByRole("heading", { name: "No alert is open" }).waitFor();
      await open("alerts?state=acknowledged");
      await page.locator(".badge.warn", { hasText: "acknowledged" }).waitFor();
      expect(await page.getByRole("button", { name: "Acknowledge", exact: true }).count()).toBe(0);
      await page.getByText("Delete what is not needed").waitFor();

      await open("webhooks");
      await page.getByRole("row", { name: /all events enabled/ }).waitFor();
      await choose(page, "Create endpoint");
      await dialog.getByLabel("URL").fill(receiver.url);
      await dialog.getByLabel("Types").fill(" pet.created, ,order.placed ,");
      await dialog.getByLabel("Description").fill("Second");
      await submit("Create endpoint");
      await dialog.getByText(/^whsec_/).waitFor();
      await page.locator("main tbody", { hasText: "Second" }).waitFor();
      await submit("I have stored it");
      await isClosed();
      const row = page.getByRole("row", { name: /Second pet.created, order.placed enabled/ });
      await row.getByRole("link").click();
      const status = (text: string) => page.locator(".page-head .badge", { hasText: text }).waitFor();
      await status("enabled");
      await choose(page, "Edit");
      await dialog.getByLabel("Types").fill("");
      await submit("Save");
      await isClosed();
      await page.locator(".description-list").getByText("all events").waitFor();
      for (const [answer, said] of [
        [503, "The receiver: 503."],
        [204, "The receiver: 204."],
      ] as const) {
        receiver.answer = () => answer;
        await choose(page, "Send test event");
        await announced(said);
        await page.locator(`td .badge.${answer === 204 ? "good" : "bad"}`, { hasText: String(answer) }).waitFor();
      }
      await choose(page, "Disable");
      await announced("Done.");
      await status("disabled");
      await page.locator(".audit li", { hasText: "disabled the webhook endpoint" }).waitFor();
      await choose(page, "Enable");
      await status("enabled");
      await choose(page, "Rotate secret");
      await submit("Rotate the secret");
      await submit("I have stored it");
      await isClosed();
      await page.getByText("signs until").waitFor();

      await open("backups");
      const made = async () => (await admin.get("/admin/v1/backups")).body.backups.length;
      for (const count of [1, 2]) {
        await choose(page, "Back up now");
        await page
          .getByText(/^Making a backup…$/)
          .or(page.getByText("verified", { exact: true }).nth(count - 1))
          .waitFor();
        await eventually(async () => (await made()) === count);
        await service.advance({ seconds: 1 });
        await open("backups");
      }
      const files = page.getByRole("button", { name: "Delete", exact: true });
      // The oldest, which is the last in the list.
      const names = readdirSync(join(service.store.directory, "backups")).filter((file) => file.endsWith(".db"));
      const [name = ""] = names.toSorted();
      const buffer = readFileSync(join(service.store.directory, "backups", name));
      await files.nth(1).click();
      await submit("Delete backup");
      await isClosed();
      await eventually(async () => (await files.count()) === 1);
      await choose(page, "Upload");
      await dialog.getByLabel("Backup").setInputFiles({ name, mimeType: "application/vnd.sqlite3", buffer });
      await submit("Upload");
      await isClosed();
      await eventually(async () => (await files.count()) === 2);
    },
    2 * PATIENCE,
  );

  test(
    "a change that needs no more than a confirmation is not made to what somebody else has changed meanwhile",
    async () => {
      const dialog = page.getByRole("dialog");
      const pet = (await admin.post("/admin/v1/pets", { name: "Rex", categoryId: 77 })).body;
      for (const [at, change, opener, submit] of [
        [`keys/${key.id}`, { note: "1" }, "Rotate", "Rotate key"],
        [`keys/${key.id}`, { note: "2" }, "Disable", "Disable key"],
        [`keys/${key.id}`, { note: "3" }, "Revoke", "Revoke test"],
        [`pets/${pet.id}`, { status: "sold" }, "Remove", "Remove Rex"],
      ] as const) {
        const of = `/admin/v1/${at}`;
        await open(at);
        await choose(page, opener);
        expect((await admin.patch(of, change)).status).toBe(200);
        const { body: before } = await admin.get(of);
        await dialog.getByRole("button", { name: submit, exact: true }).click();
        await dialog.getByRole("alert").getByText("Somebody else has made a change meanwhile").waitFor();
        await dialog.getByText(Object.values(change)[0] ?? "", { exact: true }).waitFor();
        expect([opener, (await admin.get(of)).body]).toEqual([opener, before]);
      }
    },
    PATIENCE,
  );
});
