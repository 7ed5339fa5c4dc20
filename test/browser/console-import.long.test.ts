import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { buffer as bytesOf } from "node:stream/consumers";
import type { Browser, Page } from "playwright-core";
import { petstoreCommand } from "../../src/commands/petstore.ts";
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
      // The files that can be picked are those that the dialog names.
      const named =
        (
          await dialog()
            .getByText(/^NDJSON with one pet/)
            .textContent()
        )?.match(/\.[a-z]{3}\b/g) ?? [];
      expect(named).toEqual([".csv", ".tsv", ".txt"]);
      const picked = (await dialog().getByLabel("File").getAttribute("accept"))?.split(",") ?? [];
      expect(picked).toEqual(expect.arrayContaining([...named, ".ndjson"]));
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
      const note = dialog().getByRole("status");
      await dialog().getByLabel("Change the pet with this id").check();
      expect(await note.textContent()).toContain("except those that a delivered order has sold");
      await dialog().getByLabel("Also change the status").check();
      expect(await note.textContent()).toContain("the pet that was delivered");
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

  const answer = (...lines: object[]) =>
    page.route("**/pets/import?*", (route) =>
      route.fulfill({
        contentType: "application/x-ndjson",
        body: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
      }),
    );
  const done = async () => {
    await press("Done");
    await dialog().first().waitFor({ state: "detached" });
    await page.unroute("**/pets/import?*");
  };
  const file = Buffer.from("123456");
  const said = async (...texts: string[]) => {
    for (const text of texts) await dialog().getByText(text).first().waitFor();
  };

  test(
    "reads how many lines were rejected in all, and that the file has the first of them",
    async () => {
      await goTo(page, "#/pets");
      const rejections = [{ line: 1_001, problem: "No name." }];
      await answer(
        { imported: 2, rejected: 1, rejectedLines: btoa("bad 1\n") },
        {
          ...{ imported: 3, changed: 1, statusKept: 2, rejected: 3, rejectedLines: btoa("bad 2\n"), rejections },
          ...{ hasAllRejectedLines: false, done: true },
        },
      );
      await importFile("pets.ndjson", file);
      await said("Import finished", "3 pets imported, 1 changed", "3 lines rejected.", "Only the first 1 are listed.");
      await said("2 pets that delivered orders have sold stay sold.", "It has the first of them");
      expect(await dialog().locator("tbody tr").allTextContents()).toEqual(["1,001No name."]);
      const download = page.waitForEvent("download");
      await dialog().getByRole("link", { name: "Download the rejected lines" }).click();
      const content = await (await download).createReadStream();
      expect((await bytesOf(content)).toString()).toBe("bad 1\nbad 2\n");
      const { commands: groups } = await petstoreCommand();
      const commands = groups.find((group) => group.name() === "pets")?.commands ?? [];
      const options = commands.find((command) => command.name() === "import")?.options.map(({ long }) => long);
      expect(options).toContain(/--\w+/.exec((await dialog().textContent()) ?? "")?.[0]);
      await done();
    },
    PATIENCE,
  );

  test(
    "reads why an import ended early, and goes on with the line after the last one where that is known",
    async () => {
      const goesOn = dialog().getByRole("button", { name: /^Continue/ });
      await answer({ imported: 1_000, rejected: 0, lastLine: 1_000, error: { message: "The disk is full." } });
      await importFile("pets.ndjson", file);
      await said(
        "Import interrupted",
        "The disk is full. What was imported is kept. The import goes on with line 1,001.",
      );
      const sent = page.waitForRequest(/\/pets\/import\?/);
      await goesOn.click();
      expect(new URL((await sent).url()).searchParams.get("fromLine")).toBe("1001");
      await said("Import interrupted");
      await done();
      const unknown = "What was imported is kept. The audit log has the line with which the import ended.";
      await answer({ imported: 5, rejected: 0 });
      await importFile("pets.ndjson", file);
      await said(`The service ended the import early. ${unknown}`, "5 pets imported, no lines rejected.");
      expect(await goesOn.count()).toBe(0);
      await done();
      await page.route("**/pets/import?*", (route) => route.abort());
      const listed = page.waitForRequest(/\/pets\?limit/);
      await importFile("pets.ndjson", file);
      await said(`The connection was lost. ${unknown}`);
      // Some of the pets may be there.
      await listed;
      await done();
    },
    PATIENCE,
  );

  test(
    "sees how far an import is, finds where it ended when the connection is lost, and ends it with the dialog",
    async () => {
      const line = JSON.stringify({ import: "imp_1", imported: 2, changed: 1, rejected: 1 });
      await page.evaluate(`{
        const { prototype } = XMLHttpRequest;
        prototype.send = function () {
          Object.defineProperties(this, { status: { value: 200 }, responseText: { value: ${JSON.stringify(`${line}\n`)} } });
          this.upload.onprogress({ loaded: 3 });
          this.onprogress({});
          window.lose = () => this.onerror({});
        };
        prototype.abort = () => { window.isAborted = true; };
      }`);
      const entry = { action: "pets.import", after: { fromLine: 1, line: 41 } };
      await page.route("**/audit?*", (route) => route.fulfill({ json: { entries: [entry], next: null } }));
      await importFile("pets.ndjson", file);
      await said("50 % uploaded, 2 pets imported, 1 changed, 1 rejected");
      expect(await dialog().getByRole("progressbar", { name: "Uploaded" }).getAttribute("value")).toBe("50");
      const asked = page.waitForRequest(/\/audit\?/);
      await page.evaluate("lose()");
      expect(new URL((await asked).url()).search).toBe("?target=imp_1&limit=1");
      await said("The connection was lost. What was imported is kept. The import goes on with line 42.");
      await press("Done");
      await dialog().first().waitFor({ state: "detached" });
      await importFile("pets.ndjson", file);
      await said("50 % uploaded");
      await page.evaluate("window.isAborted = false");
      await press("Cancel");
      await dialog().first().waitFor({ state: "detached" });
      expect(await page.evaluate("window.isAborted")).toBe(true);
    },
    PATIENCE,
  );
});
