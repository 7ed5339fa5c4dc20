import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { eventually } from "../support/eventually.ts";
import { useOperator, useService } from "../support/use-service.ts";
import { RECEIVERS_ALLOWED, WebhookReceiver } from "../support/webhook-receiver.ts";
import { hasChromium, launchChromium, PATIENCE } from "./chromium.ts";
import { buildConsole, choose, detailsIn, signIn } from "./console.ts";
import { ConsoleStates } from "./console-states.ts";

if (!hasChromium) console.log("skipped: the console tests need Chromium, which this machine does not have");

const NOW = Date.UTC(2026, 11, 2, 9, 41);
const HOUR = 3_600_000;
/** So many hours before and after now. */
const ago = (hours: number) => new Date(NOW - hours * HOUR).toISOString();
const later = (hours: number) => ago(-hours);

describe.skipIf(!hasChromium)("what the console shows of states that are rare", () => {
  beforeAll(buildConsole, PATIENCE);
  const service = useService({ store: "sqlite", now: NOW, env: RECEIVERS_ALLOWED });
  const { operator, client: admin } = useOperator(service, "admin");
  let browser: Browser;
  let page: Page;
  let receiver: WebhookReceiver;
  let states: ConsoleStates;
  beforeAll(async () => {
    const { body } = await admin.post("/admin/v1/keys", { name: "Mobile app", plan: "free" });
    const client = service.withSecret(body.secret);
    await admin.put("/admin/v1/categories/2", { name: "Cats" });
    await client.put("/v1/categories/1", { name: "Dogs" });
    for (let i = 0; i < 6; i++) await client.post("/v1/pets", { name: `Rex ${i}`, categoryId: 1 });
    await client.post("/v1/store/orders", { petId: 1 });
    await client.post("/v1/store/orders", { petId: 2 });
    await client.get("/v1/pets/1", { "User-Agent": "okhttp", "X-Request-Id": "known" });
    const alert = { type: "alert.disk_full", subject: "disks/of-a-test", message: "Full." } as const;
    await service.stores.alerts().change([alert], [], NOW);
    receiver = await new WebhookReceiver().start();
    const { webhook } = (await admin.post("/admin/v1/webhooks", { url: receiver.url, types: [] })).body;
    await admin.post(`/admin/v1/webhooks/${webhook.id}/test`, {});
    await admin.post("/admin/v1/backups", {});
    await eventually(async () => (await admin.get("/admin/v1/backups")).body.backups?.[0]?.verifiedAt != null);
    await eventually(async () => (await admin.get("/admin/v1/usage/keys?resolution=hour")).body.keys.length > 0);
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 }, timezoneId: "UTC", locale: "en-GB" });
    await page.clock.setFixedTime(NOW);
    states = new ConsoleStates(page, service.adminUrl, { KEY: body.key.id, WEBHOOK: webhook.id });
    await states.begin();
    await signIn(page, service.adminUrl, operator.token);
  }, PATIENCE);
  afterAll(async () => {
    await browser?.close();
    await receiver[Symbol.asyncDispose]();
  });

  const main = () => page.locator("main");
  const dialog = () => page.getByRole("dialog");

  test(
    "alerts: what to do stands with those that have not ended; the overview names each kind once",
    async () => {
      const [open, seen, ended] = [
        { type: "alert.error_rate", remedy: "Run `petstore open`." },
        { type: "alert.key_banned", state: "acknowledged", acknowledgedBy: "Grace", remedy: "See `petstore seen`." },
        { state: "ended", raisedAt: ago(5), endedAt: ago(3), remedy: "Run `petstore ended`." },
      ];
      await states.shows("alerts", { alerts: { alerts: [open, seen, ended] } }, "Many requests fail", "ended 3 h ago");
      await states.has("acknowledged by Grace");
      await states.hasNot("`", "petstore ended");
      expect(await main().locator("code").allTextContents()).toEqual(["petstore open", "petstore seen"]);
      expect(await states.tones()).toEqual(["bad open", "warn acknowledged", "quiet ended"]);
      expect(await main().getByRole("button", { name: "Acknowledge" }).count()).toBe(1);
      await states.shows("overview", { alerts: { alerts: [{}, {}, open] } });
      await states.has("3 open alerts: A disk is nearly full, Many requests fail.");
      await states.wasAsked("GET alerts?state=open");
    },
    PATIENCE,
  );

  test(
    "backups: the schedule, the bucket, what is known of each, and what is under way",
    async () => {
      const copy = { place: "s3", name: "b.db" };
      const list = [
        { ...copy, cause: "schedule", pets: null, verifiedAt: null, bytes: 2_500_000, createdAt: ago(2) },
        { cause: null, verifiedAt: ago(1), problem: "page 3 is damaged", pets: 1, orders: 1, keys: 2, bytes: 1_000 },
      ];
      const said = {
        ...{ everySeconds: 5_400, keep: 7, nextAt: later(1), bucket: "s3://copies/shop/", backups: list },
        failure: { kind: "restoration", reason: "no room", at: ago(1) },
        unreachable: [{ place: "s3", reason: "403" }],
      };
      await states.shows(
        "backups",
        { backups: said },
        "The last restoration failed: no room",
        "Bucket cannot be read: 403",
      );
      await states.has("by the schedule Bucket 2.5 MB unknown not verified");
      await states.has("without a description Directory 1 kB 1 pet, 1 order, 2 keys damaged page 3 is damaged");
      expect(await states.tones()).toEqual(["warn not verified", "bad damaged"]);
      expect(await detailsIn(page, "Schedule")).toMatchObject({
        ...{ Interval: "every 1 h 30 min, the last 7 are kept", Next: later(1), Bucket: "s3://copies/shop/" },
      });
      expect((await states.hrefs("Download"))[0]).toBe("/admin/v1/backups/s3/b.db");
      await states.press("Verify");
      await states.wasAsked("POST backups/s3/b.db/verify");
      await states.press("Restore");
      await states.submit("Restore into a new file");
      await states.wasAsked("POST backups/s3/b.db/restore");
      await states.press("Delete");
      await states.has("b.db is deleted from the bucket.", "dialog[open]");
      await states.submit("Delete backup");
      await states.wasAsked("DELETE backups/s3/b.db");
      for (const [kind, place, Now] of [
        ["restoration", "directory", "Restoring a backup into a new file…"],
        ["upload", "directory", "Checking an uploaded backup…"],
        ["verification", "directory", "Verifying a backup…"],
        ["backup", "s3", "Making a backup…"],
      ]) {
        await states.shows("backups", { backups: { job: { kind, place, name: null, startedAt: ago(0) } } }, Now ?? "");
      }
      await states.press("Upload");
      expect(await dialog().getByLabel("Backup").getAttribute("accept")).toBe(".db");
      expect(await dialog().getByLabel("Backup").getAttribute("required")).not.toBeNull();
    },
    PATIENCE,
  );

  test(
    "categories: one without pets, the first five of one, and an id that none can have",
    async () => {
      await states.shows("categories/2", {}, "No pet has this category.", "created the category Cats");
      await states.shows("categories/1", {}, "Rex 4 available");
      await states.hasNot("Rex 5");
      await states.shows("categories/-7", {}, "Pets may have it all the same.");
      expect(await main().getByRole("button", { name: "Create category" }).count()).toBe(1);
      await states.shows("categories/dogs", {}, "No category has this id");
      await states.hasNot("Pets may have it all the same.", "No pet has this category.");
      expect(await main().getByRole("button").count()).toBe(0);
    },
    PATIENCE,
  );

  test(
    "pets: what operators did with another thing of the same id is not among their changes",
    async () => {
      await states.shows("pets/2", {}, "No changes yet", "Created Rex 1");
      await states.hasNot("Cats");
      await states.wasAsked("GET audit?limit=10&target=2&action=pet.create%2Cpet.update%2Cpet.delete");
      await states.shows("pets/2", { events: { events: [], keptSince: null }, "pets/2": { status: "sold" } });
      await states.has("No change is kept.");
      await states.hasNot("Changes are kept since");
      expect((await states.tones())[0]).toBe("quiet sold");
      await states.shows("pets/rex", {}, "Pet not found");
      await states.hasNot("History", "Orders");
      await states.shows("pets?status=lost", {}, "6 pets");
      await admin.post("/admin/v1/pets", { name: "back\\slash", categoryId: 1 });
      await states.shows("pets?name=back%5C", {}, "1 pet");
    },
    PATIENCE,
  );

  test(
    "deprecation: the last days, how much of the period is over, and nothing",
    async () => {
      const getPet = { deprecatedAt: ago(24), removedAt: later(72), daysLeft: 1 };
      const callers = { callers: [{ userAgent: null, owner: null }] };
      await states.shows("deprecation", { deprecations: { operations: [getPet] }, "deprecations/callers": callers });
      await states.has("1 day left");
      await states.has("not sent");
      await states.hasNot("returns 410");
      const meter = main().getByRole("meter");
      const [elapsed, period] = [await meter.getAttribute("aria-valuenow"), await meter.getAttribute("aria-valuemax")];
      expect(Number(elapsed) / Number(period)).toBeCloseTo(0.25, 3);
      const dates = await main()
        .locator(".dates time")
        .evaluateAll((all) => all.map((one) => one.getAttribute("title")));
      expect(dates).toEqual(["2026-12-01 09:41:00 UTC", "2026-12-05 09:41:00 UTC"]);
      const over = { deprecatedAt: ago(72), removedAt: ago(24), daysLeft: 0, callers: 0 };
      await states.shows("deprecation", { deprecations: { operations: [over] } }, "0 days left");
      await states.has("The operation is removed and returns 410.");
      expect(await meter.getAttribute("aria-valuenow")).toBe(await meter.getAttribute("aria-valuemax"));
      await states.shows("deprecation", { deprecations: { operations: [] } }, "Nothing is deprecated");
    },
    PATIENCE,
  );

  test(
    "keys: each state has its color, those of Redis that does not answer are unknown, revoked ones cannot be selected",
    async () => {
      const window = (used: number, resetAt: string | null = null) => ({
        used,
        limit: 60,
        remaining: 60 - used,
        resetAt,
      });
      const usage = { minute: window(7), day: window(48), strikes: 1, bannedUntil: null };
      const keys = [
        {
          id: "a",
          name: "A",
          state: "banned",
          usage: { ...usage, bannedUntil: later(1) },
          owner: { name: "Ada", email: null },
        },
        { id: "b", name: "B", state: "expired", usage: null, owner: { name: null, email: "b@example.com" } },
        { id: "c", name: "C", state: "revoked", usage, owner: null },
      ];
      await states.shows("keys", { keys: { keys } }, "banned ends in 1 h", "unknown unknown");
      expect(await states.tones()).toEqual(["warn banned", "quiet expired", "bad revoked"]);
      expect([await states.hrefs("Ada"), await states.hrefs("b@example.com")]).toEqual([
        ["#/keys?owner=Ada"],
        ["#/keys?owner=b%40example.com"],
      ]);
      expect(await main().locator(".limit-bar").first().getAttribute("title")).toBe("7 of 60");
      const boxes = () =>
        main()
          .getByRole("checkbox")
          .evaluateAll((all) => all.map((one) => one.ariaLabel));
      expect(await boxes()).toEqual([null, "Select A", "Select B"]);
      await page.getByLabel("Select all on this page").check();
      await states.has("2 selected");
      await states.press("Clear selection");
      await states.has("Select all on this page");
      await states.shows("keys", { keys: { keys: keys.slice(2) } }, "revoked");
      expect(await page.getByLabel("Select all on this page").isDisabled()).toBe(true);
      await states.shows("keys?sort=owner", { keys: { keys } }, "No owner");
      const columns = await main().getByRole("columnheader").count();
      expect(await main().locator("tr.group th").first().getAttribute("colspan")).toBe(String(columns));
      await states.shows("keys?rehearsing=true", {}, "No matching keys");
      await page.getByLabel("Rehearsal").waitFor();

      const one = {
        state: "revoked",
        revokedAt: ago(2),
        usage: { ...usage, minute: window(7, later(2)), day: window(48, ago(1)) },
      };
      const nothing = { "keys/KEY/usage": { points: [] }, requests: { requests: [] } };
      await states.shows(
        "keys/KEY",
        { "keys/KEY": one, ...nothing },
        "1 strike.",
        "53 remaining resets in 2 h Per day",
      );
      await states.has("No requests in this time.");
      await states.has("The request history has none.");
      await states.wasAsked("GET requests?keyId=KEY&limit=5");
      expect((await states.text()).match(/resets/g)).toHaveLength(1);
      expect(await detailsIn(page, "Details")).toMatchObject({ Revoked: ago(2) });
      expect(await main().locator(".actions button").count()).toBe(0);
      const point = { requests: 3, byClass: { "2xx": 1, "4xx": 0, "429": 2, "5xx": 0 }, simulated: 0 };
      await states.shows("keys/KEY", { "keys/KEY/usage": { points: [point] } }, "3 requests, 2 rate limited");
      await states.hasNot("simulated");
    },
    PATIENCE,
  );

  test(
    "operators: one of the provider loses single sign-on",
    async () => {
      const list = [{}, { id: "op_b", name: "Bea", provider: "https://login.example.com", role: "viewer" }];
      await states.shows(
        "operators",
        { operators: { operators: list } },
        "op_b from https://login.example.com viewer active",
      );
      await states.press("Revoke");
      await states.has("Single sign-on of this operator is refused", "dialog[open]");
      await states.submit("Revoke Bea");
      await states.wasAsked("POST operators/op_b/revoke");
      const second = { id: "op_c", name: "Cleo", revokedAt: ago(1), role: "admin" };
      await states.shows("operators", { operators: { operators: [{}, second] } }, "admin revoked");
      expect(await states.tones()).toEqual(["good active", "bad revoked"]);
      // Nobody is left who could sign in.
      expect(await main().locator("tbody").getByRole("button").count()).toBe(0);
    },
    PATIENCE,
  );

  test(
    "orders: the color of each status, an order that does not know its pet, and one that expires",
    async () => {
      const orders = [{ status: "delivered" }, { status: "cancelled", pet: null, petId: 7, reference: "No. 9" }];
      await states.shows("orders", { orders: { orders } }, "Pet 7 No. 9");
      expect(await states.tones()).toEqual(["quiet delivered", "bad cancelled"]);
      expect(await states.hrefs("Pet 7")).toEqual(["#/pets/7"]);
      await states.shows("orders?id=2", {}, "Rex 1");
      await states.has("1 order");
      await states.shows("orders/1", { "orders/1": { pet: null, expiresAt: later(5) } }, "Expires");
      const details = await detailsIn(page, "Details");
      expect(details).toMatchObject({ Pet: "Pet 1", Expires: later(5) });
      expect(Object.keys(details)).not.toContain("Category");
    },
    PATIENCE,
  );

  test(
    "overview: what is not there is said, and the first rate is that of the last seconds",
    async () => {
      const nothing = { "usage/keys": { keys: [] }, "usage/plans": { plans: [] }, keys: { keys: [], total: 0 } };
      const byClass = { "2xx": 90, "4xx": 20, "429": 9, "5xx": 1 };
      const overview = {
        live: { seconds: 60.4, requests: 120, byClass, refusals: 30, bans: 1 },
        ...{ hour: { points: [] }, keys: { total: 5, active: 3, banned: 2, rehearsing: 0 } },
      };
      await states.shows("overview", { overview, ...nothing }, "No key was used.", "No request was counted by plan.");
      await states.has("None. A key that keeps sending requests after 429 responses is banned.");
      await states.has("Requests per second 1.99 120 in the last 60 s");
      await states.has("75.0 % 1 server error, 20 client errors Rate limited 30 25.0 % of requests, 1 ban Median");
      await states.has("5 total, 2 banned");
      await states.hasNot("rehearsing", "No requests yet");
      await states.wasAsked("GET keys?state=banned&limit=5");
      await states.press("Refusals");
      await states.has("No key was rate limited.");
      // Nothing in the last minute, but some in the month.
      const banned = { keys: { keys: [{ name: "B", usage: { bannedUntil: later(1) } }], total: 1 } };
      await states.shows("overview", { overview: { live: { requests: 0 } }, ...banned }, "Busiest keys");
      await states.has("B until 2 Dec 2026, 10:41:00 UTC");
      await states.hasNot("No requests yet");
    },
    PATIENCE,
  );

  test(
    "requests: failures, simulations and what has no key, and a history that is switched off",
    async () => {
      const limits = { minute: { limit: 60, remaining: 59 }, day: null };
      const requests = [
        { id: "1", status: 500, error: { code: "internal_error", message: "It failed." }, keyId: null, keyName: null },
        { id: "2", status: 499, keyId: "key_gone", keyName: null, simulated: "delay=2000", duration: 0.4567 },
        { id: "3", status: 399, duration: 12.345, error: null },
      ];
      await states.shows("requests", { requests: { requests } }, "500 internal_error", "none");
      expect(await states.tones()).toEqual(["bad 500", "warn 499", "good 399"]);
      expect(await states.hrefs("key_gone")).toEqual(["#/keys/key_gone"]);
      expect(await main().locator("[data-label=Error]").allTextContents()).toEqual([
        "internal_error ",
        " simulated",
        " ",
      ]);
      await states.has("0.46 ms");
      await states.has("12.3 ms");
      // A client may have sent an id more than once.
      const twice = [{ ...requests[1], limits }, { method: "POST" }];
      await states.shows("requests/known", { "requests/known": { requests: twice } }, "59 of 60", "POST /v1/pets/1");
      const details = await detailsIn(page, "GET /v1/pets/1");
      expect(details).toMatchObject({ Key: "key_gone Its requests", Simulated: "delay=2000", Duration: "0.46 ms" });
      expect(Object.keys(details)).not.toContain("Left this day");
      await states.shows("requests/known", { "requests/known": { requests: [{ ...requests[0], limits: null }] } });
      await states.has("None that is valid");
      await states.hasNot("Left this", "Simulated");
      const kept = (count: number, hours: number) => ({ requests: { kept: { requests: count, hours, share: 1 } } });
      await states.shows(
        "requests",
        kept(0, 24),
        "The request history is switched off: PETSTORE_REQUEST_HISTORY is 0.",
      );
      await states.shows("requests", kept(2_000, 1), "The last 2,000 requests to the API of 1 hour,");
      await states.shows("requests/never", {}, "Request not found");
      expect([await states.hrefs("the latest requests"), await states.hrefs("audit log")]).toEqual([
        ["#/requests"],
        ["#/audit"],
      ]);
    },
    PATIENCE,
  );

  test(
    "webhooks: one that fails, one that is disabled, and each kind of answer",
    async () => {
      const list = [{ state: "failing" }, { state: "disabled", types: ["pet.created", "order.placed"] }];
      await states.shows("webhooks", { webhooks: { webhooks: list } }, "all events", "pet.created, order.placed");
      expect(await states.tones()).toEqual(["warn failing", "bad disabled"]);
      const failing = { state: "failing", failures: 2, nextAttemptAt: later(1) };
      const answers = [200, 299, 300, 199, null].map((status, id) => ({
        id,
        eventId: id,
        status,
        error: "late",
        attempt: 3,
      }));
      const deliveries = { deliveries: [...answers, { id: 9, eventId: null, status: 204, milliseconds: 20 }] };
      await states.shows("webhooks/WEBHOOK", {
        "webhooks/WEBHOOK": failing,
        "webhooks/WEBHOOK/deliveries": deliveries,
      });
      await states.has("none late");
      expect(await states.tones("td")).toEqual(["good 200", "good 299", "bad 300", "bad 199", "bad none", "good 204"]);
      expect((await detailsIn(page, "Details"))["Next attempt"]).toBe(`${later(1)}, after 2 failures`);
      expect(await main().locator("td").getByRole("button", { name: "Redeliver" }).count()).toBe(answers.length);
      const disabled = { state: "disabled", disabledAt: ago(1), disabledReason: "Gone.", failures: 0 };
      await states.shows("webhooks/WEBHOOK", { "webhooks/WEBHOOK": disabled }, "Gone.");
      expect((await detailsIn(page, "Details")).Disabled).toBe(`${ago(1)}: Gone.`);
      await choose(page, "Enable");
      await states.wasAsked("POST webhooks/WEBHOOK/enable");
      await states.has("Done.", "#announcement");
    },
    PATIENCE,
  );
});
