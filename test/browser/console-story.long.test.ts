import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import type { Client } from "../support/client.ts";
import { states } from "../support/markdown.ts";
import { useService } from "../support/use-service.ts";
import { hasChromium, launchChromium, PATIENCE, type Seen, watch } from "./chromium.ts";
import { buildConsole, choose, goTo, settled, signIn, titled } from "./console.ts";

if (!hasChromium) console.log("skipped: the console tests need Chromium, which this machine does not have");

const STRIKES = 100;

/** One session of an operator: each test continues where the one before stopped. */
describe.skipIf(!hasChromium)("an operator at the console", () => {
  beforeAll(buildConsole, PATIENCE);
  const service = useService({ now: Date.now() });
  let browser: Browser;
  let page: Page;
  let seen: Seen;
  let client: Client;
  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    seen = watch(page);
  }, PATIENCE);
  afterAll(() => browser?.close());

  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });
  const dialog = () => page.getByRole("dialog");
  /** Submits the dialog, which then closes. */
  const confirm = async (submitLabel: string) => {
    await dialog().getByRole("button", { name: submitLabel }).click();
    await dialog().waitFor({ state: "detached" });
  };
  const says = (text: string | RegExp) => page.getByText(text).first().waitFor();

  test(
    "signs in, after an unknown token was refused",
    async () => {
      await page.goto(`${service.adminUrl}/console`);
      await page.getByLabel("Operator token").fill("pets_oper_nobody");
      await button("Sign in").click();
      await page.getByRole("alert").waitFor();
      expect(await page.getByLabel("Operator token").getAttribute("aria-invalid")).toBe("true");
      await signIn(page, service.adminUrl, (await service.withOperator("admin")).token);
      await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    },
    PATIENCE,
  );

  test(
    "creates a key, whose secret is shown once and works over HTTP",
    async () => {
      states("docs/console.md", "A new secret is shown once.");
      await goTo(page, "#/keys");
      await button("Create key").first().click();
      await dialog().getByLabel("Name").fill("Paws & Whiskers");
      await dialog().getByRole("button", { name: "Create key" }).click();
      const secret = (await dialog().locator(".copyable-text code").textContent()) ?? "";
      expect(secret).toStartWith("pets_live_");
      client = service.withSecret(secret);
      expect((await client.get("/v1/pets")).status).toBe(200);
      for (let i = 0; i < 3; i++) await page.keyboard.press("Escape");
      await dialog().getByText(secret).waitFor();
      await button("I have stored it").click();
      await dialog().waitFor({ state: "detached" });
      expect(await page.content()).not.toContain(secret);
    },
    PATIENCE,
  );

  test(
    "finds the key, and sees its usage appear",
    async () => {
      states("docs/console.md", "and how much of both windows is used.");
      await client.spend(19);
      await page.getByLabel("Search").fill("whisk");
      await page.waitForURL(/whisk/);
      await page.getByRole("link", { name: "Paws & Whiskers" }).click();
      await page.getByRole("heading", { name: "Paws & Whiskers", level: 1 }).waitFor();
      await page
        .getByRole("meter", { name: "Requests per minute" })
        .and(page.locator('[aria-valuenow="20"]'))
        .waitFor();
      await says("20 requests, 0 rate limited");
    },
    PATIENCE,
  );

  test(
    "sees it banned when it keeps sending requests after 429, and unbans it",
    async () => {
      states("docs/console.md", "it or lift a ban");
      await client.spend(41);
      await service.advance({ seconds: 3 });
      await client.spend(STRIKES);
      expect((await client.get("/v1/pets")).body.code).toBe("key_banned");
      await page.locator(".badge", { hasText: "banned" }).waitFor();
      await choose(page, "Unban");
      await dialog().getByRole("heading", { name: "Unban Paws & Whiskers?" }).waitFor();
      await confirm("Unban key");
      await page.locator(".badge", { hasText: "active" }).waitFor();
    },
    PATIENCE,
  );

  test(
    "changes its plan, which applies at once",
    async () => {
      states(
        "docs/console.md",
        "A key's page shows its usage and its changes, and lets you change its plan, rotate it or lift a ban;",
      );
      expect((await client.get("/v1/pets")).body.code).toBe("rate_limit_exceeded");
      await choose(page, "Change plan");
      await dialog().getByLabel("Plan").selectOption("business");
      await confirm("Change plan");
      await page.getByText("60 of 1,000").waitFor();
      expect((await client.get("/v1/pets")).headers.get("X-RateLimit-Limit")).toBe("1000");
    },
    PATIENCE,
  );

  test(
    "gives it custom limits, an expiry and a new secret, and the old secret expires at once",
    async () => {
      await choose(page, "Change plan");
      await dialog().getByLabel("Plan").selectOption("enterprise");
      await dialog().getByLabel("Requests per minute").fill("2500");
      await dialog().getByLabel("Requests per day").fill("5000000");
      await confirm("Change plan");
      await page.getByText(/of 5,000,000/).waitFor();
      await choose(page, "Change expiry");
      await dialog().getByLabel("Expires").selectOption("30");
      await confirm("Change expiry");
      await choose(page, "Rotate");
      await dialog().getByLabel("Old secret expires").selectOption("0");
      await dialog().getByRole("button", { name: "Rotate key" }).click();
      const secret = (await dialog().locator(".copyable-text code").textContent()) ?? "";
      await button("I have stored it").click();
      await dialog().waitFor({ state: "detached" });
      expect((await client.get("/v1/pets")).status).toBe(401);
      client = service.withSecret(secret);
      expect((await client.get("/v1/pets")).headers.get("RateLimit-Policy")).toContain('"day";q=5000000;');
    },
    PATIENCE,
  );

  test(
    "renames it, changes its scopes, disables and enables it, and ends the grace period of an old secret",
    async () => {
      await choose(page, "Rename");
      await dialog().getByLabel("Name").fill("Paws and Whiskers");
      await confirm("Rename key");
      await page.getByRole("heading", { name: "Paws and Whiskers", level: 1 }).waitFor();
      await choose(page, "Rename");
      await dialog().getByLabel("Name").fill("Paws & Whiskers");
      await confirm("Rename key");
      await choose(page, "Change scopes");
      await dialog().getByLabel("Add, change and remove pets").uncheck();
      await confirm("Change scopes");
      expect((await client.post("/v1/pets", { name: "Rex", categoryId: 1 })).body.code).toBe("insufficient_scope");
      await choose(page, "Disable");
      await confirm("Disable key");
      await page.locator(".badge", { hasText: "disabled" }).waitFor();
      expect((await client.get("/v1/pets")).body.code).toBe("disabled_api_key");
      await choose(page, "Enable");
      await confirm("Enable key");
      await page.locator(".badge", { hasText: "active" }).waitFor();
      const old = client;
      await choose(page, "Rotate");
      await dialog().getByRole("button", { name: "Rotate key" }).click();
      client = service.withSecret((await dialog().locator(".copyable-text code").textContent()) ?? "");
      await button("I have stored it").click();
      await dialog().waitFor({ state: "detached" });
      await says(/works until/);
      expect((await old.get("/v1/pets")).status).toBe(200);
      await choose(page, "End old secret");
      await confirm("End old secret");
      await page.getByText(/works until/).waitFor({ state: "detached" });
      expect((await old.get("/v1/pets")).body.code).toBe("expired_api_key");
      expect((await client.get("/v1/pets")).status).toBe(200);
    },
    PATIENCE,
  );

  test(
    "revokes it after a confirmation that names it, and finds all of this in the audit log",
    async () => {
      states(
        "docs/console.md",
        "Every change with its operator, before and after, including those of the command line.",
      );
      await choose(page, "Revoke");
      await dialog().getByRole("heading", { name: "Revoke Paws & Whiskers?" }).waitFor();
      await confirm("Revoke Paws & Whiskers");
      await page.locator(".badge", { hasText: "revoked" }).waitFor();
      expect(await page.locator("main .actions button").count()).toBe(0);
      expect((await client.get("/v1/pets")).body.code).toBe("revoked_api_key");
      await goTo(page, "#/audit");
      const entries = page.locator(".audit > li");
      for (const action of ["revoked", "rotated", "changed", "created", "unbanned", "disabled", "enabled"]) {
        await entries
          .filter({ hasText: `${action} the key` })
          .first()
          .waitFor();
      }
    },
    PATIENCE,
  );

  test(
    "imports 1,000 pets from a file, and adds one with the largest category",
    async () => {
      states(
        "docs/console.md",
        "and the import of NDJSON or CSV files of any size, with each rejected line and its reason",
      );
      const lines = Array.from({ length: 1_000 }, (_, i) => JSON.stringify({ name: `Pet ${i}`, categoryId: i % 9 }));
      lines.push('{"name":"","categoryId":1}');
      await goTo(page, "#/pets");
      await says("No pets yet");
      await button("Import").click();
      await dialog()
        .getByLabel("File")
        .setInputFiles({
          name: "pets.ndjson",
          mimeType: "application/x-ndjson",
          buffer: Buffer.from(lines.join("\n")),
        });
      await dialog().getByRole("button", { name: "Import" }).click();
      await says("1,000 pets imported");
      await dialog()
        .getByRole("row", { name: /^1,001 / })
        .waitFor();
      await button("Done").click();
      await dialog().waitFor({ state: "detached" });
      await page.getByRole("row", { name: /Pet 49/ }).waitFor();
      await button("Next").click();
      await page.getByRole("row", { name: /Pet 50/ }).waitFor();
      await says("51–100");
      expect(page.url()).toEndWith("#/pets?after=50");
      await page.reload();
      await page.getByRole("row", { name: /Pet 50/ }).waitFor();
      await button("Next").click();
      await says("101–150");
      await page.goBack();
      await says("51–100");
      await button("Previous").click();
      await page.getByRole("row", { name: /Pet 49/ }).waitFor();
      expect(page.url()).toEndWith("#/pets");

      await button("Add pet").click();
      await dialog().getByLabel("Name").fill("Rex");
      await dialog().getByLabel("Category").fill("9223372036854775807");
      await dialog().getByLabel("Status").selectOption("sold");
      await confirm("Add pet");
      await page.getByLabel("Status").selectOption("sold");
      await page.getByRole("row", { name: /Rex 9223372036854775807 sold/ }).waitFor();
      expect(page.url()).toContain("#/pets?status=sold");
    },
    PATIENCE,
  );

  test(
    "exports the pets as a file",
    async () => {
      await button("Export").click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        dialog().getByRole("link", { name: "Export" }).click(),
      ]);
      const chunks: Buffer[] = [];
      for await (const chunk of await download.createReadStream()) chunks.push(chunk);
      expect(Buffer.concat(chunks).toString()).toContain('"categoryId":9223372036854775807,"status":"sold"}');
      await dialog().waitFor({ state: "detached" });
      // Of a list with a filter by status, the file has what the list has.
      for (const status of ["available", "pending", "sold"]) {
        await goTo(page, `#/pets?status=${status}`);
        await button("Export").click();
        await page.getByRole("heading", { name: `Export ${status} pets` }).waitFor();
        const href = await dialog().getByRole("link", { name: "Export" }).getAttribute("href");
        expect(href).toBe(`/admin/v1/pets/export?format=ndjson&status=${status}`);
        await dialog().getByRole("button", { name: "Cancel" }).click();
        await dialog().waitFor({ state: "detached" });
      }
      await goTo(page, "#/pets");
    },
    PATIENCE,
  );

  test(
    "signs in again after the session has ended, and continues on the same page",
    async () => {
      // A request that is under way would end the session before the page is left.
      await page.waitForLoadState("networkidle");
      await service.advance({ seconds: 13 * 3_600 });
      await goTo(page, "#/categories");
      await page.getByRole("status").getByText("Your session has ended").waitFor();
      await page.locator('input[name="token"]:focus').waitFor();
      // The page stays when the browser is asked for another one.
      await page.evaluate(
        "new Promise((done) => { addEventListener('hashchange', () => done()); location.hash = '#/keys'; })",
      );
      expect(page.url()).toEndWith("#/categories");
      await titled(page, "Sign in · Petstore console");
      // As it is pasted, with blanks around it.
      await page.getByLabel("Operator token").fill(` ${(await service.withOperator("admin", "Ines Calder")).token} `);
      await button("Sign in").click();
      await page.getByRole("heading", { name: "Categories", level: 1 }).waitFor();
      await page.locator("h1:focus").waitFor();
      await titled(page, "Categories · Petstore console");
      // It asks again for what it was refused, and by itself for nothing.
      await says("No categories yet");
      expect(await page.getByRole("alert").count()).toBe(0);
    },
    PATIENCE,
  );

  test(
    "signs out, and a reload shows nothing",
    async () => {
      await button("Sign out").click();
      await page.getByLabel("Operator token").waitFor();
      await page.reload();
      await page.getByLabel("Operator token").waitFor();
      await settled(page);
      expect(seen.complaints.filter((complaint) => !complaint.includes("401 (Unauthorized)"))).toEqual([]);
    },
    PATIENCE,
  );
});
