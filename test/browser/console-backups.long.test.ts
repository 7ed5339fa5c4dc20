import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page, Route } from "playwright-core";
import { petstoreCommand } from "../../src/commands/petstore.ts";
import { besideLoad } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { useService } from "../support/use-service.ts";
import { accessibilityViolations } from "./accessibility.ts";
import { hasChromium, intercept, launchChromium, overflowOf, PATIENCE } from "./chromium.ts";
import { buildConsole, detailsIn, goTo, settled, signIn } from "./console.ts";

if (!hasChromium) console.log("skipped: the page of backups needs Chromium, which this machine does not have");

describe.skipIf(!hasChromium)("the page of backups", () => {
  beforeAll(buildConsole, PATIENCE);
  const service = useService({ store: "sqlite", now: Date.now() });
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    const { token } = await service.withOperator("admin");
    await signIn(page, service.adminUrl, token, "#/backups");
    await settled(page);
  }, PATIENCE);
  afterAll(() => browser?.close());

  const press = async (name: string) => {
    // A press has no effect until the page knows that the last backup or verification has ended.
    await page.getByRole("button", { name, exact: true, disabled: false }).focus();
    await page.keyboard.press("Enter");
  };

  test(
    "makes, downloads, restores, deletes, uploads and verifies a backup by keyboard, and shows that one is damaged",
    async () => {
      states(
        "docs/backups.md",
        "list, make, verify, download, restore, upload and delete backups on the console's page Backups",
        "the page says what to do with the new file.",
      );
      await page.getByRole("heading", { name: "There are no backups yet" }).waitFor();
      await press("Back up now");
      await page.getByText("verified", { exact: true }).waitFor();
      const directory = join(service.store.directory, "backups");
      const [name = ""] = readdirSync(directory).filter((file) => file.endsWith(".db"));
      const file = join(directory, name);
      const downloading = page.waitForEvent("download");
      await page.getByRole("link", { name: "Download" }).focus();
      await page.keyboard.press("Enter");
      const download = await downloading;
      expect(download.suggestedFilename()).toBe(name);
      expect(readFileSync(await download.path()).equals(readFileSync(file))).toBe(true);

      const dialog = page.getByRole("dialog");
      await press("Restore");
      await dialog.getByText("which stays as it is").waitFor();
      await press("Restore into a new file");
      const restored = join(service.store.directory, `restored-${name}`);
      await page.getByText(restored, { exact: true }).waitFor();
      expect(await detailsIn(page, "Restored into a new file")).toEqual({
        ...{ Backup: name, "New file": restored, Restored: expect.stringMatching(/^20\d\d-/) },
      });
      const steps = page.locator("ol.steps");
      expect(await steps.getByRole("listitem").allTextContents()).toEqual([
        `To look into it, run commands with DATABASE_URL=sqlite:${restored}, such as petstore database check or petstore pets export.`,
        "To put the backup in the place of the database, stop the service and run petstore database restore with the backup: it keeps the database that is there, and no id is given again. Then start the service.",
        "Delete the new file once you do not need it.",
      ]);
      const { commands: groups } = await petstoreCommand();
      const named = (await steps.locator("code").allTextContents()).filter((code) => code.startsWith("petstore "));
      expect(named).toHaveLength(3);
      for (const one of named) {
        const [, group, verb = ""] = one.split(" ");
        const { commands = [] } = groups.find((command) => command.name() === group) ?? {};
        expect(commands.map((command) => command.name())).toContain(verb);
      }
      expect(await detailsIn(page, "Schedule")).toMatchObject({ Now: "idle", Directory: directory });
      expect([await accessibilityViolations(page), await overflowOf(page)]).toEqual([[], 0]);

      const copy = await download.path();
      await press("Delete");
      await dialog.getByText("This cannot be undone.").waitFor();
      await press("Delete backup");
      await page.getByRole("heading", { name: "There are no backups yet" }).waitFor();
      expect(readdirSync(directory)).toEqual([]);
      const upload = Promise.withResolvers<void>();
      await intercept(page, "**/backups/upload?*", (route) => upload.promise.then(() => route.continue()));
      await press("Upload");
      const picked = (buffer: Buffer) => ({ name, mimeType: "application/vnd.sqlite3", buffer });
      await dialog.getByLabel("Backup").setInputFiles(picked(Buffer.from("no database")));
      await dialog.getByRole("button", { name: "Upload" }).click();
      // The dialog stays while its upload is under way.
      await page.keyboard.press("Escape");
      expect(await dialog.isVisible()).toBe(true);
      upload.resolve();
      await dialog.getByText("The file is not a SQLite database.").waitFor();
      await dialog.getByLabel("Backup").setInputFiles(picked(readFileSync(copy)));
      await dialog.getByRole("button", { name: "Upload" }).click();
      await page.getByText("verified", { exact: true }).waitFor();

      const bytes = readFileSync(file);
      bytes.fill(0xff, 8_192, 8_292);
      writeFileSync(file, bytes);
      await press("Verify");
      await page.getByText("damaged", { exact: true }).waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);

      await goTo(page, "#/alerts");
      const alert = page.getByRole("link", { name: "A file is damaged" });
      await alert.waitFor({ timeout: PATIENCE });
      await alert.press("Enter");
      await page.getByRole("heading", { name: "Backups", level: 1 }).waitFor();
    },
    2 * PATIENCE,
  );

  test(
    "announces that a backup failed, with the reason that it shows, and that one was made",
    async () => {
      states("docs/backups.md", "and the console shows it.");
      const announcement = page.locator("#announcement");
      const directory = join(service.store.directory, "backups");
      await goTo(page, "#/backups");
      rmSync(directory, { recursive: true });
      writeFileSync(directory, "no directory");
      await press("Back up now");
      await announcement.filter({ hasText: "It failed: " }).waitFor();
      const reason = (await announcement.textContent())?.slice("It failed: ".length);
      await page.getByRole("alert").getByText(`The last backup failed: ${reason}`, { exact: true }).waitFor();
      rmSync(directory);
      mkdirSync(directory);
      await press("Back up now");
      await announcement.filter({ hasText: "Done." }).waitFor();
      await page.getByText("verified", { exact: true }).waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
    },
    2 * PATIENCE,
  );

  test(
    "an error that a press had is gone once another one succeeds",
    async () => {
      const list = "**/admin/v1/backups";
      await intercept(page, list, (route) => (route.request().method() === "POST" ? route.abort() : route.continue()));
      await press("Back up now");
      const error = page.getByRole("alert").getByText("The service cannot be reached.");
      await error.waitFor();
      await page.unroute(list);
      await service.advance({ seconds: 1 });
      await press("Back up now");
      await error.waitFor({ state: "detached" });
    },
    2 * PATIENCE,
  );

  test(
    "the list is asked for every second or two while a backup is under way, and seldom otherwise",
    async () => {
      const other = await browser.newPage();
      const job = { kind: "backup", startedAt: new Date().toISOString() };
      let isBusy = false;
      let asked = 0;
      const answer = async (route: Route) => {
        const response = await route.fetch();
        asked += 1;
        await route.fulfill({ response, json: { ...(await response.json()), job: isBusy ? job : null } });
      };
      // A reload ends what is under way.
      await other.route("**/admin/v1/backups", (route) => answer(route).catch(() => {}));
      await signIn(other, service.adminUrl, (await service.withOperator("admin", "Una")).token, "#/backups");
      await settled(other);
      const before = asked;
      await other.waitForTimeout(4_000);
      expect(asked).toBe(before);
      isBusy = true;
      await other.reload();
      await other.getByRole("status").getByText("Making a backup…").waitFor();
      isBusy = false;
      const began = performance.now();
      await other.locator("#announcement").filter({ hasText: "Done." }).waitFor();
      expect(performance.now() - began).toBeLessThan(besideLoad(10_000));
      await other.close();
    },
    PATIENCE,
  );

  test(
    "is for admins alone",
    async () => {
      states("docs/backups.md", "Administrators list");
      const { token } = await service.withOperator("viewer", "Vera");
      const other = await browser.newPage();
      await signIn(other, service.adminUrl, token, "#/backups");
      await other.getByRole("heading", { name: "Only admins see the backups" }).waitFor();
      expect(await other.getByRole("navigation").getByText("Backups").count()).toBe(0);
    },
    PATIENCE,
  );
});
