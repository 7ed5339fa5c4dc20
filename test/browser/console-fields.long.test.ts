import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { publicErrors } from "../../src/domain/errors.ts";
import { MAX_REQUESTS, MAX_SCHEDULE_SEED } from "../../src/domain/keys/simulation.ts";
import { useOperator, useService } from "../support/use-service.ts";
import { RECEIVERS_ALLOWED } from "../support/webhook-receiver.ts";
import { hasChromium, launchChromium, PATIENCE } from "./chromium.ts";
import { buildConsole, choose, detailsIn, goTo, signIn } from "./console.ts";
import { ConsoleStates } from "./console-states.ts";

if (!hasChromium) console.log("skipped: the console tests need Chromium, which this machine does not have");

const TOO_LONG = "W".repeat(1_001);

describe.skipIf(!hasChromium)("the fields of the console", () => {
  beforeAll(buildConsole, PATIENCE);
  const env = { ...RECEIVERS_ALLOWED, PETSTORE_DEPLOYMENT: "staging" };
  const service = useService({ store: "sqlite", now: Date.now(), env });
  const { operator, client: admin } = useOperator(service, "admin");
  let browser: Browser;
  let page: Page;
  let states: ConsoleStates;
  let path = "";
  beforeAll(async () => {
    const { key } = (await admin.post("/admin/v1/keys", { name: "Mobile app", plan: "free" })).body;
    path = `/admin/v1/keys/${key.id}`;
    await admin.put("/admin/v1/categories/1", { name: "Dogs" });
    const endpoint = { url: "http://127.0.0.1:9/", types: [] };
    const { webhook } = (await admin.post("/admin/v1/webhooks", endpoint)).body;
    const alert = { type: "alert.disk_full", subject: "disks/of-a-test", message: "Full." } as const;
    await service.stores.alerts().change([alert], [], service.now);
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 }, timezoneId: "UTC", locale: "en-GB" });
    states = new ConsoleStates(page, service.adminUrl, { KEY: key.id, WEBHOOK: webhook.id });
    await states.begin();
    await signIn(page, service.adminUrl, operator.token);
  }, PATIENCE);
  afterAll(() => browser?.close());

  const main = () => page.locator("main");
  const dialog = () => page.getByRole("dialog");
  const field = (label: string) => dialog().getByLabel(label, { exact: true });
  const open = async (at: string, opener: string) => {
    await states.shows(at, {});
    await choose(page, opener);
    await dialog().waitFor();
  };
  /** The labels of the fields of the dialog that match. */
  const labels = (selector: string) =>
    dialog()
      .locator(selector)
      .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).labels?.[0]?.textContent ?? "none"));

  const limits = { Plan: "enterprise", "Requests per minute": "1", "Requests per day": "1" };
  const share = { "Simulated answer": "internal_error", Requests: "percent", Percent: "1", Seed: "1" };
  const endpoint = { URL: "https://a.example.com/" };
  test.each([
    ["keys", "Create key", {}, { Name: TOO_LONG }],
    ["keys", "Create key", { Name: "A" }, { Owner: "<Ada>" }],
    ["keys", "Create key", { Name: "A" }, { "Owner's e-mail": `${TOO_LONG}@example.com` }],
    ["keys", "Create key", { Name: "A" }, { Note: TOO_LONG }],
    ["keys", "Create key", { Name: "A", ...limits }, { "Requests per minute": "9999999999" }],
    ["keys", "Create key", { Name: "A", ...limits }, { "Requests per day": "9999999999" }],
    ["keys", "Create key", { Name: "A", Expires: "custom" }, { "Date and time": "2001-02-03T04:05" }],
    ["keys/KEY", "Rehearse", {}, { "Simulated answer": "teapot" }],
    ["keys/KEY", "Rehearse", { "Simulated answer": "internal_error" }, { "Number of requests": "9999999" }],
    ["keys/KEY", "Rehearse", { "Simulated answer": "internal_error", Requests: "every" }, { "One in": "9999999" }],
    ["keys/KEY", "Rehearse", share, { Percent: "101" }],
    ["keys/KEY", "Rehearse", share, { Seed: "9999999999" }],
    ["pets", "Add pet", { "Category id": "1" }, { Name: TOO_LONG }],
    ["pets", "Add pet", { Name: "A" }, { "Category id": "9999999999999999999" }],
    ["categories", "Create category", {}, { Name: TOO_LONG }],
    ["operators", "Create operator", {}, { Name: TOO_LONG }],
    ["webhooks", "Create endpoint", endpoint, { Types: "pets" }],
    ["webhooks", "Create endpoint", endpoint, { Description: TOO_LONG }],
    ["webhooks", "Create endpoint", {}, { URL: "http://a.example.com/" }],
    ["webhooks/WEBHOOK", "Redeliver", {}, { "After the event": "last" }],
  ] as [string, string, Record<string, string>, Record<string, string>][])(
    "%s: %s marks what the service refuses",
    async (at, opener, before, refused) => {
      states.areMade = true;
      await open(at, opener);
      for (const [label, value] of Object.entries({ ...before, ...refused })) {
        if (["Plan", "Requests", "Expires"].includes(label)) await field(label).selectOption(value);
        else await field(label).fill(value);
      }
      expect(await labels("[aria-invalid=true]")).toEqual([]);
      await dialog().locator("[type=submit]").click();
      await dialog().getByRole("alert").waitFor();
      expect(await labels("[aria-invalid=true]")).toEqual(Object.keys(refused));
      await page.reload();
      states.areMade = false;
    },
    PATIENCE,
  );

  test(
    "a form asks for what a request needs, and for no more",
    async () => {
      const required: [at: string, opener: string, fields: string[]][] = [
        ["keys", "Create key", ["Name"]],
        ["keys/KEY", "Rename", ["Name"]],
        ["keys/KEY", "Change owner", []],
        ["keys/KEY", "Rehearse", ["Simulated answer", "Number of requests"]],
        ["operators", "Create operator", ["Name"]],
        ["pets", "Add pet", ["Name", "Category id"]],
        ["pets", "Import", ["File"]],
        ["categories", "Create category", ["Name"]],
        ["categories/1", "Rename", ["Name"]],
        ["webhooks", "Create endpoint", ["URL"]],
        ["webhooks/WEBHOOK", "Edit", ["URL"]],
        ["webhooks/WEBHOOK", "Redeliver", ["After the event"]],
        ["service", "Reset staging", []],
      ];
      for (const [at, opener, fields] of required) {
        await open(at, opener);
        expect([at, opener, ...(await labels("[required]"))]).toEqual([at, opener, ...fields]);
        await page.keyboard.press("Escape");
        await dialog().waitFor({ state: "detached" });
      }
      await open("keys", "Create key");
      const isValid = async (label: string, value: string) => {
        await field(label).fill(value);
        return !(await field(label).evaluate((input) => input.matches(":invalid")));
      };
      expect(await isValid("Owner's e-mail", "nobody")).toBe(false);
      await field("Plan").selectOption("enterprise");
      await field("Expires").selectOption("custom");
      expect(await labels("[required]")).toEqual(["Name", "Requests per minute", "Requests per day", "Date and time"]);
      await open("keys/KEY", "Rehearse");
      for (const value of ["1", String(MAX_REQUESTS)]) expect(await isValid("Number of requests", value)).toBe(true);
      for (const value of ["0", "", "1.5", "-1"]) expect(await isValid("Number of requests", value)).toBe(false);
      await field("Requests").selectOption("percent");
      for (const value of ["0", String(MAX_SCHEDULE_SEED)]) expect(await isValid("Seed", value)).toBe(true);
      for (const value of ["", "1.5", "-1"]) expect(await isValid("Seed", value)).toBe(false);
      // What is suggested is an answer that the service takes.
      const suggested = await dialog()
        .locator("datalist option")
        .evaluateAll((all) => all.map((one) => one.getAttribute("value") ?? ""));
      expect(suggested).toEqual(expect.arrayContaining(Object.keys(publicErrors)));
      expect(suggested.length).toBeGreaterThan(Object.keys(publicErrors).length);
      for (const answer of suggested)
        expect([answer, (await admin.put(`${path}/simulation`, { answer, next: 1 })).status]).toEqual([answer, 200]);
      await admin.delete(`${path}/simulation`);
    },
    PATIENCE,
  );

  test(
    "a request has what was entered, and what a form begins with",
    async () => {
      const sends = async (label: string, request: string, body: object) => {
        await dialog().getByRole("button", { name: label, exact: true }).click();
        await states.wasAsked(`${request} ${JSON.stringify(body)}`);
        await page.reload();
      };
      const scopes = ["pets:read", "pets:write", "orders:read", "orders:write", "events:read"];
      await open("keys", "Create key");
      await field("Name").fill("A");
      await sends("Create key", "POST keys", { name: "A", plan: "free", scopes });
      await open("keys", "Create key");
      for (const [label, value] of Object.entries({
        Name: "A",
        Owner: "B",
        "Owner's e-mail": "c@example.com",
        Note: "D",
      }))
        await field(label).fill(value);
      await field("Plan").selectOption("enterprise");
      await field("Requests per minute").fill("70");
      await field("Requests per day").fill("800");
      await dialog().getByLabel("Rotate its own secret").check();
      await dialog().getByLabel("Read orders").uncheck();
      await sends("Create key", "POST keys", {
        ...{ name: "A", plan: "enterprise", limits: { perMinute: 70, perDay: 800 } },
        scopes: ["pets:read", "pets:write", "orders:write", "events:read", "key:rotate"],
        ...{ owner: { name: "B", email: "c@example.com" }, note: "D" },
      });
      await open("keys/KEY", "Change scopes");
      await dialog().getByLabel("Read pets").uncheck();
      await sends("Change scopes", "PATCH keys/KEY", { scopes: scopes.slice(1) });
      await open("keys/KEY", "Change owner");
      await field("Owner's e-mail").fill("c@example.com");
      await sends("Change owner", "PATCH keys/KEY", { owner: { email: "c@example.com" }, note: null });
      await open("keys/KEY", "Change expiry");
      await sends("Change expiry", "PATCH keys/KEY", { expiresAt: null });
      await states.shows("keys", {});
      await page.getByLabel("Select Mobile app").check();
      await choose(page, "Change plan");
      await field("Plan").selectOption("enterprise");
      await field("Requests per minute").fill("70");
      await field("Requests per day").fill("800");
      await sends("Change plan: 1 key", "PATCH keys/KEY", {
        plan: "enterprise",
        limits: { perMinute: 70, perDay: 800 },
      });
      for (const role of ["viewer", "admin"]) {
        await open("operators", "Create operator");
        await field("Name").fill("Grace");
        if (role === "admin") await field("Role").selectOption(role);
        await sends("Create operator", "POST operators", { name: "Grace", role });
      }
      await open("categories/77", "Create category");
      await field("Name").fill("Birds");
      await sends("Create category", "PUT categories/77", { name: "Birds" });
      await open("pets", "Add pet");
      await field("Name").fill("Rex");
      await field("Category id").fill("1");
      await sends("Add pet", "POST pets", { name: "Rex", categoryId: 1, status: "available" });
    },
    PATIENCE,
  );

  test(
    "a list goes on with its cursor, in the time range and with the filters that are set",
    async () => {
      const turns = async (at: string, given: Record<string, object>, list: string, request: string) => {
        await states.shows(at, given);
        const pager = main().getByRole("navigation", { name: `Pages of ${list}` });
        await pager.getByRole("button", { name: "Next" }).click();
        await states.wasAsked(`GET ${request}`);
      };
      const created = { audit: { next: "77" } };
      await turns("audit?action=key.create", created, "changes", "audit?limit=50&before=77&action=key.create");
      const at = new Date().toISOString();
      const order = { id: 9, petId: 1, pet: null, status: "placed", createdAt: at, updatedAt: at };
      const orders = { orders: { orders: [order], next: "77" } };
      await turns("pets/1", orders, "orders", "orders?limit=10&after=77&petId=1&order=desc");
      const entry = {
        id: 9,
        at,
        operator: { id: null, name: "cron" },
        action: "pet.delete",
        target: "1",
        requestId: null,
      };
      const changes = { audit: { entries: [{ ...entry, before: null, after: null }], next: "77" } };
      const ofPet = "target=1&action=pet.create%2Cpet.update%2Cpet.delete";
      await turns("pets/1", changes, "changes", `audit?limit=10&before=77&${ofPet}`);
      const filters =
        "operator=Ada&action=key.create&target=key_1&from=2026-01-01T00%3A00%3A00Z&to=2099-01-01T00%3A00%3A00Z";
      await states.shows(`audit?${filters}&after=77`, {});
      await choose(page, "Export");
      const file = dialog().getByRole("link", { name: "Export" });
      expect(await file.getAttribute("href")).toBe(`/admin/v1/audit/export?format=ndjson&${filters}`);
      await states.shows("keys/KEY", {});
      await states.wasAsked("GET keys/KEY/usage?resolution=minute&points=60");
      await states.press("30 days");
      await states.wasAsked("GET keys/KEY/usage?resolution=day&points=30");
    },
    PATIENCE,
  );

  test(
    "each filter says what it takes",
    async () => {
      const expected: Record<string, Record<string, string>> = {
        keys: { Search: "Name, id, owner, last four", Owner: "Name or e-mail" },
        pets: { Name: "Beginning of the name", Id: "Id of the pet", Category: "Id of the category" },
        categories: { Name: "Whole name" },
        orders: { Pet: "Id of the pet", Reference: "Whole reference", Order: "Id of the order" },
        requests: {
          "What did my call do?": "Paste the X-Request-Id of its response",
          Key: "Name, id or owner",
        },
        audit: { Operator: "Name or id", Target: "Id" },
      };
      for (const [at, fields] of Object.entries(expected)) {
        await goTo(page, `#/${at}`);
        await main().locator("[placeholder]").first().waitFor();
        const found = await main()
          .locator("[placeholder]")
          .evaluateAll((all) =>
            all.map((one) => [(one as HTMLInputElement).labels?.[0]?.textContent, one.getAttribute("placeholder")]),
          );
        expect([at, Object.fromEntries(found)]).toEqual([at, fields]);
      }
    },
    PATIENCE,
  );

  test(
    "the audit log names each field of what changed, and leads to it",
    async () => {
      const fields: [after: object, label: string, shown: string][] = [
        [{ owner: { name: "Ada" } }, "owner", "Ada"],
        [{ owner: { email: "a@example.com" } }, "owner's e-mail", "a@example.com"],
        [{ limits: { perMinute: 70 } }, "per minute", "70"],
        [{ limits: { perDay: 80 } }, "per day", "80"],
        [{ expiresAt: "soon" }, "expires", "soon"],
        [{ revokedAt: "soon" }, "revoked", "soon"],
        [{ disabledAt: "soon" }, "disabled", "soon"],
        [{ bannedUntil: "soon" }, "banned until", "soon"],
        [{ pardonedAt: "soon" }, "unbanned", "soon"],
        [{ lastFour: "abcd" }, "secret ends in", "abcd"],
        [{ othersExpireAt: "soon" }, "old secrets expire", "soon"],
        [{ simulation: { answer: "delay=1" } }, "simulated answer", "delay=1"],
        [{ simulation: { schedule: { next: 3 } } }, "next requests", "3"],
        [{ simulation: { schedule: { every: 4 } } }, "one in", "4"],
        [{ simulation: { schedule: { percent: 5 } } }, "percent", "5"],
        [{ simulation: { schedule: { seed: 6 } } }, "seed", "6"],
        [{ simulation: { startedAt: "soon" } }, "started", "soon"],
        [{ simulation: { requests: 7 } }, "requests", "7"],
        [{ isWhole: true }, "complete", "yes"],
        [{ line: 8 }, "last line", "8"],
        [{ fromLine: 9 }, "first line", "9"],
        [{ endedAt: "soon" }, "ended", "soon"],
        [{ replaceStatus: false }, "replace status", "no"],
        [{ statusKept: 10 }, "status kept", "10"],
        [{ before: "soon" }, "older than", "soon"],
      ];
      const entry = { before: null, target: "key_1", action: "key.update", operator: { id: "op_1", name: "Ada" } };
      const entries = fields.map(([after], id) => ({ ...entry, id, after: new Map(Object.entries(after)) }));
      await states.shows("audit", { audit: { entries, next: null } }, "25 changes");
      const shown = await main()
        .locator(".changes")
        .evaluateAll((all) => all.map((one) => [...one.querySelectorAll("dt, dd")].map((part) => part.textContent)));
      expect(shown).toEqual(fields.map(([, label, value]) => [label, value]));
      const targets = {
        pet: "pets/7",
        category: "categories/7",
        order: "orders/7",
        webhook: "webhooks/7",
        key: "keys/7",
      };
      const of = Object.keys(targets).map((kind, id) => ({
        ...entry,
        id,
        action: `${kind}.update`,
        target: "7",
        after: new Map(),
      }));
      await states.shows("audit", { audit: { entries: of, next: null } }, "5 changes");
      expect(await states.hrefs("7")).toEqual(Object.values(targets).map((target) => `#/${target}`));
    },
    PATIENCE,
  );

  test(
    "service: another store, a Redis that has lost a key, no disk and no settings",
    async () => {
      const redis = { configured: true, ok: true, latencyMs: 1.5, eviction: "observed" };
      const state = { database: { engine: "postgres", ok: true, latencyMs: null }, redis };
      const settings = { database: { location: null, bytes: null }, disk: null, settings: [] };
      await states.shows("service", { state, settings }, "Redis has lost a key before it expired.");
      expect(await states.tones()).toEqual(["good healthy", "good healthy", "warn limits may be exceeded"]);
      expect(await detailsIn(page, "Dependencies")).toMatchObject({ PostgreSQL: "healthy", Redis: "healthy 1.5 ms" });
      expect(await detailsIn(page, "Storage")).toEqual({
        ...{ Database: "in memory", "Free disk": "the database has none here" },
      });
      await states.has("None is set.");
      const defaults = [{ name: "REDIS_URL", value: null, source: "default" }];
      await states.shows("service", { settings: { settings: defaults } }, "None is set.");
      await page.getByText("Settings by default").click();
      await states.has("REDIS_URL not set default");
    },
    PATIENCE,
  );

  test(
    "a viewer can select, acknowledge and create nothing, and sees neither operators nor backups",
    async () => {
      const other = await browser.newPage();
      await signIn(other, service.adminUrl, (await service.withOperator("viewer", "Vera")).token);
      const shown = async (at: string, text: string) => {
        await goTo(other, `#/${at}`);
        await other.locator("main").getByText(text).first().waitFor();
        expect([at, await other.locator("main").getByRole("checkbox").count()]).toEqual([at, 0]);
        expect([at, await other.locator("main").getByRole("button").allTextContents()]).toEqual([at, []]);
      };
      await shown("alerts", "A disk is nearly full");
      await shown("keys", "Mobile app");
      await shown("webhooks", "http://127.0.0.1:9/");
      await shown("categories", "Dogs");
      await shown("categories/77", "No category has this id");
      await shown("operators", "Only admins see the operators");
      await shown("backups", "Only admins see the backups");
      await other.close();
    },
    PATIENCE,
  );
});
