import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { petTransitions } from "../../src/domain/transitions.ts";
import type { Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { addPets } from "../support/pets.ts";
import { useService } from "../support/use-service.ts";
import { accessibilityViolations } from "./accessibility.ts";
import { hasChromium, launchChromium, PATIENCE, type Seen, watch } from "./chromium.ts";
import { buildConsole, choose, goTo, signIn } from "./console.ts";

if (!hasChromium) console.log("skipped: the console tests need Chromium, which this machine does not have");

/** Longer than the time after which a page is fetched again, in ms. */
const REFRESHED_MS = 6_000;
const LARGEST = "9223372036854775807";

/** One session of an operator with the keyboard alone: each test continues where the one before stopped. */
describe.skipIf(!hasChromium)("an operator who runs the shop at the console", () => {
  beforeAll(buildConsole, PATIENCE);
  const service = useService({ now: Date.now() });
  let browser: Browser;
  let page: Page;
  let seen: Seen;
  let token = "";
  let shopper: Client;
  /** Another operator, who works with the interface. */
  let colleague: Client;
  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    seen = watch(page);
    shopper = await service.withKey();
    colleague = (await service.withOperator("admin", "Grace")).client;
    ({ token } = await service.withOperator("admin"));
    await signIn(page, service.adminUrl, token);
  }, PATIENCE);
  afterAll(() => browser?.close());

  const dialog = () => page.getByRole("dialog");
  const heading = (name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
  const badge = (status: string) => page.locator(".page-head .badge", { hasText: status }).waitFor();
  const isClosed = () => dialog().waitFor({ state: "detached" });
  /** Opens a dialog with Enter. */
  const open = async (opener: string) => {
    await page.getByRole("button", { name: opener, exact: true }).first().focus();
    await page.keyboard.press("Enter");
    await dialog().waitFor();
  };
  /** Types into the field that has the focus, in place of what it has. */
  const type = async (text: string) => {
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type(text);
  };
  /** Goes on to the button of the dialog that submits, and presses it. */
  const submit = async (label: string) => {
    await dialog().getByRole("button", { name: label, exact: true }).focus();
    await page.keyboard.press("Enter");
  };
  /** The text of the element that has the focus. */
  const focused = () => page.evaluate<string>("document.activeElement.textContent");
  const discard = async () => {
    await submit("Cancel");
    await page.getByRole("button", { name: "Discard" }).press("Enter");
    await isClosed();
  };
  const filter = async (label: string, text: string) => {
    await page.getByLabel(label, { exact: true }).focus();
    await type(text);
    await page.keyboard.press("Enter");
  };

  test("has the focus on the heading after signing in", () => page.locator("h1:focus").waitFor(), PATIENCE);

  test(
    "reads on a page without anything what fills it, and on that of something unknown where the others are",
    async () => {
      const other = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      await signIn(other, service.adminUrl, token);
      const texts: Record<string, string> = {
        overview: "No requests yet|Requests to the API appear here as they arrive. To send one, create a key.",
        pets: "No pets yet|Add a pet, import a file, or create pets through the API.",
        categories: "No categories yet|A category gives a name to the category id of pets.|Create category",
        orders: "No orders yet|Clients of the API order available pets; admins order one on its page.",
        requests: "No requests yet",
        webhooks:
          "There are no endpoints|Changes of pets, categories and orders, or alerts, are sent to endpoints as they happen.",
        alerts:
          "There are no alerts|A ban, a failed backup, a damaged file, a full disk, many errors or a disabled webhook raise one.",
        backups: "There are no backups yet|“Back up now” makes one. A download can be uploaded again.",
        deprecation: "No callers|No key has called this operation.",
        "keys?search=nobody": "No matching keys|Clear filters",
        "pets?name=Nobody": "No matching pets|Clear filters",
        "categories?name=None": "No matching categories|Clear filters",
        "orders?reference=none": "No matching orders|Clear filters",
        "requests?status=5xx": "No matching requests|Clear filters",
        "audit?target=nobody": "No matching changes|Clear filters",
        "alerts?state=acknowledged":
          "No alert is acknowledged|A ban, a failed backup, a damaged file, a full disk, many errors or a disabled webhook raise one.",
        "keys/key_nobody": "Key not found|No key has the id key_nobody. See all keys.",
        "pets/4711": "Pet not found|No pet has the id 4711 now. See all pets.",
        "categories/4711":
          "No category has this id|Pets may have it all the same. Create the category to give it a name.|Create category",
        "orders/4711": "Order not found|No order has the id 4711. See all orders.",
        "webhooks/wh_nobody": "Endpoint not found|See all endpoints.",
      };
      for (const [path, text] of Object.entries(texts)) {
        await goTo(other, `#/${path}`);
        const empty = other.locator("main .empty-state").first();
        const parts = empty.locator("h2, p, button");
        await empty.getByRole("heading", { name: text.split("|")[0] ?? "", exact: true }).waitFor();
        expect([path, (await parts.allTextContents()).join("|")]).toEqual([path, text]);
      }
      await other.close();
    },
    2 * PATIENCE,
  );

  test(
    "creates categories, and finds one by its name in any case",
    async () => {
      states("docs/console.md", "Find one by its name, create, rename and remove them.");
      states("docs/console.md", "Find one by its name, create");
      await goTo(page, "#/categories");
      await heading("No categories yet");
      for (const name of ["Dogs", "Cats"]) {
        await open("Create category");
        await type(name);
        await page.keyboard.press("Enter");
        await isClosed();
        await page.getByRole("link", { name, exact: true }).waitFor();
      }
      await filter("Name", "CATS");
      await page.getByRole("link", { name: "Dogs", exact: true }).waitFor({ state: "detached" });
      await page.getByRole("link", { name: "Cats", exact: true }).waitFor();
      expect(page.url()).toEndWith("#/categories?name=CATS");
    },
    PATIENCE,
  );

  test(
    "reads in the form that a name is taken, and that somebody else has renamed the category meanwhile",
    async () => {
      states(
        "docs/console.md",
        "a category or an order while you do, nothing is overwritten: the dialog shows the new state",
      );
      await page.getByRole("link", { name: "Cats", exact: true }).click();
      await heading("Cats");
      await open("Rename");
      await type("dogs");
      await page.keyboard.press("Enter");
      await dialog().getByRole("alert").getByText("Category 1 has this name").waitFor();
      await type("House cats");
      expect((await colleague.put("/admin/v1/categories/2", { name: "Wild cats" })).status).toBe(200);
      await page.keyboard.press("Enter");
      await dialog().getByRole("alert").getByText("Somebody else has made a change meanwhile").waitFor();
      await dialog().getByText("Its name is now Wild cats.").waitFor();
      await submit("Rename category");
      await isClosed();
      await heading("House cats");
      await page.locator(".changes", { hasText: "Wild cats → House cats" }).waitFor();
    },
    PATIENCE,
  );

  test(
    "cannot remove a category that a pet has, and reads why in the dialog",
    async () => {
      await colleague.post("/admin/v1/pets", { name: "Rex", categoryId: 2 });
      await open("Remove");
      await submit("Remove House cats");
      await dialog().getByRole("alert").getByText("Pets have this category.").waitFor();
      expect(await focused()).toBe("Remove House cats");
      await dialog().getByRole("link", { name: "the pets of this category" }).press("Enter");
      await page.getByRole("row", { name: /Rex House cats 2 available/ }).waitFor();
      expect(page.url()).toEndWith("#/pets?categoryId=2");
    },
    PATIENCE,
  );

  test(
    "changes a pet, and does not overwrite what somebody else has changed meanwhile",
    async () => {
      states("docs/console.md", "If somebody else changes a key, a pet");
      await page.getByRole("link", { name: "Rex" }).press("Enter");
      await heading("Rex");
      await open("Edit");
      await type("Max");
      expect((await colleague.patch("/admin/v1/pets/1", { status: "sold" })).status).toBe(200);
      await submit("Save");
      await dialog().getByText("The pet is now Rex, category 2, sold.").waitFor();
      // The statuses to choose from are those that can follow the new one.
      const offered = await dialog().getByLabel("Status").locator("option").allTextContents();
      expect(offered.map((text) => text.toLowerCase()).toSorted()).toEqual(["sold", ...petTransitions.sold].toSorted());
      // The categories by which a form completes an id.
      const suggested = await dialog()
        .locator("datalist option")
        .evaluateAll((all) => all.map((one) => [one.getAttribute("value"), one.getAttribute("label")]));
      expect(suggested).toEqual([
        ["1", "Dogs"],
        ["2", "House cats"],
      ]);
      expect((await colleague.get("/admin/v1/pets/1")).body).toMatchObject({ name: "Rex", status: "sold" });
      expect(await dialog().getByLabel("Name").inputValue()).toBe("Max");
      expect(await dialog().getByLabel("Status").inputValue()).toBe("sold");
      expect(await dialog().getByRole("option").allTextContents()).toEqual(["Available", "Sold"]);
      await dialog().getByLabel("Category id").fill(LARGEST);
      await submit("Save");
      await isClosed();
      await heading("Max");
      await page.getByRole("link", { name: LARGEST }).first().waitFor();
      const { text } = await colleague.get("/admin/v1/pets/1");
      expect(text).toBe(`{"id":1,"name":"Max","categoryId":${LARGEST},"status":"sold"}`);
    },
    PATIENCE,
  );

  test(
    "gives a name to a category id that pets have",
    async () => {
      states("docs/console.md", "A category id that pets have and that has no name yet gets one on its page.");
      await page.getByRole("link", { name: LARGEST }).first().press("Enter");
      await heading("No category has this id");
      await page.getByRole("link", { name: "Max" }).waitFor();
      await open("Create category");
      await type("Last");
      await page.keyboard.press("Enter");
      await isClosed();
      await heading("Last");
      await page.locator("h1:focus").waitFor();
    },
    PATIENCE,
  );

  test(
    "approves and delivers an order, and sees that its pet is sold",
    async () => {
      states("docs/console.md", "and lets you approve, deliver");
      await colleague.post("/admin/v1/pets", { name: "Luna", categoryId: 1 });
      expect((await shopper.post("/v1/store/orders", { petId: 2 })).status).toBe(201);
      await goTo(page, "#/overview");
      await page.getByRole("listitem").filter({ hasText: "Pending pets" }).getByText("1", { exact: true }).waitFor();
      await page.getByRole("link", { name: "Orders to approve" }).press("Enter");
      await page.getByRole("link", { name: "Order 1" }).press("Enter");
      await badge("placed");
      await open("Approve");
      await submit("Approve order");
      await badge("approved");
      await open("Deliver");
      await submit("Deliver order");
      await badge("delivered");
      await page.locator("h1:focus").waitFor();
      expect(await page.locator(".page-head").getByRole("button").count()).toBe(0);
      await page.locator(".audit > li").filter({ hasText: "delivered the order 1" }).waitFor();
      await page.getByRole("link", { name: "Luna" }).press("Enter");
      await badge("sold");
      await page.getByRole("row", { name: /Order 1 delivered/ }).waitFor();
    },
    PATIENCE,
  );

  test(
    "imports changes, which leave a pet sold that a delivered order has sold, unless asked to change it",
    async () => {
      states("docs/console.md", "and its reason, as new pets or as changes.");
      const buffer = Buffer.from('{"id":2,"name":"Luna","status":"available"}\n');
      const importFile = async (...checkboxes: string[]) => {
        await open("Import");
        await dialog().getByLabel("File").setInputFiles({ name: "pets.ndjson", mimeType: "text/plain", buffer });
        for (const name of checkboxes) await dialog().getByRole("checkbox", { name }).press("Space");
        await dialog().getByText("back on sale").waitFor();
        expect(await accessibilityViolations(page)).toEqual([]);
        await submit("Import");
        await dialog().getByText("Import finished").waitFor();
      };
      await goTo(page, "#/pets");
      await importFile("Change the pet with this id");
      await dialog().getByText("0 pets imported, 0 changed, no lines rejected.").waitFor();
      await dialog().getByText("1 pet that a delivered order has sold stays sold.").waitFor();
      await submit("Done");
      await isClosed();
      expect((await colleague.get("/admin/v1/pets/2")).body.status).toBe("sold");
      await importFile("Change the pet with this id", "Also change the status of pets");
      await dialog().getByText("0 pets imported, 1 changed, no lines rejected.").waitFor();
      await submit("Done");
      await page.getByRole("row", { name: /Luna .*available/ }).waitFor();
      await colleague.patch("/admin/v1/pets/2", { status: "sold" });
    },
    PATIENCE,
  );

  test(
    "cancels an order after a confirmation, unless somebody else has changed it meanwhile",
    async () => {
      states("docs/console.md", "The list by status and pet", "and lets you approve, deliver or cancel it.");
      await colleague.post("/admin/v1/pets", { name: "Coco", categoryId: 1 });
      await shopper.post("/v1/store/orders", { petId: 3, reference: "Nº 7" });
      await goTo(page, "#/orders/2");
      await page
        .locator("main dl")
        .filter({ hasText: /^PetCoco.*Nº 7/ })
        .waitFor();
      await open("Cancel");
      await heading("Cancel order 2?");
      expect((await colleague.patch("/admin/v1/orders/2", { status: "approved" })).status).toBe(200);
      await submit("Cancel order");
      await dialog().getByText("The order is now approved.").waitFor();
      expect((await colleague.get("/admin/v1/orders/2")).body.status).toBe("approved");
      await submit("Cancel order");
      await badge("cancelled");
      expect((await colleague.get("/admin/v1/pets/3")).body.status).toBe("available");
      await goTo(page, "#/orders");
      await page.getByRole("row", { name: /Order 2 cancelled/ }).waitFor();
      await filter("Reference", "Nº 7");
      await page.getByRole("row", { name: /Order 1 delivered/ }).waitFor({ state: "detached" });
      await page.getByRole("row", { name: /Order 2 cancelled Coco 3 Nº 7/ }).waitFor();
      await goTo(page, "#/orders");
      await page.getByRole("row", { name: /Order 1 delivered/ }).waitFor();
      await filter("Pet", "2");
      await page.getByRole("row", { name: /Order 2 cancelled/ }).waitFor({ state: "detached" });
      await page.getByRole("row", { name: /Order 1 delivered/ }).waitFor();
      await filter("Pet", "x");
      await page.getByText("petId must be").waitFor();
      await page.getByRole("row", { name: /Order 1 delivered/ }).waitFor({ state: "detached" });
      expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    },
    PATIENCE,
  );

  test(
    "orders an available pet, and finds the order first in the list and counted in the overview",
    async () => {
      states("docs/console.md", "and lets you order", "the newest or the oldest first.");
      await goTo(page, "#/pets/3");
      await open("Place order");
      await heading("Order Coco?");
      await submit("Place order");
      await isClosed();
      await badge("pending");
      await page.getByRole("row", { name: /Order 3 placed/ }).waitFor();
      expect(await page.locator("tbody th").allTextContents()).toEqual(["Order 3", "Order 2"]);
      await page.locator("h1:focus").waitFor();
      expect(await page.getByRole("button", { name: "Place order" }).count()).toBe(0);
      const isFirst = (name: string) =>
        page.locator("tbody tr:first-child").getByRole("link", { name, exact: true }).waitFor();
      await goTo(page, "#/orders");
      await isFirst("Order 3");
      await page.getByLabel("Sort").selectOption("Oldest first");
      await isFirst("Order 1");
      expect(page.url()).toEndWith("#/orders?order=asc");
      await page.reload();
      await isFirst("Order 1");
      await goTo(page, "#/overview");
      for (const [name, count] of Object.entries({ "Orders to approve": "1", "Delivered orders": "1" })) {
        await page.getByRole("listitem").filter({ hasText: name }).getByText(count, { exact: true }).waitFor();
      }
    },
    PATIENCE,
  );

  test(
    "cannot remove a pet that an order holds; removes it afterwards, and still sees its orders and changes",
    async () => {
      states(
        "docs/console.md",
        "A pet's page shows its orders, its history and what operators did with it",
        "edit or remove it.",
      );
      await goTo(page, "#/pets/3");
      await open("Remove");
      await submit("Remove Coco");
      await dialog().getByRole("alert").getByText("Order 3 holds this pet.").waitFor();
      await submit("Cancel");
      await isClosed();
      await colleague.patch("/admin/v1/orders/3", { status: "cancelled" });
      await badge("available");
      await open("Remove");
      await submit("Remove Coco");
      await heading("Pets");
      await page.getByRole("status").getByText("Coco was removed.").waitFor();
      await page.locator("main:focus").waitFor();
      expect(await page.getByRole("link", { name: "Coco" }).count()).toBe(0);
      await goTo(page, "#/pets/3");
      await heading("Pet not found");
      expect(await page.getByText("Coco was removed.").count()).toBe(0);
      await page.getByRole("row", { name: /Order 3 cancelled/ }).waitFor();
      await page.locator(".audit > li").filter({ hasText: "removed the pet Coco" }).waitFor();
      expect((await colleague.get("/admin/v1/pets/3")).status).toBe(404);
    },
    PATIENCE,
  );

  test(
    "keeps what was typed, and reads that somebody else has removed the pet or created the category meanwhile",
    async () => {
      const typed = "Paws and Whiskers";
      const { body: pet } = await colleague.post("/admin/v1/pets", { name: "Milo", categoryId: 3 });
      await goTo(page, `#/pets/${pet.id}`);
      await open("Edit");
      await type(typed);
      expect((await colleague.delete(`/admin/v1/pets/${pet.id}`)).status).toBe(204);
      await page.waitForTimeout(REFRESHED_MS);
      await submit("Save");
      await dialog().getByRole("alert").getByText("There is no pet with this id.").waitFor();
      expect(await dialog().getByLabel("Name").inputValue()).toBe(typed);
      await discard();
      await heading("Pet not found");

      await goTo(page, "#/categories/3");
      await open("Create category");
      await type(typed);
      expect((await colleague.put("/admin/v1/categories/3", { name: "Birds" })).status).toBe(201);
      await page.waitForTimeout(REFRESHED_MS);
      await submit("Create category");
      await dialog().getByRole("alert").getByText("Its name is Birds.").waitFor();
      expect(await dialog().getByLabel("Name").inputValue()).toBe(typed);
      await discard();
      await heading("Birds");
    },
    2 * PATIENCE,
  );

  test(
    "signs in again when the session ends in a dialog, and saves what was typed before",
    async () => {
      states("docs/console.md", "afterwards you sign in again on the same page, with all that you have entered there.");
      const { body: pet } = await colleague.post("/admin/v1/pets", { name: "Bella", categoryId: 1 });
      await goTo(page, `#/pets/${pet.id}`);
      await open("Edit");
      await type("Bella the Second");
      await page.context().clearCookies();
      await page.keyboard.press("Enter");
      await page.getByRole("status").getByText("Your session has ended").waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
      await page.getByLabel("Operator token").and(page.locator(":focus")).waitFor();
      await page.keyboard.type(token);
      // The page below is read again at once, although the dialog keeps it otherwise.
      const again = page.waitForResponse(
        (response) =>
          response.ok() && response.url().endsWith(`/pets/${pet.id}`) && response.request().method() === "GET",
      );
      await page.keyboard.press("Enter");
      await page.getByLabel("Operator token").waitFor({ state: "detached" });
      await again;
      await dialog().getByText("Your session had ended, so nothing was changed.").waitFor();
      expect(await dialog().getByLabel("Name").inputValue()).toBe("Bella the Second");
      await eventually(async () => (await page.title()).startsWith("Bella ·"));
      await submit("Save");
      await isClosed();
      await heading("Bella the Second");
    },
    PATIENCE,
  );

  test(
    "shows nothing of what was typed to another operator who signs in then",
    async () => {
      await open("Edit");
      await type("Secret");
      await page.context().clearCookies();
      await page.keyboard.press("Enter");
      await page.getByLabel("Operator token").fill((await service.withOperator("viewer", "Guest")).token);
      await page.keyboard.press("Enter");
      await page.getByText("Guest").first().waitFor();
      await isClosed();
      expect(await page.content()).not.toContain("Secret");
      await page.context().clearCookies();
      await page.reload();
      await page.getByLabel("Operator token").fill(token);
      await page.keyboard.press("Enter");
      await heading("Bella the Second");
    },
    PATIENCE,
  );

  test(
    "is not offered to approve an order that somebody else has cancelled meanwhile",
    async () => {
      const { body: pet } = await colleague.post("/admin/v1/pets", { name: "Nala", categoryId: 1 });
      const { body: order } = await shopper.post("/v1/store/orders", { petId: pet.id });
      await goTo(page, `#/orders/${order.id}`);
      await open("Approve");
      expect((await colleague.patch(`/admin/v1/orders/${order.id}`, { status: "cancelled" })).status).toBe(200);
      await submit("Approve order");
      await dialog().getByText("The order is now cancelled.").waitFor();
      expect(await dialog().getByRole("button", { name: "Approve order" }).count()).toBe(0);
      await submit("Back");
      await badge("cancelled");
    },
    PATIENCE,
  );

  test(
    "finds pets by the beginning of their name and by id, and all of this in the audit log",
    async () => {
      states("docs/console.md", "The catalogue by name, id, category and status");
      states("docs/console.md", "Every change with its operator", "The catalogue by name, id");
      await goTo(page, "#/pets");
      await filter("Name", "lu");
      await page.getByRole("row", { name: /Max/ }).waitFor({ state: "detached" });
      await page.getByRole("row", { name: /Luna/ }).waitFor();
      await filter("Id", "1");
      await heading("No matching pets");
      await page.getByRole("button", { name: "Clear filters" }).press("Enter");
      await page.getByRole("row", { name: /Max/ }).waitFor();
      await goTo(page, "#/audit");
      const entries = page.locator(".audit > li");
      for (const text of [
        "removed the pet Coco",
        "placed the order 3",
        "cancelled the order 2",
        "delivered the order 1",
        "created the category Last",
        `2 → ${LARGEST}`,
        "renamed the category House cats",
      ]) {
        await entries.filter({ hasText: text }).first().waitFor();
      }
    },
    PATIENCE,
  );

  test(
    "goes on from a page that has none of the pets with a frequent beginning",
    async () => {
      // Its normal form is too long for the index.
      const name = "\ufdfa".repeat(30);
      await addPets(service, [...Array(10_000).fill({ name: "Other", categoryId: 1n }), { name, categoryId: 1n }]);
      await goTo(page, `#/pets?name=${encodeURIComponent(name.slice(1))}`);
      await page.getByText("0 pets", { exact: true }).waitFor();
      expect(await page.getByRole("heading", { name: "No matching pets" }).count()).toBe(0);
      await page.getByRole("button", { name: "Next" }).press("Enter");
      await page.getByRole("row", { name }).waitFor();
    },
    PATIENCE,
  );

  test(
    "reads the history of a pet and of its order: what each version changed, and by which request, page by page",
    async () => {
      states(
        "docs/console.md",
        "The history is that of the feed: each version with what it changed, when, and the id of the request, which leads to the page Requests. It stays when the pet is gone.",
        "An order's page shows its history, as that of a pet does",
      );
      const { body: pet } = await colleague.post("/admin/v1/pets", { name: "Fay 0", categoryId: 1 });
      for (let i = 1; i <= 10; i++) {
        await shopper.patch(`/v1/pets/${pet.id}`, { name: `Fay ${i}` }, { "X-Request-Id": `fay-${i}` });
      }
      const body = JSON.stringify({ id: pet.id, name: "Fay, imported" });
      const headers = { "Content-Type": "application/x-ndjson" };
      await colleague.request("/admin/v1/pets/import?replace=true", { method: "POST", headers, body });
      const { body: order } = await shopper.post("/v1/store/orders", { petId: pet.id, reference: "Fay" });
      await goTo(page, `#/pets/${pet.id}`);
      const row = (text: string | RegExp) => page.locator(".audit > li").filter({ hasText: text });
      await row(/^Updated Fay, imported version 13.*statusavailable → pending$/).waitFor();
      await row(/^Updated Fay, imported version 12.*nameFay 10 → Fay, imported$/).waitFor();
      await row(/^Updated Fay 3 version 4.*fay-3nameFay 2 → Fay 3$/).waitFor();
      expect(await row("version 3").count()).toBe(0);
      await page.getByText("Changes are kept since").waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      const pager = page.getByRole("navigation", { name: "Pages of events" });
      await pager.getByRole("button", { name: "Next" }).press("Enter");
      await row(/^Updated Fay 2 version 3.*nameFay 1 → Fay 2$/).waitFor();
      await row(/^Created Fay 0 version 1/).waitFor();
      await row("Created Fay 0").getByText("available").waitFor();
      expect(await row("version 4").count()).toBe(0);
      await row("version 2").getByRole("link", { name: "fay-1" }).press("Enter");
      await heading(`PATCH /v1/pets/${pet.id}`);
      expect(page.url()).toEndWith("#/requests/fay-1");
      await goTo(page, `#/orders/${order.id}`);
      await row(/^Placed version 1.*pet's nameFay, imported.*referenceFay$/).waitFor();
      await open("Cancel");
      await submit("Cancel order");
      await row(/^Cancelled version 2.*statusplaced → cancelled$/).waitFor();
      await row("Ada cancelled the order").waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      await colleague.delete(`/admin/v1/pets/${pet.id}`);
      await goTo(page, `#/pets/${pet.id}`);
      await row(/^Deleted Fay, imported version 15/).waitFor();
    },
    PATIENCE,
  );

  test(
    "what a page says of a change is read again when its operator has made one, without waiting for the next time",
    async () => {
      const other = await browser.newPage();
      // A page that asks for nothing again by itself.
      await other.addInitScript(`{
        const { setTimeout } = window;
        window.setTimeout = (run, ms, ...rest) => (ms >= 3_000 ? 0 : setTimeout(run, ms, ...rest));
      }`);
      await signIn(other, service.adminUrl, token);
      const { body: category } = await colleague.post("/admin/v1/categories", { name: "Before" });
      const { body: pet } = await colleague.post("/admin/v1/pets", { name: "Before", categoryId: category.id });
      const { body: ordered } = await colleague.post("/admin/v1/pets", { name: "Ordered", categoryId: category.id });
      const { body: order } = await shopper.post("/v1/store/orders", { petId: ordered.id });
      const key = (await colleague.post("/admin/v1/keys", { name: "Before", plan: "free" })).body.key;
      for (const [path, opener, submit, entry, event] of [
        [`keys/${key.id}`, "Rename", "Rename key", "Before → After"],
        [`categories/${category.id}`, "Rename", "Rename category", "Before → After"],
        [`pets/${pet.id}`, "Edit", "Save", "Before → After", "version 2"],
        [`orders/${order.id}`, "Approve", "Approve order", "Ada approved the order", "Approved version 2"],
      ] as const) {
        await goTo(other, `#/${path}`);
        const entries = other.locator(".audit > li");
        const panel = (name: string) =>
          other.locator("section.panel").filter({ has: other.getByRole("heading", { name, exact: true }) });
        // The lists as they were before.
        await panel("Changes by operators").locator(".content:not(.stale)").waitFor();
        if (event !== undefined) await panel("History").locator(".content:not(.stale)").waitFor();
        expect(await entries.filter({ hasText: entry }).count()).toBe(0);
        await choose(other, opener);
        const form = other.getByRole("dialog");
        if (opener !== "Approve") await form.getByLabel("Name", { exact: true }).fill("After");
        await form.getByRole("button", { name: submit, exact: true }).press("Enter");
        await form.waitFor({ state: "detached" });
        await panel("Changes by operators").locator("li").filter({ hasText: entry }).waitFor();
        if (event !== undefined) await panel("History").locator("li").filter({ hasText: event }).waitFor();
      }
      await other.close();
    },
    2 * PATIENCE,
  );

  test("no page logged an error, but for the refusals", () => {
    expect(seen.complaints.filter((one) => !/status of (400|401|404|409|412)/.test(one))).toEqual([]);
  });
});
