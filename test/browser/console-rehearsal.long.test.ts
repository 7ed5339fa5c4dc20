import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { useService } from "../support/use-service.ts";
import { accessibilityViolations } from "./accessibility.ts";
import { hasChromium, launchChromium, overflowOf, PATIENCE, type Seen, watch } from "./chromium.ts";
import { buildConsole, choose, goTo, signIn } from "./console.ts";

if (!hasChromium) console.log("skipped: the console tests need Chromium, which this machine does not have");

/** One session of an operator who uses the keyboard alone: each test continues where the one before stopped. */
describe.skipIf(!hasChromium)("a rehearsal at the console of staging", () => {
  beforeAll(buildConsole, PATIENCE);
  const service = useService({ now: Date.now(), env: { PETSTORE_DEPLOYMENT: "staging" } });
  let browser: Browser;
  let page: Page;
  let seen: Seen;
  let id = "";
  beforeAll(async () => {
    ({ id } = await service.createKey());
    await service.createKey();
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    seen = watch(page);
    await signIn(page, service.adminUrl, (await service.withOperator("admin")).token);
    // Before signing in, the console asks in vain who is signed in.
    seen.complaints.length = 0;
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
  const simulation = async () => (await service.stores.keys.get(id))?.key.simulation;
  const badges = () => page.locator(".badge", { hasText: "rehearsing" });

  test(
    "begins with an answer and a number of requests, and is marked on the key's page",
    async () => {
      states(
        "docs/console.md",
        "On staging, `Rehearse` in the menu simulates answers to the key, and its state shows `rehearsing`.",
      );
      await goTo(page, `#/keys/${id}`);
      expect(await badges().count()).toBe(0);
      await page.getByRole("button", { name: "More", exact: true }).press("Enter");
      const offered = await page.getByRole("menuitem").allTextContents();
      expect([offered.includes("Rehearse"), offered.includes("End rehearsal")]).toEqual([true, false]);
      await press("Escape");
      await open("Rehearse");
      await page.keyboard.type("service_unavailable");
      await press("Tab", "Tab", "Control+A");
      await page.keyboard.type("3");
      expect(await accessibilityViolations(page)).toEqual([]);
      await press("Enter");
      await isClosed();
      await badges().waitFor();
      await page.getByText("service_unavailable for the next 3 requests, 0 requests since").waitFor();
      expect(await simulation()).toMatchObject({ answer: "service_unavailable", schedule: { next: 3 } });
      await page.getByText("started a rehearsal of the key").waitFor();
    },
    PATIENCE,
  );

  test(
    "is replaced by a share with a seed, after a refused answer was corrected",
    async () => {
      await open("Rehearse");
      await page.keyboard.type("teapot");
      await press("Tab");
      await page.keyboard.type("A share");
      await press("Tab", "Control+A");
      await page.keyboard.type("5");
      await press("Tab", "Control+A");
      await page.keyboard.type("7");
      await press("Enter");
      await page.getByRole("alert").filter({ hasText: "answer must be an error code" }).waitFor();
      const answer = page.getByLabel("Simulated answer");
      expect(await answer.getAttribute("aria-invalid")).toBe("true");
      await answer.focus();
      await press("Control+A");
      await page.keyboard.type("delay=2000");
      await press("Enter");
      await isClosed();
      await page.getByText("delay=2000 for 5 % of requests (seed 7)").waitFor();
      expect(await simulation()).toMatchObject({ schedule: { percent: 5, seed: 7 } });
    },
    PATIENCE,
  );

  test(
    "is begun again as it was: each kind of schedule is in the fields of the next rehearsal",
    async () => {
      const { client } = await service.withOperator("admin", "Grace");
      for (const [schedule, fields] of [
        [{ next: 4 }, { Requests: "next", "Number of requests": "4" }],
        [{ every: 6 }, { Requests: "every", "One in": "6" }],
        [
          { percent: 5, seed: 7 },
          { Requests: "percent", Percent: "5", Seed: "7" },
        ],
      ] as const) {
        await client.put(`/admin/v1/keys/${id}/simulation`, { answer: "delay=2000", ...schedule });
        await page.reload();
        await open("Rehearse");
        for (const [label, value] of Object.entries({ "Simulated answer": "delay=2000", ...fields })) {
          const field = page.getByRole("dialog").getByLabel(label, { exact: true });
          expect([label, await field.inputValue()]).toEqual([label, value]);
        }
        await press("Enter");
        await isClosed();
        expect(await simulation()).toMatchObject({ answer: "delay=2000", schedule });
      }
    },
    PATIENCE,
  );

  test(
    "is in the list, which can show only such keys, and in the overview",
    async () => {
      await goTo(page, "#/keys");
      // The first start has created a key too.
      expect(await page.locator("tbody tr").count()).toBe(3);
      await page.getByLabel("Rehearsal").selectOption("Rehearsing");
      await page.getByText("1 key", { exact: false }).first().waitFor();
      await eventually(async () => (await page.locator("tbody tr").count()) === 1);
      expect(await badges().count()).toBe(1);
      await goTo(page, "#/overview");
      await page.getByText("1 rehearsing").waitFor();
    },
    PATIENCE,
  );

  test(
    "fits into a phone and has no accessibility violations, light and dark",
    async () => {
      await page.setViewportSize({ width: 360, height: 740 });
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        for (const path of ["#/keys", `#/keys/${id}`]) {
          await goTo(page, path);
          expect({ path, overflow: await overflowOf(page) }).toEqual({ path, overflow: 0 });
          expect(await accessibilityViolations(page)).toEqual([]);
        }
      }
      await page.setViewportSize({ width: 1280, height: 900 });
    },
    PATIENCE,
  );

  test(
    "ends, and the mark goes",
    async () => {
      await goTo(page, `#/keys/${id}`);
      await open("End rehearsal");
      await page.getByRole("button", { name: "End rehearsal" }).last().press("Enter");
      await isClosed();
      await badges().waitFor({ state: "detached" });
      expect(await simulation()).toBeUndefined();
    },
    PATIENCE,
  );

  test(
    "counts its requests, which are no change by somebody else",
    async () => {
      const { client } = await service.withOperator("admin", "Ida");
      const { body: issued } = await client.post("/admin/v1/keys", { name: "Counted", plan: "free" });
      const path = `/admin/v1/keys/${issued.key.id}`;
      await client.put(`${path}/simulation`, { answer: "internal_error", every: 2 });
      await goTo(page, `#/keys/${issued.key.id}`);
      await choose(page, "Rename");
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name", { exact: true }).fill("Counted again");
      const caller = service.withSecret(issued.secret);
      for (let i = 0; i < 4; i++) await caller.get("/v1/pets?limit=1");
      await eventually(async () => (await client.get(path)).body.simulation.requests > 0);
      await client.patch(path, { note: "Contract 4711" });
      await dialog.getByRole("button", { name: "Rename key" }).press("Enter");
      await dialog.getByText("Changed by somebody else").waitFor();
      expect(await dialog.locator(".newer dl").first().locator("dt").allTextContents()).toEqual(["note"]);
      await dialog.getByRole("button", { name: "Rename key" }).press("Enter");
      await isClosed();
      await client.post(`${path}/revoke`, {});
      await goTo(page, `#/keys/${id}`);
    },
    PATIENCE,
  );

  test("raises no error and no warning, except for the refused answer and the change by somebody else", () => {
    expect(seen.complaints.filter((text) => !/400 \(Bad Request\)|412 \(Precondition Failed\)/.test(text))).toEqual([]);
  });
});

describe.skipIf(!hasChromium)("the console of production", () => {
  beforeAll(buildConsole, PATIENCE);
  const service = useService({ now: Date.now() });

  test(
    "offers no rehearsal",
    async () => {
      const { id } = await service.createKey();
      const browser = await launchChromium();
      const page = await browser.newPage();
      await signIn(page, service.adminUrl, (await service.withOperator("admin")).token);
      await goTo(page, `#/keys/${id}`);
      await page.getByRole("button", { name: "Rotate" }).waitFor();
      await page.getByRole("button", { name: "More" }).click();
      expect(await page.getByRole("menuitem").allTextContents()).toEqual([
        ...["Rename", "Change owner", "Change scopes", "Change expiry"],
        ...["Disable", "Revoke"],
      ]);
      await goTo(page, "#/keys");
      expect(await page.getByLabel("Rehearsal").count()).toBe(0);
      await browser.close();
    },
    PATIENCE,
  );
});
