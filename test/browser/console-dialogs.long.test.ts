import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Dialog, Page, Route } from "playwright-core";
import { MAX_LIMIT } from "../../src/domain/limits/limits.ts";
import { states } from "../support/markdown.ts";
import { useService } from "../support/use-service.ts";
import { accessibilityViolations } from "./accessibility.ts";
import { hasChromium, intercept, launchChromium, PATIENCE } from "./chromium.ts";
import { buildConsole, choose, goTo, signIn } from "./console.ts";

if (!hasChromium) console.log("skipped: the console tests need Chromium, which this machine does not have");

const STRIKES = 100;
const TYPED = "Paws and Whiskers";

/** Operates the dialogs with the keyboard alone. */
describe.skipIf(!hasChromium)("a dialog of the console", () => {
  beforeAll(buildConsole, PATIENCE);
  const service = useService({ now: Date.now() });
  let browser: Browser;
  let page: Page;
  let key = "";
  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await signIn(page, service.adminUrl, (await service.withOperator("admin")).token);
    await service.withOperator("viewer", "Grace");
    const shopper = await service.withKey();
    await shopper.post("/v1/categories", { name: "Dogs" });
    await shopper.post("/v1/pets", { name: "Rex", categoryId: 7 });
    await shopper.post("/v1/pets", { name: "Luna", categoryId: 7 });
    await shopper.post("/v1/store/orders", { petId: 1 });
    const { id, secret } = await service.createKey({ limits: { perMinute: 1, perDay: 1_000 } });
    const client = service.withSecret(secret);
    await client.spend(2);
    await service.advance({ seconds: 3 });
    await client.spend(STRIKES);
    key = `#/keys/${id}`;
  }, PATIENCE);
  afterAll(() => browser?.close());

  const dialogs = () => page.getByRole("dialog");
  const press = async (...keys: string[]) => {
    for (const one of keys) await page.keyboard.press(one);
  };
  /** The label or text of the element that has the focus. */
  const focused = () =>
    page.evaluate<string>(
      "document.activeElement.labels?.[0]?.textContent || document.activeElement.ariaLabel || document.activeElement.textContent",
    );
  const open = async (path: string, opener: string) => {
    await goTo(page, path);
    await choose(page, opener);
    await dialogs().waitFor();
  };
  /** Leaves the dialog open that shows the secret. */
  const createKey = async () => {
    await open("#/keys", "Create key");
    await page.keyboard.type(TYPED);
    await press("Enter");
    await page.getByRole("heading", { name: "Key created" }).waitFor();
  };
  const goBack = () =>
    page.evaluate("new Promise((done) => { addEventListener('hashchange', () => setTimeout(done)); history.back(); })");
  const isClosed = () => dialogs().waitFor({ state: "detached" });

  test.each([
    ["#/keys", "Create key", "Name"],
    ["#/operators", "Create operator", "Name"],
    ["#/operators", "Revoke", "Cancel"],
    ["#/pets", "Add pet", "Name"],
    ["#/pets", "Import", "File"],
    ["#/pets", "Export", "Format"],
    ["#/pets/1", "Edit", "Name"],
    ["#/pets/1", "Remove", "Cancel"],
    ["#/pets/2", "Place order", "Cancel"],
    ["#/categories", "Create category", "Name"],
    ["#/categories/7", "Create category", "Name"],
    ["#/categories/1", "Rename", "Name"],
    ["#/categories/1", "Remove", "Cancel"],
    ["#/orders/1", "Approve", "Back"],
    ["#/orders/1", "Cancel", "Back"],
    ["key", "Change plan", "Plan"],
    ["the menu of the key", "Change expiry", "Expires"],
    ["the menu of the key", "Rotate", "Old secret expires"],
    ["key", "Unban", "Cancel"],
    ["the menu of the key", "Revoke", "Cancel"],
  ])(
    "%s: %s opens with the focus on %s; Escape closes it and returns the focus",
    async (path, opener, first) => {
      await open(path.endsWith("key") ? key : path, opener);
      expect(await focused()).toBe(first);
      await press("Escape");
      await isClosed();
      expect(await focused()).toBe(path.startsWith("the menu") ? "More" : opener);
    },
    PATIENCE,
  );

  test(
    "takes a name with spaces as it is typed, and creates the key with Enter",
    async () => {
      await createKey();
      expect(await focused()).toBe("Copy");
      await press("Escape", "Escape", "Tab");
      expect(await focused()).toBe("I have stored it");
      await press("Space");
      await isClosed();
      await page.getByRole("link", { name: TYPED }).waitFor();
    },
    PATIENCE,
  );

  test(
    "asks before it discards what was typed, on Escape and on its close button",
    async () => {
      const question = page.getByRole("heading", { name: "Discard what you entered?" });
      await open("#/keys", "Create key");
      await page.keyboard.type(TYPED);
      await press("Escape");
      await question.waitFor();
      expect(await focused()).toBe("Keep editing");
      await press("Escape");
      await question.waitFor({ state: "detached" });
      expect(await focused()).toBe("Name");
      expect(await dialogs().getByLabel("Name").inputValue()).toBe(TYPED);
      await press("Shift+Tab");
      expect(await focused()).toBe("Close");
      await press("Space");
      await question.waitFor();
      await press("Tab");
      expect(await focused()).toBe("Discard");
      await press("Enter");
      await isClosed();
      expect(await focused()).toBe("Create key");
    },
    PATIENCE,
  );

  test(
    "asks before it discards what was typed, on Cancel and when the browser goes back",
    async () => {
      const question = page.getByRole("heading", { name: "Discard what you entered?" });
      await open("#/keys", "Create key");
      await page.keyboard.type(TYPED);
      await dialogs().getByRole("button", { name: "Cancel" }).click();
      await question.waitFor();
      await press("Escape");
      await question.waitFor({ state: "detached" });
      await goBack();
      await question.waitFor();
      expect(page.url()).toEndWith("#/keys");
      await press("Escape");
      await question.waitFor({ state: "detached" });
      expect(await dialogs().getByLabel("Name").inputValue()).toBe(TYPED);
      await dialogs().getByRole("button", { name: "Cancel" }).click();
      await dialogs().getByRole("button", { name: "Discard" }).click();
      await isClosed();
      await open("#/keys", "Create key");
      await dialogs().getByRole("button", { name: "Cancel" }).click();
      await isClosed();
    },
    PATIENCE,
  );

  test(
    "asks before it discards the changes of a pet, then goes back as it was asked to",
    async () => {
      await open("#/pets/1", "Edit");
      await page.keyboard.type(TYPED);
      await goBack();
      await page.getByRole("heading", { name: "Discard what you entered?" }).waitFor();
      expect(page.url()).toEndWith("#/pets/1");
      await page.getByRole("button", { name: "Discard" }).press("Enter");
      await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
      expect(page.url()).toEndWith("#/keys");
      await isClosed();
      await goTo(page, "#/pets/1");
      await page.getByRole("heading", { name: "Rex", level: 1 }).waitFor();
    },
    PATIENCE,
  );

  test(
    "asks before a reload loses what was typed, and only then",
    async () => {
      const reload = () => page.evaluate("void setTimeout(() => location.reload())");
      await open("#/pets", "Add pet");
      await Promise.all([page.waitForEvent("load"), reload()]);
      await open("#/pets", "Add pet");
      await page.keyboard.type(TYPED);
      const [question] = await Promise.all([page.waitForEvent("dialog"), reload()]);
      expect(question.type()).toBe("beforeunload");
      await question.dismiss();
      expect(await dialogs().getByLabel("Name").inputValue()).toBe(TYPED);
      await dialogs().getByRole("button", { name: "Cancel" }).click();
      await dialogs().getByRole("button", { name: "Discard" }).click();
      await isClosed();
    },
    PATIENCE,
  );

  /** Reloads the page, and returns what it asked before. */
  async function questionsOfReload(): Promise<string[]> {
    const questions: string[] = [];
    const accept = (asked: Dialog) => {
      questions.push(asked.type());
      void asked.accept();
    };
    page.on("dialog", accept);
    await page.reload();
    await isClosed();
    page.off("dialog", accept);
    return questions;
  }

  test(
    "asks before a reload loses a secret that was not copied",
    async () => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await createKey();
      const [question] = await Promise.all([
        page.waitForEvent("dialog"),
        page.evaluate("void setTimeout(() => location.reload())"),
      ]);
      expect(question.type()).toBe("beforeunload");
      await question.dismiss();
      const secret = await dialogs().locator("code").textContent();
      await dialogs().getByRole("button", { name: "Copy" }).click();
      await dialogs().getByRole("button", { name: "Copied" }).waitFor();
      expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(secret ?? "");
      expect(await questionsOfReload()).toEqual([]);
    },
    PATIENCE,
  );

  test(
    "selects a secret when the browser refuses the clipboard, and does not call it copied",
    async () => {
      await createKey();
      const secret = await dialogs().locator("code").textContent();
      await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))");
      await dialogs().getByRole("button", { name: "Copy" }).click();
      await dialogs().getByRole("button", { name: "Select" }).waitFor();
      expect(await page.evaluate<string>("getSelection().toString()")).toBe(secret ?? "");
      expect(await dialogs().getByRole("status").textContent()).toBe("Selected");
      await page.keyboard.press("Control+C");
      expect(await questionsOfReload()).toEqual([]);
      // As in a browser on another machine, which gets the console over plain HTTP.
      await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
      await createKey();
      expect(await dialogs().getByRole("button", { name: "Copy" }).count()).toBe(0);
      await dialogs().getByRole("button", { name: "Select" }).click();
      const selected = await page.evaluate<string>("getSelection().toString()");
      expect(selected).toBe((await dialogs().locator("code").textContent()) ?? "");
      await dialogs().getByRole("button", { name: "I have stored it" }).press("Enter");
      await isClosed();
    },
    PATIENCE,
  );

  test(
    "sends once what is pressed several times",
    async () => {
      const held = Promise.withResolvers<void>();
      let sent = 0;
      await page.route("**/admin/v1/categories", async (route) => {
        if (route.request().method() === "POST") sent += 1;
        await held.promise;
        await route.continue();
      });
      await open("#/categories", "Create category");
      await page.keyboard.type("Created once");
      await press("Enter");
      await dialogs().locator("[type=submit][aria-busy=true]").waitFor();
      await press("Enter");
      await dialogs().locator("[type=submit]").press("Enter");
      await dialogs().locator("[type=submit]").press("Space");
      held.resolve();
      await isClosed();
      expect(sent).toBe(1);
      await page.unroute("**/admin/v1/categories");
    },
    PATIENCE,
  );

  test(
    "keeps a secret that is shown once when the browser goes back",
    async () => {
      await createKey();
      const secret = page.locator(".copyable-text code");
      await secret.waitFor();
      await goBack();
      expect(page.url()).toEndWith("#/keys");
      await secret.waitFor();
      // As a phone does when its button or gesture to go back is used.
      await page.evaluate("document.querySelector('dialog[open]').requestClose()");
      expect(await secret.isVisible()).toBe(true);
      await page.getByRole("button", { name: "I have stored it" }).click();
      await isClosed();
    },
    PATIENCE,
  );

  test(
    "says why a key without scopes cannot be created",
    async () => {
      await open("#/keys", "Create key");
      for (const scope of await dialogs().getByRole("checkbox").all()) await scope.uncheck();
      await dialogs().getByRole("status").getByText("Choose at least one scope.").waitFor();
      expect(await dialogs().getByRole("button", { name: "Create key" }).isDisabled()).toBe(true);
      await dialogs().getByRole("button", { name: "Cancel" }).click();
      await dialogs().getByRole("button", { name: "Discard" }).click();
      await isClosed();
    },
    PATIENCE,
  );

  test(
    "marks the field that the service refuses",
    async () => {
      await open("#/keys", "Create key");
      const name = dialogs().getByLabel("Name");
      await name.fill("W".repeat(101));
      expect(await name.getAttribute("aria-invalid")).toBe("false");
      await press("Enter");
      await dialogs().getByRole("alert").waitFor();
      expect(await name.getAttribute("aria-invalid")).toBe("true");
      await dialogs().getByRole("button", { name: "Cancel" }).click();
      await dialogs().getByRole("button", { name: "Discard" }).click();
      await isClosed();
    },
    PATIENCE,
  );

  test(
    "names the request of an error of the service, by which the log has it, and of no other",
    async () => {
      await using store = await service.store.connect();
      await store.run(
        "CREATE TRIGGER broken BEFORE INSERT ON categories WHEN NEW.name = 'Broken' BEGIN SELECT RAISE(ABORT, 'full'); END",
      );
      await open("#/categories", "Create category");
      const submitted = async (name: string) => {
        await dialogs().getByLabel("Name").fill(name);
        const answer = page.waitForResponse((response) => response.request().method() === "POST");
        await press("Enter");
        const response = await answer;
        await dialogs().locator("[type=submit][aria-busy=false]").waitFor();
        const alert = dialogs().getByRole("alert");
        await alert.waitFor();
        const { "x-request-id": id = "" } = response.headers();
        expect(id).not.toBe("");
        return [response.status(), (await alert.textContent())?.includes(id)];
      };
      expect(await submitted("W".repeat(101))).toEqual([400, false]);
      expect(await submitted("Broken")).toEqual([503, true]);
      expect(await submitted("dogs")).toEqual([409, false]);
      await store.run("DROP TRIGGER broken");
      // A proxy may answer in place of the service.
      for (const status of [500, 502, 504]) {
        const headers = { "X-Request-Id": `proxy-${status}` };
        const proxy = (route: Route) => route.fulfill({ status, headers, body: "<h1>Sorry</h1>" });
        await page.route("**/admin/v1/categories", proxy);
        expect(await submitted("Cats")).toEqual([status, true]);
        await page.unroute("**/admin/v1/categories", proxy);
      }
      await dialogs().getByRole("button", { name: "Cancel" }).click();
      await dialogs().getByRole("button", { name: "Discard" }).click();
      await isClosed();
    },
    PATIENCE,
  );

  test(
    "exports with Space",
    async () => {
      await open("#/pets", "Export");
      await press("Tab", "Tab");
      expect(await focused()).toBe("Export");
      await Promise.all([page.waitForEvent("download"), press("Space")]);
      await isClosed();
    },
    PATIENCE,
  );

  test(
    "returns the focus to the menu, or moves it to the heading when the button is gone, and announces what is done",
    async () => {
      const announced = () => page.locator("#announcement").textContent();
      await open(key, "Disable");
      await press("Tab", "Enter");
      await isClosed();
      await page.getByRole("button", { name: "Enable" }).waitFor();
      expect([await focused(), await announced()]).toEqual(["More", "Disable key: done."]);
      await open(key, "Enable");
      await press("Tab", "Enter");
      await isClosed();
      await page.locator("h1:focus").waitFor();
      expect(await announced()).toBe("Enable key: done.");
    },
    PATIENCE,
  );

  test(
    "does not overwrite a key that somebody else has changed meanwhile, and shows both changes",
    async () => {
      states("docs/console.md", "the dialog shows the new state, for a key both changes, and you decide again.");
      const { client: colleague } = await service.withOperator("admin", "Ida");
      const { body: issued } = await colleague.post("/admin/v1/keys", { name: "Shared", plan: "free" });
      const path = `/admin/v1/keys/${issued.key.id}`;
      await open(`#/keys/${issued.key.id}`, "Change plan");
      await dialogs().getByLabel("Plan").selectOption("pro");
      await colleague.patch(path, { plan: "business", note: "Contract 4711" });
      await dialogs().getByRole("button", { name: "Change plan" }).press("Enter");
      await dialogs().getByText("Changed by somebody else").waitFor();
      expect(await dialogs().locator("dl").allInnerTexts()).toEqual([
        expect.stringMatching(/note\s+none → Contract 4711\s+plan\s+free → business/),
        expect.stringMatching(/plan\s+business → pro/),
      ]);
      expect((await colleague.get(path)).body).toMatchObject({ plan: "business", version: 2 });
      expect(await accessibilityViolations(page)).toEqual([]);
      await dialogs().getByRole("button", { name: "Change plan" }).press("Enter");
      await isClosed();
      expect((await colleague.get(path)).body).toMatchObject({ plan: "pro", note: "Contract 4711", version: 3 });
    },
    PATIENCE,
  );

  test.each([
    ["keys", "Rename", "Rename key"],
    ["pets", "Edit", "Save"],
    ["categories", "Rename", "Rename category"],
  ] as const)(
    "does not take the operator's own change for one by somebody else, while the page is read again: %s",
    async (list, verb, submit) => {
      const { client } = await service.withOperator("admin", `Owner of ${list}`);
      const body = { keys: { name: "A", plan: "free" }, pets: { name: "A", categoryId: 7 }, categories: { name: "A" } }[
        list
      ];
      const created = (await client.post(`/admin/v1/${list}`, body)).body;
      const path = `/admin/v1/${list}/${created.key?.id ?? created.id}`;
      await goTo(page, path.replace("/admin/v1", "#"));
      await intercept(page, `**${path}`, async (route) => {
        if (route.request().method() === "GET") await Bun.sleep(1_000);
        await route.continue();
      });
      for (const name of ["B", "C"]) {
        await choose(page, verb);
        await dialogs().getByLabel("Name", { exact: true }).fill(name);
        await dialogs().getByRole("button", { name: submit }).press("Enter");
        await isClosed();
      }
      await page.unroute(`**${path}`);
      expect((await client.get(path)).body).toMatchObject({ name: "C" });
    },
    PATIENCE,
  );

  test(
    "changes many keys, one by one, and says of which somebody else has changed meanwhile",
    async () => {
      states(
        "docs/console.md",
        "Select many keys to change their plan, to disable or to revoke them: one after the other, and you see what became of each.",
      );
      const { client: colleague } = await service.withOperator("admin", "Eve");
      const names = ["Many A", "Many B", "Many C"];
      const ids: string[] = [];
      for (const name of names) ids.push((await colleague.post("/admin/v1/keys", { name, plan: "free" })).body.key.id);
      await goTo(page, "#/keys?search=Many");
      await page.getByRole("row", { name: /Many C/ }).waitFor();
      const all = page.getByRole("checkbox").first();
      const isChecked = () => all.evaluate((box: HTMLInputElement) => (box.indeterminate ? "mixed" : box.checked));
      expect(await isChecked()).toBe(false);
      await page.getByLabel("Select Many B").press("Space");
      await page.getByText("1 selected").waitFor();
      expect(await isChecked()).toBe("mixed");
      await all.press("Space");
      await page.getByText("3 selected").waitFor();
      expect(await isChecked()).toBe(true);
      expect(await accessibilityViolations(page)).toEqual([]);
      // What the list shows of a key since it was selected has been seen, and those that it does not show stay selected.
      await colleague.patch(`/admin/v1/keys/${ids[0]}`, { note: "seen", name: "Many A2" });
      await page.getByRole("link", { name: "Many A2" }).waitFor();
      await page.getByLabel("Search").fill("Many A2");
      await page.getByRole("link", { name: "Many C" }).waitFor({ state: "detached" });
      await page.getByText("3 selected").waitFor();
      await page.getByRole("button", { name: "Change plan" }).press("Enter");
      await dialogs().getByLabel("Plan").selectOption("pro");
      await colleague.patch(`/admin/v1/keys/${ids[1]}`, { note: "mine" });
      await dialogs().getByRole("button", { name: "Change plan: 3 keys" }).press("Enter");
      await dialogs().getByRole("alert").getByText("1 key of 3 could not be changed").waitFor();
      expect((await dialogs().getByRole("listitem").allTextContents()).toSorted()).toEqual([
        "Many A2 done",
        "Many B Somebody else has changed it. Look at it, then select it again.",
        "Many C done",
      ]);
      expect(await accessibilityViolations(page)).toEqual([]);
      // Another attempt is for those that failed: the others keep what became of them.
      const again = page.waitForResponse((response) => response.request().method() === "PATCH");
      await dialogs().getByRole("button", { name: "Change plan: 3 keys" }).press("Enter");
      expect((await again).url()).toEndWith(`/keys/${ids[1]}`);
      await dialogs().getByRole("alert").getByText("1 key of 3 could not be changed").waitFor();
      expect(await dialogs().getByRole("listitem").filter({ hasText: "done" }).count()).toBe(2);
      await dialogs().getByRole("button", { name: "Cancel" }).press("Enter");
      await dialogs().getByRole("button", { name: "Discard" }).press("Enter");
      await isClosed();
      await page.getByText("1 selected").waitFor();
      await goTo(page, "#/keys?search=Many");
      await page.getByRole("row", { name: /Many B.*Free/ }).waitFor();
      await page.getByRole("button", { name: "Revoke", exact: true }).press("Enter");
      await dialogs().getByRole("button", { name: "Revoke: 1 key" }).press("Enter");
      await isClosed();
      await page.getByText("Select all on this page").waitFor();
      const keys = await Promise.all(ids.map(async (id) => (await colleague.get(`/admin/v1/keys/${id}`)).body));
      expect(keys.map(({ plan, state }) => [plan, state])).toEqual([
        ["pro", "active"],
        ["free", "revoked"],
        ["pro", "active"],
      ]);
      const { entries } = (await colleague.get(`/admin/v1/audit?target=${ids[0]}`)).body;
      expect(entries.map(({ action }: { action: string }) => action)).toEqual([
        "key.update",
        "key.update",
        "key.create",
      ]);
    },
    PATIENCE,
  );

  test(
    "stays open while it changes many keys, and Cancel ends it after the key that is under way",
    async () => {
      const { client: colleague } = await service.withOperator("admin", "Mia");
      const ids: string[] = [];
      for (const name of ["Slow A", "Slow B", "Slow C"])
        ids.push((await colleague.post("/admin/v1/keys", { name, plan: "free" })).body.key.id);
      const disabled = async () => {
        const keys = await Promise.all(ids.map(async (id) => (await colleague.get(`/admin/v1/keys/${id}`)).body));
        return keys.filter(({ state }) => state === "disabled").length;
      };
      let held = Promise.withResolvers<void>();
      await goTo(page, "#/overview");
      await goTo(page, "#/keys?search=Slow");
      await intercept(page, "**/admin/v1/keys/*", async (route) => {
        if (route.request().method() === "PATCH") await held.promise;
        await route.continue();
      });
      const disable = async (count: string) => {
        held = Promise.withResolvers();
        await page.getByRole("button", { name: "Disable", exact: true }).press("Enter");
        await dialogs()
          .getByRole("button", { name: `Disable: ${count}` })
          .press("Enter");
        await dialogs().getByText(/^0 of/).waitFor();
      };
      await page.getByLabel("Select all on this page").check();
      await disable("3 keys");
      await dialogs().getByRole("button", { name: "Cancel" }).press("Enter");
      await isClosed();
      held.resolve();
      await page.getByText("2 selected").waitFor();
      expect(await disabled()).toBe(1);
      await disable("2 keys");
      await press("Escape");
      await goBack();
      expect(await dialogs().getByText("0 of 2").isVisible()).toBe(true);
      expect(await dialogs().getByRole("button", { name: "Close" }).count()).toBe(0);
      held.resolve();
      await isClosed();
      expect(await disabled()).toBe(3);
      await page.unroute("**/admin/v1/keys/*");
    },
    PATIENCE,
  );

  test(
    "marks a number that is out of the bounds of the service, and none within them",
    async () => {
      const isValid = async (label: string, value: string) => {
        const field = dialogs().getByLabel(label);
        await field.fill(value);
        return !(await field.evaluate((input) => input.matches(":invalid")));
      };
      await open("#/pets", "Add pet");
      for (const [value, expected] of [
        ...["-9223372036854775808", "-7", "0", "9223372036854775807"].map((value) => [value, true] as const),
        ...["", "07", "1.5", "1e3", "10000000000000000000"].map((value) => [value, false] as const),
      ])
        expect([value, await isValid("Category id", value)]).toEqual([value, expected]);
      await dialogs().getByRole("button", { name: "Cancel" }).click();
      await dialogs().getByRole("button", { name: "Discard" }).click();
      await isClosed();
      await open("#/keys", "Create key");
      await dialogs().getByLabel("Plan").selectOption("enterprise");
      for (const label of ["Requests per minute", "Requests per day"]) {
        for (const value of ["1", "99", String(MAX_LIMIT)])
          expect([label, value, await isValid(label, value)]).toEqual([label, value, true]);
        for (const value of ["", "0", "-1", "1.5", "1e3"])
          expect([label, value, await isValid(label, value)]).toEqual([label, value, false]);
      }
      await dialogs().getByRole("button", { name: "Cancel" }).click();
      await dialogs().getByRole("button", { name: "Discard" }).click();
      await isClosed();
    },
    PATIENCE,
  );

  test(
    "stays open when its backdrop is clicked",
    async () => {
      await open("#/keys", "Create key");
      await page.keyboard.type(TYPED);
      await page.mouse.click(5, 5);
      expect(await dialogs().getByLabel("Name").inputValue()).toBe(TYPED);
      await press("Escape");
      await dialogs().getByRole("button", { name: "Discard" }).click();
      await isClosed();
    },
    PATIENCE,
  );

  test(
    "revokes an operator only after the focus was moved to the button that does",
    async () => {
      await goTo(page, "#/operators");
      await page.getByRole("row", { name: /Grace/ }).getByRole("button", { name: "Revoke" }).focus();
      await press("Enter");
      await dialogs().waitFor();
      await press("Tab");
      expect(await focused()).toBe("Revoke Grace");
      await press("Enter");
      await isClosed();
      await page.getByRole("row", { name: /Grace.*revoked/ }).waitFor();
      await page.locator("h1:focus").waitFor();
    },
    PATIENCE,
  );

  test(
    "does not ask whether to revoke the only admin that is left",
    async () => {
      const { client: colleague } = await service.withOperator("admin", "Zoe");
      const { operators } = (await colleague.get("/admin/v1/operators")).body;
      await goTo(page, "#/operators");
      await page.reload();
      const ada = page.getByRole("row", { name: /Ada/ });
      await ada.getByRole("button", { name: "Revoke" }).waitFor();
      for (const { id, name } of operators.filter(({ name }: { name: string }) => name !== "Ada"))
        if (name !== "Zoe") await colleague.post(`/admin/v1/operators/${id}/revoke`, {});
      const { id } = operators.find(({ name }: { name: string }) => name === "Zoe");
      expect((await colleague.post(`/admin/v1/operators/${id}/revoke`, {})).status).toBe(200);
      await page.reload();
      await ada.getByText("active").waitFor();
      expect(await page.locator("main tbody").getByRole("button").count()).toBe(0);
    },
    PATIENCE,
  );

  test(
    "the list of operators says of one alone that it is the operator who reads it",
    async () => {
      await service.withOperator("viewer", "Ada");
      await goTo(page, "#/operators");
      await page.reload();
      const ofAda = page.getByRole("row", { name: /^Ada/ });
      await ofAda.nth(1).waitFor();
      expect(await ofAda.count()).toBe(2);
      const own = await page.evaluate<string>(
        "fetch('/admin/v1/session').then((response) => response.json()).then(({ operator }) => operator.id)",
      );
      await page.getByRole("row", { name: `Ada (you) ${own}` }).waitFor();
      expect(await page.getByText("(you)").count()).toBe(1);
    },
    PATIENCE,
  );
});
