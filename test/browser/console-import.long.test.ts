import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { buffer as bytesOf } from "node:stream/consumers";
import type { Browser, Page } from "playwright-core";
import { useService } from "../support/use-service.ts";
import { accessibilityViolations } from "./accessibility.ts";
import { hasChromium, intercept, launchChromium, PATIENCE } from "./chromium.ts";
import { buildConsole, goTo, signIn } from "./console.ts";

/** Each test continues where the one before stopped. */
describe.skipIf(!hasChromium)("an operator who imports pets at the console", () => {
  beforeAll(buildConsole, PATIENCE);
  const service = useService({ now: Date.now(), store: "sqlite" });
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const { token } = await service.withOperator("admin");
    await signIn(page, service.adminUrl, token);
    await goTo(page, "#/pets");
  }, PATIENCE);
  afterAll(() => browser?.close());

  const dialog = () => page.getByRole("dialog");
  const press = (name: string) => dialog().getByRole("button", { name }).click();
  const importFile = async (name: string, buffer: Buffer) => {
    await page.getByRole("button", { name: "Import", exact: true }).first().click();
    await dialog().getByLabel("File").setInputFiles({ name, mimeType: "text/plain", buffer });
    await press("Import");
  };

  test(
    "reads what the file is that cannot be imported",
    async () => {
      await importFile("pets.xlsx", Buffer.from("PK\u0003\u0004\u0014\0xl/workbook.xml"));
      await dialog().getByText("The file is a spreadsheet, save it as CSV.").waitFor();
      await press("Cancel");
      await page.getByRole("button", { name: "Discard" }).click();
      await dialog().first().waitFor({ state: "detached" });
    },
    PATIENCE,
  );

  test(
    "downloads the rejected lines as a file of the same form",
    async () => {
      await importFile("pets.csv", Buffer.from("\ufeffName;Category ID\r\nRex;1\r\nGröße;x\r\n;;\r\n"));
      await dialog().getByText("1 pet imported, 1 line rejected.").waitFor();
      const downloaded = page.waitForEvent("download");
      await dialog().getByRole("link", { name: "Download the rejected lines" }).click();
      const download = await downloaded;
      expect(download.suggestedFilename()).toBe("rejected-pets.csv");
      expect((await bytesOf(await download.createReadStream())).toString()).toBe(
        "\ufeffName;Category ID\r\nGröße;x\r\n",
      );
      expect(await accessibilityViolations(page)).toEqual([]);
      if (process.env.PICTURE) await page.screenshot({ path: `${process.env.PICTURE}-rejected.png` });
      await press("Done");
    },
    PATIENCE,
  );

  test(
    "goes on with an import that the database ended, and finds it in the audit log as one change",
    async () => {
      await using store = await service.store.connect();
      await store.run(
        "CREATE TRIGGER ended BEFORE INSERT ON pets WHEN NEW.name = 'Ended 1300' BEGIN SELECT RAISE(ABORT, 'full'); END",
      );
      const lines = Array.from({ length: 1_800 }, (_, i) => `{"name":"Ended ${i}","categoryId":1}\n`);
      await importFile("pets.ndjson", Buffer.from(lines.join("")));
      await dialog().getByText("Import interrupted").waitFor();
      await store.run("DROP TRIGGER ended");
      expect(await accessibilityViolations(page)).toEqual([]);
      if (process.env.PICTURE) await page.screenshot({ path: `${process.env.PICTURE}-interrupted.png` });
      await press("Continue with line");
      await dialog().getByText("Import finished").waitFor();
      await press("Done");
      const pets = [];
      for await (const some of service.stores.bulk.snapshot()) pets.push(...some);
      const names = pets.map(({ name }) => name).filter((name) => name.startsWith("Ended"));
      expect(names).toEqual(lines.map((_, i) => `Ended ${i}`));
      await goTo(page, "#/audit");
      await page.getByText("imported pets").nth(2).waitFor();
      expect(await page.locator(".audit li").filter({ hasText: "imported pets" }).allTextContents()).toMatchObject([
        expect.stringMatching(/first line1,001imported800changed0unchanged0rejected0last line1,800completeyes$/),
        expect.stringMatching(/imported1,000changed0unchanged0rejected0last line1,000completeno$/),
        expect.stringMatching(/imported1changed0unchanged0rejected1last line3completeyes$/),
        expect.stringMatching(/imported0changed0unchanged0rejected0last line0completeno$/),
      ]);
      if (process.env.PICTURE) await page.screenshot({ path: `${process.env.PICTURE}-audit.png` });
    },
    PATIENCE,
  );

  test(
    "cannot be closed while the file is uploaded, nor changed",
    async () => {
      const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
      await intercept(page, "**/pets/import?*", async (route) => {
        await isReleased;
        await route.continue();
      });
      await goTo(page, "#/pets");
      await importFile("pets.ndjson", Buffer.from('{"name":"Uploaded","categoryId":1}\n'));
      await dialog().locator("input[type=file]:disabled").waitFor();
      await dialog().locator("fieldset:disabled").waitFor();
      expect(await dialog().getByRole("button", { name: "Close" }).count()).toBe(0);
      await page.keyboard.press("Escape");
      release();
      await dialog().getByText("1 pet imported, no lines rejected.").waitFor();
      expect(await dialog().count()).toBe(1);
      await page.unroute("**/pets/import?*");
      await press("Done");
      await dialog().first().waitFor({ state: "detached" });
    },
    PATIENCE,
  );

  test(
    "replaces neither pets nor their status once the box that offers both is empty again",
    async () => {
      await goTo(page, "#/pets");
      await page.getByRole("button", { name: "Import", exact: true }).first().click();
      await dialog().getByLabel("Change the pet with this id").check();
      await dialog().getByLabel("Also change the status").check();
      await dialog().getByLabel("Change the pet with this id").uncheck();
      const buffer = Buffer.from('{"name":"Rex","categoryId":1}\n');
      await dialog().getByLabel("File").setInputFiles({ name: "pets.ndjson", mimeType: "text/plain", buffer });
      const sent = page.waitForRequest(/\/pets\/import\?/);
      await press("Import");
      const { searchParams } = new URL((await sent).url());
      expect([searchParams.get("replace"), searchParams.get("replaceStatus")]).toEqual(["false", "false"]);
      await dialog().getByText("1 pet imported, no lines rejected.").waitFor();
      await press("Done");
      await dialog().first().waitFor({ state: "detached" });
    },
    PATIENCE,
  );
});
