import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import type { Operator } from "../../src/domain/operators.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { useKey, useService } from "../support/use-service.ts";
import { RECEIVERS_ALLOWED, WebhookReceiver } from "../support/webhook-receiver.ts";
import { accessibilityViolations } from "./accessibility.ts";
import { hasChromium, launchChromium, overflowOf, PATIENCE } from "./chromium.ts";
import { buildConsole, choose, detailsIn, settled, signIn } from "./console.ts";

if (!hasChromium) console.log("skipped: the page of webhooks needs Chromium, which this machine does not have");

describe.skipIf(!hasChromium)("the page of webhooks", () => {
  beforeAll(buildConsole, PATIENCE);
  const service = useService({ env: RECEIVERS_ALLOWED, now: Date.now() });
  const { client } = useKey(service);
  let browser: Browser;
  let page: Page;
  let receiver: WebhookReceiver;
  let operator: Operator;
  beforeAll(async () => {
    receiver = await new WebhookReceiver().start();
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    const { token, ...created } = await service.withOperator("admin");
    operator = created.operator;
    await signIn(page, service.adminUrl, token, "#/webhooks");
    await settled(page);
  }, PATIENCE);
  afterAll(async () => {
    await browser?.close();
    await receiver[Symbol.asyncDispose]();
  });

  const press = (name: string) => choose(page, name);
  const isClean = async () => expect([await accessibilityViolations(page), await overflowOf(page)]).toEqual([[], 0]);

  test(
    "creates an endpoint by keyboard, tests it, and shows what was delivered and why it was disabled",
    async () => {
      states(
        "docs/console.md",
        "The endpoints that get events or alerts, with the last deliveries of each, a test event and redelivery. The page Alerts says when the service has disabled one.",
        "The overview says how many are open.",
      );
      await page.getByRole("heading", { name: "There are no endpoints" }).waitFor();
      await isClean();
      await press("Create endpoint");
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("URL").fill("http://shop.example.com/");
      await page.keyboard.press("Enter");
      await dialog.getByText("must begin with https://").waitFor();
      await dialog.getByLabel("URL").fill(receiver.url);
      await dialog.getByLabel("Types").fill("pet.created, pet.deleted");
      await isClean();
      await page.keyboard.press("Enter");
      await dialog.getByText(/^whsec_/).waitFor();
      await isClean();
      await press("I have stored it");
      await dialog.waitFor({ state: "detached" });

      await page.getByRole("link", { name: receiver.url }).click();
      await page.getByText("Nothing was delivered yet.").waitFor();
      const { Created, ...others } = await detailsIn(page, "Details");
      expect(Number.isNaN(Date.parse(Created ?? ""))).toBe(false);
      expect(others).toEqual({
        URL: receiver.url,
        Types: "pet.created, pet.deleted",
        "Delivered up to": expect.stringMatching(/^[1-9]\d*$/),
      });
      // What is not edited stays as it is.
      for (const [before, after] of [
        ["", "Shop"],
        ["Shop", "The shop"],
      ] as const) {
        await press("Edit");
        const fields = { URL: receiver.url, Types: "pet.created, pet.deleted", Description: before };
        for (const [label, value] of Object.entries(fields))
          expect([label, await dialog.getByLabel(label).inputValue()]).toEqual([label, value]);
        await dialog.getByLabel("Description").fill(after);
        await dialog.getByRole("button", { name: "Save" }).click();
        await dialog.waitFor({ state: "detached" });
        const details = page.locator(".description-list");
        for (const text of [receiver.url, "pet.created, pet.deleted", after])
          await details.getByText(text, { exact: true }).waitFor();
      }
      await press("Send test event");
      await page.getByText("webhook.test").waitFor();
      await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
      await eventually(() => receiver.received.length === 2);
      await page.reload();
      await page.getByRole("cell", { name: "pet.created" }).waitFor();
      expect(receiver.received.map(({ body }) => body.type)).toEqual(["webhook.test", "pet.created"]);
      await isClean();

      const other = await browser.newPage();
      const { token } = await service.withOperator("viewer", "Vera");
      await signIn(other, service.adminUrl, token, new URL(page.url()).hash);
      await other.getByRole("cell", { name: "pet.created" }).waitFor();
      expect(await other.locator("main").getByRole("button").allTextContents()).toEqual([]);
      await other.close();

      for (const [choice, hours] of Object.entries({ "for an hour": 1, "not at all": 0, "for a day": 24 })) {
        await press("Rotate secret");
        await dialog.getByLabel("The old secret signs").selectOption({ label: choice });
        const sent = page.waitForRequest((request) => request.url().endsWith("/rotate"));
        await dialog.getByRole("button", { name: "Rotate the secret" }).click();
        expect([choice, (await sent).postDataJSON()]).toEqual([choice, { graceSeconds: hours * 3_600 }]);
        await dialog.getByText(/^whsec_/).waitFor();
        await press("I have stored it");
        await dialog.waitFor({ state: "detached" });
      }
      receiver.answer = () => 410;
      await client.post("/v1/pets", { name: "Max", categoryId: 1 });
      await eventually(() => receiver.received.length === 3);
      await page.reload();
      await page.getByText("The receiver answered 410 Gone.").waitFor();
      await isClean();
      await page.goto(`${service.adminUrl}/console#/overview`);
      const disabled = "A webhook endpoint was disabled";
      await page.getByText(disabled).waitFor({ timeout: PATIENCE });
      await page.getByRole("link", { name: "1 open alert" }).click();
      await page.getByRole("link", { name: disabled }).waitFor();
      await isClean();
      await press("Acknowledge");
      await page.getByRole("heading", { name: "No alert is open" }).waitFor();
      await page.getByLabel("State").selectOption("acknowledged");
      await page.getByText(`by ${operator.name}`).waitFor();
      await isClean();
      await page.getByRole("link", { name: disabled }).click();
      await page.getByText("The receiver answered 410 Gone.").waitFor();
      receiver.answer = () => 200;
      await press("Enable");
      await eventually(() => receiver.received.length === 4);
      const asked = () => page.waitForRequest((request) => request.url().endsWith("/redeliver"));
      const [events, before] = [receiver.eventIds.slice(1), receiver.received.length];
      await page.getByRole("button", { name: "More", exact: true }).press("Enter");
      await page.getByRole("menuitem", { name: "Redeliver" }).press("Enter");
      // What is no id is refused: it is not taken for the oldest event.
      await dialog.getByLabel("After the event").fill("last");
      await dialog.getByRole("button", { name: "Redeliver" }).click();
      await dialog.getByRole("alert").getByText("after").waitFor();
      await dialog.getByLabel("After the event").fill("0");
      const all = asked();
      await dialog.getByRole("button", { name: "Redeliver" }).click();
      expect((await all).postDataJSON()).toEqual({ after: 0 });
      await dialog.waitFor({ state: "detached" });
      const distinct = [...new Set(events)];
      await eventually(() => receiver.received.length === before + distinct.length);
      expect(receiver.eventIds.slice(before)).toEqual(distinct);
      // One event alone: the one in whose row the button is.
      const row = page.getByRole("row").filter({ has: page.getByRole("button", { name: "Redeliver" }) });
      const eventId = Number(await row.last().locator("[data-label=Event]").textContent());
      const one = asked();
      await row.last().getByRole("button", { name: "Redeliver" }).click();
      expect((await one).postDataJSON()).toEqual({ eventId });
      await eventually(() => receiver.received.length === before + distinct.length + 1);
      expect(receiver.eventIds.at(-1)).toBe(eventId);
      await press("Disable");
      await page.locator(".page-head .badge", { hasText: "disabled" }).waitFor();
      await press("Enable");
      await page.locator(".page-head .badge", { hasText: "enabled" }).waitFor();
      receiver.answer = () => 302;
      await press("Send test event");
      await page.locator("td .badge.bad", { hasText: "302" }).waitFor();
      expect(await page.locator("td .badge.good").allTextContents()).toContain("200");
      await press("Remove");
      await dialog.waitFor();
      await dialog.getByRole("button", { name: "Remove endpoint" }).click();
      await page.getByText(`The endpoint ${receiver.url} was removed.`).waitFor();
    },
    2 * PATIENCE,
  );
});
