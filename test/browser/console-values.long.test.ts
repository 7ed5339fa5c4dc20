import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { formatPercent } from "../../console/src/format.ts";
import { type AlertType, MAX_OPEN } from "../../src/domain/alerts.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { useOperator, useService } from "../support/use-service.ts";
import { hasChromium, intercept, launchChromium, PATIENCE } from "./chromium.ts";
import { buildConsole, choose, detailsIn, goTo, settled, signIn } from "./console.ts";

if (!hasChromium) console.log("skipped: the console tests need Chromium, which this machine does not have");

/** Three pages of each list. */
const COUNT = 120;
const CALLS = 110;

type Item = Record<string, unknown>;
/** What a row of a table shows, by the label of the cell: its text, and the time that it stands for. */
type Row = { title: string; cells: Record<string, string>; times: Record<string, string | null> };

/** Where a list is in the console and in the API, and what a row has for an item. No two figures of an item are equal. */
type List = {
  page: string;
  query: string;
  items: string;
  title: (item: Item) => string;
  cells: (item: Item) => Record<string, string>;
  times?: (item: Item) => Record<string, unknown>;
};

type PlanUsage = { plan: string; requests: number; byClass: Record<string, number>; refusals: number };

const count = (value: unknown) => Number(value).toLocaleString("en");
const windowOf = (usage: unknown, name: string) => {
  const { used, limit } = Object(usage)[name];
  return `${count(used)} / ${count(limit)}`;
};

const lists: List[] = [
  {
    page: "keys?search=Key+no.",
    query: "keys?limit=50&search=Key+no.",
    items: "keys",
    title: ({ name, id, lastFour }) => `${name}${id} …${lastFour}`,
    cells: ({ owner, plan, usage, state }) => ({
      "": String(state),
      Owner: `${Object(owner).name} ${Object(owner).email}`,
      Plan: String(plan).replace(/^./, (letter) => letter.toUpperCase()),
      "Per minute": windowOf(usage, "minute"),
      "Per day": windowOf(usage, "day"),
    }),
    times: ({ lastUsedAt }) => ({ "Last used": lastUsedAt }),
  },
  {
    page: "pets",
    query: "pets?limit=50",
    items: "pets",
    title: ({ name }) => String(name),
    cells: ({ id, categoryId, status }) => ({
      Id: String(id),
      Category: `Category ${categoryId} ${categoryId}`,
      "": String(status),
    }),
  },
  {
    page: "categories",
    query: "categories?limit=50",
    items: "categories",
    title: ({ name }) => String(name),
    cells: ({ id }) => ({ Id: String(id) }),
  },
  {
    page: "orders",
    query: "orders?limit=50&order=desc",
    items: "orders",
    title: ({ id }) => `Order ${id}`,
    cells: ({ petId, pet, status, reference }) => ({
      ...{ Pet: `${Object(pet).name} ${petId}`, "": String(status), Reference: String(reference) },
    }),
    times: ({ createdAt, updatedAt }) => ({ Placed: createdAt, "Last change": updatedAt }),
  },
  {
    page: "requests?status=4xx",
    query: "requests?limit=50&status=4xx",
    items: "requests",
    title: ({ method, path }) => `${method} ${path}`,
    cells: ({ status, error, keyName }) => ({
      "": String(status),
      Error: String(Object(error).code),
      Key: String(keyName ?? "none"),
    }),
    times: ({ at }) => ({ Time: at }),
  },
  {
    page: "deprecation",
    query: "deprecations/callers?operation=getPet&limit=50",
    items: "callers",
    title: ({ keyName, owner }) => `${keyName}${Object(owner).name} ${Object(owner).email}`,
    cells: ({ calls, userAgent }) => ({ Calls: count(calls), "User agent": String(userAgent) }),
    times: ({ lastCalledAt }) => ({ "Last call": lastCalledAt }),
  },
  {
    page: "alerts?state=ended",
    query: "alerts?limit=50&state=ended",
    items: "alerts",
    title: ({ type, message }) => `${ALERTS[String(type)]}${message}`,
    cells: () => ({}),
    times: ({ raisedAt }) => ({ Raised: raisedAt }),
  },
];

const ALERTS: Record<string, string> = {
  "alert.backup_failed": "A backup failed",
  "alert.key_banned": "A key was banned",
  "alert.webhook_disabled": "A webhook endpoint was disabled",
};

/** One is ahead of UTC by 5:45 h, the other behind it by 3:30 h. */
describe.skipIf(!hasChromium).each(["Asia/Kathmandu", "America/St_Johns"])("a browser in %s", (timezoneId) => {
  beforeAll(buildConsole, PATIENCE);
  const service = useService({ now: Date.now() - 3_600_000 });
  const { operator, client: admin } = useOperator(service, "admin");
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    const names = Array.from({ length: COUNT }, (_, at) => at + 1);
    const { secret } = await service.createKey();
    const client = service.withSecret(secret);
    for (const at of names) {
      await admin.put(`/admin/v1/categories/${1000 + at}`, { name: `Category ${1000 + at}` });
      await client.post("/v1/pets", { name: `Pet no. ${at}`, categoryId: 1000 + COUNT + 1 - at });
      await service.advance({ seconds: 1 });
      const order = await client.post("/v1/store/orders", { petId: at, reference: `No. ${at}` });
      await service.advance({ seconds: 1 });
      if (at % 2 === 0) await client.patch(`/v1/store/orders/${order.body.id}`, { status: "approved" });
      await client.request(`/v1/pets/${500 + at}`, { method: "DELETE" });
    }
    for (const at of names.slice(0, CALLS)) {
      const limits = { perMinute: 2_000 + at, perDay: 5_000 + at };
      const owner = { name: `Owner ${at}`, email: `owner-${at}@example.com` };
      const created = await admin.post("/admin/v1/keys", { name: `Key no. ${at}`, plan: "enterprise", limits, owner });
      const caller = service.withSecret(created.body.secret);
      for (let call = 0; call <= at % 3; call++) await caller.get("/v1/pets/1", { "User-Agent": `client/${at}` });
      await service.advance({ seconds: 1 });
    }
    // A plan of which other shares are successful and refused, and requests without a key.
    const free = service.withSecret((await service.createKey({ plan: "free" })).secret);
    for (let call = 0; call < 64; call++) await free.get(call < 5 ? "/v1/pets?limit=1" : "/v1/store/orders/99999");
    await service.anonymous().get("/v1/pets");
    const alerts = service.stores.alerts();
    // As many of a type as may be open at a time.
    for (const [at, type] of (Object.keys(ALERTS) as AlertType[]).entries()) {
      const raised = names.slice(0, MAX_OPEN).map((number) => ({
        ...{ type, subject: `tests/${number}`, message: `Number ${number} of ${type}.` },
      }));
      await alerts.change(raised, [], Date.now() - 60_000 * (9 - at));
      const open = await alerts.open();
      await alerts.change(
        [],
        open.map(({ id }) => id),
        Date.now() - 60_000 * (8 - at),
      );
    }
    await service.setClock(Date.now());
    // What is known of the last use is written in the background.
    await eventually(async () =>
      (await all("keys?limit=50&search=Key+no.", "keys")).pages.flat().every((key) => key.lastUsedAt),
    );
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 }, timezoneId, locale: "en-GB" });
    await signIn(page, service.adminUrl, operator.token);
  }, 2 * PATIENCE);
  afterAll(() => browser?.close());

  /** The rows of the table of the page, as they are. */
  const rows = () =>
    page.evaluate<Row[]>(`[...document.querySelectorAll("main table tbody tr")].map((row) => {
      const cells = [...row.querySelectorAll("td")];
      const named = (of) => Object.fromEntries(cells.map((cell) => [cell.dataset.label ?? "", of(cell)]));
      return {
        title: row.querySelector("th").textContent,
        cells: named((cell) => cell.textContent.trim()),
        times: named((cell) => cell.querySelector("time")?.getAttribute("datetime") ?? null),
      };
    })`);
  const all = async (query: string, items: string) => {
    const found: Item[][] = [];
    let total: unknown;
    for (let next: unknown = null; found.length === 0 || next !== null; ) {
      const cursor = /^(requests|alerts)/.test(query) ? "before" : "after";
      const { body } = await admin.get(`/admin/v1/${query}${next === null ? "" : `&${cursor}=${next}`}`);
      found.push(body[items]);
      ({ next, total } = body);
    }
    return { pages: found, total };
  };

  test.each(lists)(
    "$page: each page has the items of the API, each cell its own value, and back leads back",
    async ({ page: path, query, items, title, cells, times = () => ({}) }) => {
      await goTo(page, `#/${path}`);
      const { pages, total } = await all(query, items);
      expect(pages.map(({ length }) => length).slice(0, 2)).toEqual([50, 50]);
      expect(pages.length).toBeGreaterThanOrEqual(3);
      const pager = (name: string) => page.getByRole("button", { name, exact: true });
      // The callers are counted beside their list.
      const known = items === "callers" ? CALLS : total;
      const ofTotal = known == null ? "" : ` of ${count(known)}`;
      const shown = async (at: number) => {
        const expected = pages[at] ?? [];
        // Another page may begin with the same title.
        const range = `${50 * at + 1}–${50 * at + expected.length}${ofTotal}`;
        await page.locator(".pager [role=status]").getByText(range, { exact: true }).waitFor();
        // The rows follow their range.
        const isThere = ({ title: shown, times: at }: Row, item: Item = {}) =>
          shown === title(item) && Bun.deepEquals({ ...at, ...times(item) }, at);
        await eventually(async () => {
          const found = await rows();
          return found.length === expected.length && found.every((row, place) => isThere(row, expected[place]));
        });
        // The names of categories come after the pets.
        if (path === "pets")
          await eventually(async () => (await rows()).every((row) => !/^\d+$/.test(row.cells.Category ?? "")));
        const found = await rows();
        expect(found.map((row) => row.title)).toEqual(expected.map(title));
        for (const [at, item] of expected.entries()) {
          expect(found[at]?.cells).toMatchObject(cells(item));
          expect(found[at]?.times).toMatchObject(times(item));
        }
      };
      for (const at of pages.keys()) {
        await shown(at);
        if (at < pages.length - 1) await pager("Next").click();
      }
      expect(await pager("Next").isDisabled()).toBe(true);
      await pager("Previous").click();
      await shown(pages.length - 2);
    },
    PATIENCE,
  );

  test(
    "a page that is under way is neither skipped nor asked for twice",
    async () => {
      await goTo(page, "#/pets");
      const held = Promise.withResolvers<void>();
      let asked = 0;
      await intercept(page, "**/admin/v1/pets?*after=*", async (route) => {
        asked += 1;
        await held.promise;
        await route.continue();
      });
      const pager = (name: string) => page.getByRole("button", { name, exact: true });
      await pager("Next").click();
      await page.locator(".content.stale").waitFor();
      expect([await pager("Next").isDisabled(), await pager("Previous").isDisabled()]).toEqual([true, true]);
      held.resolve();
      await page.getByRole("status").getByText("51–100", { exact: false }).waitFor();
      await page.locator(".content.stale").waitFor({ state: "detached" });
      expect([await pager("Next").isDisabled(), await pager("Previous").isDisabled()]).toEqual([false, false]);
      expect(asked).toBe(1);
      await page.unroute("**/admin/v1/pets?*after=*");
    },
    PATIENCE,
  );

  test(
    "the plans, the busiest keys, the pets and the orders of the overview are those of the API",
    async () => {
      states(
        "docs/console.md",
        "the busiest keys, and those that are refused most; requests by plan and by operation; pets and orders by status.",
      );
      const get = async (path: string) => (await admin.get(`/admin/v1/${path}`)).body;
      await goTo(page, "#/overview");
      const texts = (panel: string, item: string) =>
        page.evaluate<string[]>(`[...document.querySelectorAll("main section.panel")]
          .filter((one) => one.querySelector("h2").textContent === ${JSON.stringify(panel)})
          .flatMap((one) => [...one.querySelectorAll(${JSON.stringify(item)})])
          .map((one) => [...one.children].map((part) => part.textContent.trim()).join(" | "))`);
      const is = (panel: string, item: string, expected: () => Promise<string[]>, least = 0) =>
        eventually(async () => {
          const shown = await texts(panel, item);
          return shown.length >= least && shown.join("\n") === (await expected()).join("\n");
        });
      const named = (plan: unknown) =>
        plan === "none" ? "No valid key" : String(plan).replace(/^./, (letter) => letter.toUpperCase());
      await page.getByRole("button", { name: "24 hours", exact: true }).click();
      const ofPlans = async () => {
        const { plans } = await get("usage/plans?resolution=hour&points=24");
        const total = plans.reduce((sum: number, { requests }: { requests: number }) => sum + requests, 0);
        return plans.flatMap(({ plan, requests, byClass, refusals }: PlanUsage) =>
          requests === 0
            ? []
            : [
                [
                  ...[named(plan), `${count(requests)}${formatPercent(requests, total)}`],
                  ...[formatPercent(byClass["2xx"] ?? 0, requests), count(refusals)],
                ].join(" | "),
              ],
        );
      };
      // With keys of two plans, and without a key.
      await is("Plans", "tbody tr", ofPlans, 3);
      for (const [choice, sort] of [
        ["Requests", "requests"],
        ["Refusals", "refusals"],
      ] as const) {
        await page.getByRole("button", { name: choice, exact: true }).click();
        await is("Busiest keys", "tbody tr", async () => {
          const { keys } = await get(`usage/keys?resolution=hour&points=24&limit=10&sort=${sort}`);
          return keys.map(
            ({ keyName, plan, requests, refusals }: Record<string, unknown>) =>
              `${keyName} ${named(plan)} | ${count(requests)} | ${count(refusals)}`,
          );
        });
      }
      const { pets, orders } = await get("overview");
      await is("Pets and orders", "li", async () => [
        ...["available", "pending", "sold"].map((status) => `${named(status)} pets | ${count(pets[status])}`),
        `Orders to approve | ${count(orders.placed)}`,
        `Orders to deliver | ${count(orders.approved)}`,
        ...["delivered", "cancelled"].map((status) => `${named(status)} orders | ${count(orders[status])}`),
      ]);
    },
    PATIENCE,
  );

  test(
    "the details of an order, a pet, a key, a request and the service are each the value of its own field",
    async () => {
      const get = async (path: string) => (await admin.get(`/admin/v1/${path}`)).body;
      const is = async (path: string, expected: Record<string, Record<string, unknown>>) => {
        await goTo(page, `#/${path}`);
        for (const [panel, details] of Object.entries(expected)) {
          await page.getByRole("heading", { name: panel, exact: true }).waitFor();
          const [term = "", value] = Object.entries(details)[0] ?? [];
          await eventually(async () => (await detailsIn(page, panel))[term] === value);
          expect(await detailsIn(page, panel)).toMatchObject(details);
        }
      };
      const { orders } = await get("orders?status=approved&limit=1");
      const [{ id, pet, petId, reference, createdAt, updatedAt }] = orders;
      expect(updatedAt).not.toBe(createdAt);
      const category = `Category ${pet.categoryId} ${pet.categoryId}`;
      await is(`orders/${id}`, {
        Details: {
          ...{ Category: category, Pet: `${pet.name} ${petId}`, Reference: reference },
          ...{ Placed: createdAt, "Last change": updatedAt },
        },
      });
      await is(`pets/${petId}`, {
        Details: { Category: category, Id: String(petId), Name: pet.name, Status: "pending" },
      });

      const issued = await admin.post("/admin/v1/keys", {
        ...{ name: "Detailed", plan: "pro", note: "Contract 4711", scopes: ["pets:read", "orders:read"] },
        owner: { name: "Paws", email: "paws@example.com" },
        expiresAt: new Date(Date.now() + 20 * 86_400_000).toISOString(),
      });
      const path = `keys/${issued.body.key.id}`;
      const requestId = `detailed-${timezoneId.length}`;
      await service.withSecret(issued.body.secret).get("/v1/pets?limit=1", { "X-Request-Id": requestId });
      await admin.post(`/admin/v1/${path}/rotate`, { graceSeconds: 86_400 });
      await admin.patch(`/admin/v1/${path}`, { disabled: true });
      await eventually(async () => (await get(path)).lastUsedAt !== null);
      const key = await get(path);
      const [old] = key.earlierSecrets;
      expect(old.lastFour).not.toBe(key.lastFour);
      await is(path, {
        Details: {
          ...{ Owner: "Paws paws@example.com", Note: "Contract 4711", Plan: "Pro", Scopes: "pets:read, orders:read" },
          "Secret ends in": key.lastFour,
          "Old secret": `ends in ${old.lastFour}, works until ${old.expiresAt}`,
          ...{ Created: key.createdAt, "Last used": key.lastUsedAt, Expires: key.expiresAt, Disabled: key.disabledAt },
        },
      });

      const { requests } = await get(`requests/${requestId}`);
      const [{ at, operation, limits, error, duration }] = requests;
      const left = ({ remaining, limit }: Record<string, number>) => `${count(remaining)} of ${count(limit)}`;
      await is(`requests/${requestId}`, {
        "GET /v1/pets": {
          ...{ Time: at, Operation: operation, Key: "Detailed Its requests" },
          ...{ "Left this minute": left(limits.minute), "Left this day": left(limits.day) },
          Duration: `${duration.toLocaleString("en", { maximumSignificantDigits: duration < 1 ? 2 : 3 })} ms`,
        },
      });
      expect(error).toBeNull();

      const state = await get("state");
      const { database } = await get("settings");
      await is("service", {
        Instance: {
          ...{ Version: state.version, Deployment: state.deployment, Runtime: state.runtime },
          ...{ Nodes: String(state.nodes), Started: state.startedAt },
        },
        "Base URLs": { Production: state.baseUrls.production, Staging: state.baseUrls.staging },
        Storage: { Database: database.location ?? "in memory" },
      });
    },
    PATIENCE,
  );

  test(
    "times are in the browser's zone, with UTC beside them",
    async () => {
      await goTo(page, "#/orders");
      const { createdAt } = (await admin.get("/admin/v1/orders?limit=1&order=desc")).body.orders[0];
      const time = page.locator("tbody tr").first().locator("time").first();
      const parts = new Intl.DateTimeFormat("en-GB", {
        timeZone: timezoneId,
        ...{ year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" },
      });
      const [date, clock] = parts.format(new Date(createdAt)).split(", ");
      const text = await time.textContent();
      expect(text).toContain(date ?? "?");
      expect(text).toContain(clock ?? "?");
      expect(text).not.toContain("UTC");
      expect(await time.getAttribute("title")).toBe(`${createdAt.slice(0, 19).replace("T", " ")} UTC`);
    },
    PATIENCE,
  );

  test(
    "a key expires at the time that was chosen in the browser's zone, or after so many days",
    async () => {
      const offset = timezoneId === "Asia/Kathmandu" ? 5 * 60 + 45 : -(3 * 60 + 30);
      const create = async (name: string, choice: string, date?: string) => {
        await goTo(page, "#/keys");
        await page.getByRole("button", { name: "Create key" }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByLabel("Name", { exact: true }).fill(name);
        await dialog.getByLabel("Expires").selectOption({ label: choice });
        if (date !== undefined) await dialog.getByLabel("Date and time").fill(date);
        await dialog.getByRole("button", { name: "Create key" }).click();
        await page.getByRole("heading", { name: "Key created" }).waitFor();
        await page.getByRole("button", { name: "I have stored it" }).click();
        const { keys } = (await admin.get(`/admin/v1/keys?search=${encodeURIComponent(name)}`)).body;
        return keys[0].expiresAt;
      };
      const winter = await create("On a date", "On a specific date", "2028-01-02T03:04");
      expect(Date.parse(winter)).toBe(Date.UTC(2028, 0, 2, 3, 4) - offset * 60_000);
      await page.getByRole("button", { name: "Create key" }).click();
      const options = page.getByRole("dialog").getByLabel("Expires").locator("option");
      await options.filter({ hasText: /^In / }).first().waitFor({ state: "attached" });
      const choices = (await options.allTextContents()).filter((text) => text.startsWith("In "));
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      for (const choice of choices) {
        const days = Number(/\d+/.exec(choice)?.[0]);
        const before = Date.now();
        const later = Date.parse(await create(`After ${days} days`, choice));
        expect(later - days * 86_400_000).toBeWithin(before - 1, Date.now() + 1);
      }
      expect(await create("For ever", "Never")).toBeNull();
    },
    PATIENCE,
  );

  test(
    "another order of the callers of a deprecated operation begins at their first page",
    async () => {
      await goTo(page, "#/overview");
      await goTo(page, "#/deprecation");
      const shows = (range: string) => page.getByRole("status").getByText(range, { exact: true }).waitFor();
      await shows(`1–50 of ${CALLS}`);
      await page.getByRole("button", { name: "Next", exact: true }).click();
      await shows(`51–100 of ${CALLS}`);
      const asked = page.waitForRequest((request) => request.url().includes("sort=calls"));
      await page.getByRole("button", { name: "Most calls" }).click();
      expect((await asked).url()).not.toContain("after=");
      await shows(`1–50 of ${CALLS}`);
    },
    PATIENCE,
  );

  test(
    "an old secret works for as long as was chosen",
    async () => {
      const { key } = (await admin.post("/admin/v1/keys", { name: "Rotated", plan: "free" })).body;
      for (const [choice, hours] of Object.entries({
        "In 1 hour": 1,
        "In 1 day": 24,
        "In 1 week": 168,
        Immediately: 0,
      })) {
        await goTo(page, `#/keys/${key.id}`);
        await choose(page, "Rotate");
        await page.getByLabel("Old secret expires").selectOption({ label: choice });
        const sent = page.waitForRequest((request) => request.url().endsWith("/rotate"));
        await page.getByRole("button", { name: "Rotate key" }).click();
        expect((await sent).postDataJSON()).toEqual({ graceSeconds: hours * 3_600 });
        await page.getByRole("button", { name: "I have stored it" }).click();
        await page.getByRole("dialog").waitFor({ state: "detached" });
      }
    },
    PATIENCE,
  );

  const ranges = {
    "24 hours": "resolution=hour&points=24",
    "7 days": "resolution=hour&points=168",
    "30 days": "resolution=day&points=30",
    "90 days": "resolution=day&points=90",
  };
  /** The labels of the ticks of the chart of a range, once it is drawn with the points of this range. */
  const ticksOf = async (of: Page, range: keyof typeof ranges) => {
    const taken = "window.drawn?.splice(0) ?? []";
    if ((await of.evaluate("window.drawn")) === undefined) {
      await of.evaluate(`(() => {
        const { prototype } = CanvasRenderingContext2D;
        const { fillText } = prototype;
        window.drawn = [];
        prototype.fillText = function (...parts) {
          window.drawn.push(parts[0]);
          return fillText.apply(this, parts);
        };
      })()`);
    }
    const answered = of.waitForResponse((response) => response.url().endsWith(`/usage?${ranges[range]}`));
    await of.getByRole("button", { name: range, exact: true }).click();
    await answered;
    // Until then the chart has the points of the range before.
    await of.locator(".content.stale").first().waitFor({ state: "detached" });
    await of.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    await of.evaluate(taken);
    const ticks = new Set<string>();
    // A chart whose labels are all alike never has as many.
    for (let draws = 0; ticks.size < 4 && draws < 500; draws++) {
      await of.setViewportSize({ width: 1_280 + (draws % 2), height: 900 });
      // The other axis has counts.
      for (const label of await of.evaluate<string[]>(taken)) if (!/^[\d,.]*[kKMB]?$/.test(label)) ticks.add(label);
    }
    return [...ticks];
  };

  test(
    "the ticks of a chart are at whole hours in the browser's zone",
    async () => {
      await goTo(page, "#/overview");
      const ticks = await ticksOf(page, "24 hours");
      expect(ticks.filter((label) => !/^\d\d:00$/.test(label))).toEqual([]);
      // Of several days, each has its day.
      const ofWeek = await ticksOf(page, "7 days");
      expect(ofWeek.filter((label) => !/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\W+\d\d:00$/.test(label))).toEqual([]);
    },
    PATIENCE,
  );

  test(
    "the pointer over a chart shows the time and the counts of the table, on the side that has room",
    async () => {
      await goTo(page, "#/overview");
      await page.getByRole("button", { name: "24 hours", exact: true }).click();
      await page.locator(".content.stale").first().waitFor({ state: "detached" });
      const figure = page.getByRole("figure", { name: "Requests", exact: true });
      await figure.locator(".u-over").waitFor();
      await figure.scrollIntoViewIfNeeded();
      const box = await figure.locator(".u-over").boundingBox();
      if (box === null) throw new Error("the chart is not drawn");
      const shown = new Map<string, string[]>();
      for (let at = 0.5; at < 48; at++) {
        const x = box.x + (at * box.width) / 48;
        await page.mouse.move(x, box.y + box.height / 2);
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
        const tooltip = await figure.locator(".tooltip").evaluate((element) => {
          const { left, right } = element.getBoundingClientRect();
          const values = [...element.querySelectorAll("span")].map((one) => {
            const texts = [...one.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
            const name = texts.map(({ textContent }) => textContent).join("");
            return `${name.trim()}: ${one.querySelector("b")?.textContent}`;
          });
          return { left, right, time: element.querySelector("strong")?.textContent ?? "", values };
        });
        const sides = [...(tooltip.right < x ? ["left"] : []), ...(tooltip.left > x ? ["right"] : [])];
        expect(at < 16 ? ["right"] : at > 32 ? ["left"] : ["left", "right"]).toEqual(expect.arrayContaining(sides));
        expect(sides).toHaveLength(1);
        shown.set(tooltip.time, tooltip.values);
      }
      expect(shown.size).toBe(24);
      await page.mouse.move(box.x, 0);
      await figure.locator(".tooltip").waitFor({ state: "detached" });
      await figure.getByRole("button", { name: "Show table" }).click();
      const table = await figure
        .locator("tr")
        .evaluateAll((rows) =>
          rows.map((row) => [...(row as HTMLTableRowElement).cells].map((cell) => cell.textContent ?? "")),
        );
      const [[, ...names] = [], ...rows] = table;
      expect(rows.length).toBeGreaterThan(0);
      for (const [time = "", ...values] of rows)
        expect([time, shown.get(time)]).toEqual([time, values.map((value, at) => `${names[at]}: ${value}`).reverse()]);
      await figure.getByRole("button", { name: "Show chart" }).click();
    },
    PATIENCE,
  );

  test(
    "the page of something shows nothing of what was shown before it",
    async () => {
      const two = async (path: string, items: string, id = "id") => {
        const found = (await admin.get(`/admin/v1/${path}`)).body[items];
        return [found.at(0)[id], found.at(-1)[id]];
      };
      const [reading] = await two("requests?operation=listPets&limit=1", "requests", "requestId");
      const [writing] = await two("requests?operation=createPet&limit=1", "requests", "requestId");
      for (const [list, [first, second]] of Object.entries({
        keys: await two("keys?search=Key+no.&limit=2", "keys"),
        pets: await two("pets?limit=2", "pets"),
        categories: await two("categories?limit=2", "categories"),
        orders: await two("orders?limit=2", "orders"),
        requests: [reading, writing],
      })) {
        await goTo(page, `#/${list}/${first}`);
        const title = page.locator(list === "requests" ? "main .panel h2" : "main h1").first();
        const before = (await title.textContent()) ?? "";
        const held = Promise.withResolvers<void>();
        const path = `**/admin/v1/${list}/${second}`;
        await page.route(path, async (route) => {
          await held.promise;
          await route.continue();
        });
        await page.evaluate(`location.hash = "#/${list}/${second}"`);
        await page.getByRole("heading", { name: before, exact: true }).waitFor({ state: "detached" });
        held.resolve();
        await settled(page);
        expect([list, await title.textContent()]).not.toEqual([list, before]);
        await page.unroute(path);
      }
    },
    PATIENCE,
  );

  test(
    "days are those in UTC: a chart of days has the same ticks and the same table in each zone",
    async () => {
      await goTo(page, "#/overview");
      const other = await browser.newPage({
        ...{ viewport: { width: 1280, height: 900 }, timezoneId: "UTC", locale: "en-GB" },
      });
      await signIn(other, service.adminUrl, operator.token);
      await settled(other);
      const shown = async (of: Page, range: keyof typeof ranges) => {
        const ticks = await ticksOf(of, range);
        await of.getByRole("button", { name: "Show table" }).click();
        const rows = await of.getByRole("region", { name: "Requests" }).locator("td:first-child").allTextContents();
        await of.getByRole("button", { name: "Show chart" }).click();
        return { ticks: ticks.toSorted(), rows };
      };
      for (const range of ["30 days", "90 days"] as const) {
        const expected = await shown(other, range);
        expect(expected.rows.length).toBeGreaterThan(0);
        expect(await shown(page, range)).toEqual(expected);
      }
      await other.close();
    },
    PATIENCE,
  );

  test(
    "a custom range is in the browser's zone, and is not asked for while it ends before it begins",
    async () => {
      await goTo(page, "#/overview");
      await page.getByRole("button", { name: "Custom", exact: true }).click();
      const zone = new Intl.DateTimeFormat("sv-SE", {
        timeZone: timezoneId,
        ...{ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" },
      });
      const local = (at: number) => zone.format(at).replace(" ", "T");
      // No clock of these zones is changed in July.
      const hoursAgo = (hours: number) => Date.UTC(2026, 6, 1, 12) - hours * 3_600_000;
      const asked: string[] = [];
      page.on("request", (request) => request.url().includes("/usage?") && asked.push(request.url()));
      const isAskedFor = (from: number, to: number) =>
        eventually(() =>
          asked.some((url) => {
            const { searchParams } = new URL(url);
            return (
              Date.parse(searchParams.get("from") ?? "") === from && Date.parse(searchParams.get("to") ?? "") === to
            );
          }),
        );
      const [first, last] = [page.getByLabel("From", { exact: true }), page.getByLabel("To", { exact: true })];
      const enter = async (field: typeof first, at: number) => {
        await field.fill(local(at));
        await field.blur();
      };
      const isRefused = (field: typeof first) => field.evaluate((input) => input.matches(":invalid"));
      await enter(first, hoursAgo(9));
      await enter(last, hoursAgo(3));
      await isAskedFor(hoursAgo(9), hoursAgo(3));
      for (const [field, wrong, right] of [
        [first, 2, 8],
        [last, 10, 4],
      ] as const) {
        await enter(field, hoursAgo(wrong));
        await eventually(() => isRefused(field));
        // The page is drawn again with each answer: what is typed stays.
        const answers = asked.length;
        await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
        await eventually(() => asked.length > answers);
        await page.waitForLoadState("networkidle");
        expect(await field.inputValue()).toBe(local(hoursAgo(wrong)));
        await enter(field, hoursAgo(right));
        await eventually(async () => !(await isRefused(field)));
      }
      await isAskedFor(hoursAgo(8), hoursAgo(4));
      // What was refused applies as soon as the other time allows it.
      await enter(first, hoursAgo(2));
      await eventually(() => isRefused(first));
      await enter(last, hoursAgo(1));
      await isAskedFor(hoursAgo(2), hoursAgo(1));
      expect(await isRefused(first)).toBe(false);
      // No time is none.
      await first.fill("");
      await eventually(() => isRefused(first));
      await enter(first, hoursAgo(2));
      await eventually(async () => !(await isRefused(first)));
      // Another custom range replaces what was typed.
      await page.getByRole("button", { name: "Custom", exact: true }).click();
      for (const [field, typed] of [
        [first, 2],
        [last, 1],
      ] as const) {
        await eventually(async () => (await field.inputValue()) !== local(hoursAgo(typed)));
      }
      const queries = asked.map((url) => new URL(url).searchParams);
      expect(queries.filter((range) => (range.get("from") ?? "") > (range.get("to") ?? ""))).toEqual([]);
    },
    PATIENCE,
  );

  test(
    "a filter by time is in the browser's zone",
    async () => {
      const at = Date.now() - 7_200_000;
      const local = new Intl.DateTimeFormat("sv-SE", {
        timeZone: timezoneId,
        ...{ year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" },
      });
      await goTo(page, "#/audit");
      await page.getByLabel("From").fill(local.format(at).replace(" ", "T"));
      await page.keyboard.press("Enter");
      await page.waitForURL(/from=/);
      const from = new URLSearchParams(page.url().split("?")[1]).get("from") ?? "";
      expect(Date.parse(from)).toBe(Math.floor(at / 60_000) * 60_000);
      const [date = "", clock = ""] = local.format(at).split(" ");
      const set = page.getByRole("list", { name: "Filters that are set" }).getByRole("listitem");
      await set.filter({ hasText: new RegExp(`From: ${Number(date.slice(8))} .*${clock}:00`) }).waitFor();
    },
    PATIENCE,
  );
});
