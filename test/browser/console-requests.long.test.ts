import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { useKey, useOperator, useService } from "../support/use-service.ts";
import { accessibilityViolations } from "./accessibility.ts";
import { hasChromium, launchChromium, overflowOf, PATIENCE, type Seen, watch } from "./chromium.ts";
import { buildConsole, goTo, settled, signIn } from "./console.ts";

if (!hasChromium) console.log("skipped: the console tests need Chromium, which this machine does not have");

describe.skipIf(!hasChromium)("the request history in the console", () => {
  beforeAll(buildConsole, PATIENCE);
  const service = useService({ now: Date.now() });
  const { operator } = useOperator(service, "viewer");
  const { client, key } = useKey(service, { plan: "free" });
  let browser: Browser;
  let page: Page;
  let seen: Seen;
  let requestId = "";
  beforeAll(async () => {
    requestId = (await client.get("/v1/pets/999")).headers.get("X-Request-Id") ?? "";
    for (let i = 0; i < 7; i++) await client.get("/v1/pets?limit=1");
    await service.anonymous().get(`/v1/${"long-".repeat(50)}`);
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    seen = watch(page);
    await signIn(page, service.adminUrl, operator.token);
  }, PATIENCE);
  afterAll(() => browser?.close());

  const rowsAre = (count: number) => eventually(async () => (await page.locator("tbody tr").count()) === count);

  test(
    "a pasted request id shows what the call did, by the keyboard alone",
    async () => {
      states(
        "docs/console.md",
        "Paste a request id to see what the call did.",
        "Paste a request id to see what the call did: its error with cause and fix, its key, and what it left of the limits.",
      );
      // The overview, on which an operator begins.
      await page.getByRole("heading", { name: "Overview" }).waitFor();
      await page.getByLabel("What did my call do?").focus();
      await page.keyboard.insertText(` X-Request-Id: ${requestId} `);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "GET /v1/pets/999" }).waitFor();
      await page.getByRole("link", { name: "test", exact: true }).waitFor();
      const shown = await page.locator("main").textContent();
      expect(shown).toContain("pet_not_found There is no pet with this id.");
      expect(shown).toMatch(/Left this minute59 of 60/);
      const href = await page.getByRole("link", { name: "Cause and fix" }).getAttribute("href");
      expect(href).toEndWith("/docs/errors#pet_not_found");
      expect(await accessibilityViolations(page)).toEqual([]);

      await page.getByLabel("What did my call do?").focus();
      await page.keyboard.insertText("never-sent");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Request not found" }).waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
    },
    PATIENCE,
  );

  test(
    "filters are in the address, and a key's page has its requests",
    async () => {
      states("docs/console.md", "Or filter by the name, id or owner of a key, by status, operation, error and time.");
      states(
        "docs/console.md",
        "Or filter by the name, id or owner of a key, by status",
        "A key's page has its last requests.",
      );
      await goTo(page, "#/requests");
      expect(await page.locator("tbody tr").count()).toBe(9);
      await page.getByLabel("Status").selectOption("4xx");
      await rowsAre(2);
      expect(page.url()).toEndWith("#/requests?status=4xx");
      await page.getByLabel("Key", { exact: true }).fill("Shopp");
      await rowsAre(0);
      await page.getByLabel("Key", { exact: true }).fill("TES");
      await rowsAre(1);
      expect(page.url()).toEndWith("#/requests?status=4xx&key=TES");
      await page.getByRole("row").getByRole("link", { name: "test", exact: true }).waitFor();
      await page.getByLabel("Key", { exact: true }).fill(key.id);
      await rowsAre(1);
      await goTo(page, `#/keys/${key.id}`);
      await page.getByRole("heading", { name: "Last requests" }).waitFor();
      await settled(page);
      expect(await page.getByRole("link", { name: "GET /v1/pets", exact: true }).count()).toBe(5);
    },
    PATIENCE,
  );

  test(
    "a list is of the filters above it: where the service refuses one, there is none",
    async () => {
      await goTo(page, "#/requests");
      await page.locator("tbody tr").first().waitFor();
      await goTo(page, "#/requests?from=yesterday");
      await page.getByRole("alert").getByText("from").waitFor();
      expect(await page.locator("tbody tr").count()).toBe(0);
      await goTo(page, "#/requests");
      await page.locator("tbody tr").first().waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
    },
    PATIENCE,
  );

  test(
    "new requests come by themselves in the live mode, unless the focus is on a row",
    async () => {
      states("docs/console.md", "`Live` shows new requests as they come; while the focus is on a row the list stays.");
      await goTo(page, "#/requests");
      const live = page.getByRole("button", { name: "Live" });
      await live.press("Space");
      expect(await live.getAttribute("aria-pressed")).toBe("true");
      expect(await accessibilityViolations(page)).toEqual([]);
      await client.get("/v1/pets/77");
      const first = page.locator("tbody tr").first();
      await first.getByText("/v1/pets/77").waitFor();
      await first.getByRole("link", { name: "GET /v1/pets/77" }).focus();
      await client.get("/v1/pets/78");
      await eventually(async () =>
        (await service.withOperator()).client
          .get("/admin/v1/requests?limit=1")
          .then(({ body }) => body.requests[0].path === "/v1/pets/78"),
      );
      expect(await first.textContent()).toContain("/v1/pets/77");
      await live.focus();
      await first.getByText("/v1/pets/78").waitFor();
    },
    PATIENCE,
  );

  test(
    "the list is asked for each second in the live mode, and otherwise every five",
    async () => {
      const other = await browser.newPage();
      await other.clock.install();
      await signIn(other, service.adminUrl, operator.token, "#/requests");
      await settled(other);
      await other.clock.pauseAt(Date.now() + 60_000);
      let asked = 0;
      other.on("request", (request) => {
        if (request.url().includes("/requests?")) asked += 1;
      });
      const answer = () => other.waitForResponse((response) => response.url().includes("/requests?"));
      for (const seconds of [1, 5]) {
        const [first] = [answer(), await other.getByRole("button", { name: "Live" }).click()];
        await other.clock.runFor(100);
        await first;
        await other.locator(".content.stale").waitFor({ state: "detached" });
        const before = asked;
        await other.clock.runFor(seconds * 1_000 - 100);
        expect([seconds, asked]).toEqual([seconds, before]);
        const next = answer();
        await other.clock.runFor(200);
        await next;
      }
      await other.close();
    },
    PATIENCE,
  );

  test(
    "fits a phone",
    async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      for (const path of ["#/requests", `#/requests/${requestId}`]) {
        await goTo(page, path);
        expect(await overflowOf(page)).toBe(0);
        expect(await accessibilityViolations(page)).toEqual([]);
      }
      expect(seen.complaints.filter((one) => !/40[014]/.test(one))).toEqual([]);
    },
    PATIENCE,
  );
});
