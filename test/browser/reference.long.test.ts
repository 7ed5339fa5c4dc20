import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { useService } from "../support/use-service.ts";
import { accessibilityViolations } from "./accessibility.ts";
import { elsewhere, hasChromium, intercept, launchChromium, overflowOf, PATIENCE, watch } from "./chromium.ts";

if (!hasChromium) console.log("skipped: the reference is not tried in a browser, without chromium on this machine");

const service = useService();

describe.skipIf(!hasChromium)("a page of the reference in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  }, PATIENCE);
  afterAll(() => browser?.close());

  async function visit(id: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
    await page.goto(`${service.url}/docs/reference/${id}`);
    return page;
  }

  const status = (page: Page) => page.locator(".request [role=status]");
  const field = (page: Page, name: string) => page.getByRole("textbox", { name });
  const body = (page: Page) => page.getByRole("region", { name: "Body" });

  /** Enters a key above the examples, and opens the form. */
  async function prepare(page: Page, secret: string): Promise<void> {
    await page.getByText("Show your key in the examples").click();
    await page.getByLabel("API key").fill(secret);
    await page.getByText("Send this request").click();
  }

  test(
    "on paper a page has its text and its examples, and nothing to press or to fill in",
    async () => {
      const page = await visit("listPets");
      await page.getByText("Send this request").waitFor();
      await page.emulateMedia({ media: "print" });
      await page.getByRole("heading", { level: 1 }).waitFor();
      for (const control of ["button", "input", "select", "nav", "header", "footer", ".key", ".request"])
        expect([control, await page.locator(control).locator("visible=true").count()]).toEqual([control, 0]);
      expect(await page.locator("main table, main .code").locator("visible=true").count()).toBeGreaterThan(2);
      await page.close();
    },
    PATIENCE,
  );

  test(
    "with the keyboard alone, a key that lacks is asked for, a request is sent, and the response is announced",
    async () => {
      const { secret } = await service.createKey();
      const page = await visit("listPets");
      const seen = watch(page);
      await page.getByText("Send this request").focus();
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Send", exact: true }).focus();
      await page.keyboard.press("Enter");
      await page.getByText("First enter your API key").waitFor();
      await page.getByLabel("API key").and(page.locator(":focus")).waitFor();
      expect(await page.locator("#key-note").textContent()).toContain(
        "Only the requests that you send from here have it.",
      );
      await page.keyboard.type(secret);
      await field(page, "limit").focus();
      await page.keyboard.type("1");
      await page.keyboard.press("Enter");
      await status(page).getByText("Response 200 OK", { exact: true }).waitFor();
      await page.getByText("Headers of the response").click();
      const headers = await page.getByRole("region", { name: "Headers" }).textContent();
      for (const line of [/^content-type: application\/json$/m, /^ratelimit: "minute"/m]) expect(headers).toMatch(line);
      expect(elsewhere(seen, service.url)).toEqual([]);
      expect(seen.complaints).toEqual([]);
      await page.close();
    },
    PATIENCE,
  );

  test(
    "a key that is none of this deployment is not sent",
    async () => {
      const page = await visit("listPets");
      const seen = watch(page);
      for (const secret of ["pets_live_abc", `pets_stag_${"a".repeat(32)}_${"b".repeat(6)}`]) {
        await page.reload();
        await prepare(page, secret);
        await page.getByRole("button", { name: "Send", exact: true }).click();
        await status(page).getByText("First enter your API key").waitFor();
      }
      expect(seen.requests.filter((url) => url.includes("/v1/"))).toEqual([]);
      await page.close();
    },
    PATIENCE,
  );

  test(
    "parameters go where they belong, and one that nobody filled in is not sent",
    async () => {
      const { secret } = await service.createKey();
      const { body: pet } = await service.withSecret(secret).post("/v1/pets", { name: "Rex", categoryId: 1 });
      const page = await visit("updatePet");
      await prepare(page, secret);
      const send = async () => {
        const sent = page.waitForRequest((request) => request.url().includes("/v1/"));
        await page.getByRole("button", { name: "Send", exact: true }).click();
        return sent;
      };
      await field(page, "petId").fill(String(pet.id));
      await field(page, "Body").fill('{"name": "Max"}');
      const plain = await send();
      expect(plain.method()).toBe("PATCH");
      expect(plain.url()).toBe(`${service.url}/v1/pets/${pet.id}`);
      expect(await plain.headerValue("If-Match")).toBeNull();
      expect(await plain.headerValue("Content-Type")).toBe("application/merge-patch+json");
      expect(await plain.headerValue("Authorization")).toBe(`Bearer ${secret}`);
      await body(page).getByText('"name": "Max"').waitFor();
      await field(page, "If-Match").fill('"v1"');
      expect(await (await send()).headerValue("If-Match")).toBe('"v1"');
      await status(page).getByText("Response 412").waitFor();
      await page.goto(`${service.url}/docs/reference/listPets`);
      await page.getByText("Send this request").click();
      await page.getByRole("combobox", { name: "status" }).selectOption("sold");
      await field(page, "ids").fill("1,2");
      // The key stays in the tab.
      expect((await send()).url()).toBe(`${service.url}/v1/pets?status=sold&ids=1%2C2`);
      // What is typed is one segment of the path, even if it has a slash.
      await page.goto(`${service.url}/docs/reference/getPet`);
      await page.getByText("Send this request").click();
      await field(page, "petId").fill("1/../2?a=b#c");
      expect((await send()).url()).toBe(`${service.url}/v1/pets/1%2F..%2F2%3Fa%3Db%23c`);
      await page.close();
    },
    PATIENCE,
  );

  test(
    "each operation has a field for each parameter, with its values, and asks for what the service requires",
    async () => {
      type Schema = { $ref?: string; enum?: string[] };
      type Described = {
        operationId: string;
        parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
        requestBody?: { content: object };
      };
      const { paths, components } = (await service.anonymous().get("/openapi.json")).body;
      const valuesOf = ({ $ref, enum: values }: Schema): string[] =>
        values ?? ($ref === undefined ? [] : valuesOf(components.schemas[$ref.split("/").at(-1) ?? ""]));
      const described = Object.values<object>(paths).flatMap((methods): Described[] => Object.values(methods));
      expect(described.length).toBeGreaterThan(15);
      const page = await visit("listPets");
      for (const { operationId, parameters = [], requestBody } of described) {
        await page.goto(`${service.url}/docs/reference/${operationId}`);
        const labels = await page
          .locator(".request form label")
          .evaluateAll((all) =>
            all.map(
              (label) => `${label.querySelector("span")?.textContent} ${label.childNodes[1]?.textContent?.trim()}`,
            ),
          );
        expect([operationId, ...labels]).toEqual([
          operationId,
          ...parameters.map((one) => `${one.name} ${one.in}${one.required ? ", required" : ""}`),
          ...Object.keys(requestBody?.content ?? {})
            .slice(0, 1)
            .map((type) => `Body ${type}`),
        ]);
        const fields = await page.evaluate(`[...document.querySelectorAll(".request form [name]")].map((field) =>
          [field.name, field.required, [...(field.options ?? [])].map((option) => option.value)])`);
        const expected: [string, boolean, string[]][] = parameters.map(({ name, required = false, schema }) => {
          const values = valuesOf(schema);
          return [name, required, values.length === 0 ? [] : ["", ...values]];
        });
        if (requestBody !== undefined) expected.push(["body", false, []]);
        expect([operationId, fields]).toEqual([operationId, expected]);
      }
      await page.close();
    },
    PATIENCE,
  );

  test(
    "integers of 64 bits are sent and shown to the digit",
    async () => {
      const { secret } = await service.createKey();
      const page = await visit("createPet");
      await prepare(page, secret);
      expect(JSON.parse(await field(page, "Body").inputValue())).toEqual({
        name: "Rex",
        categoryId: 1,
        status: "available",
      });
      await field(page, "Body").fill('{"name": "Rex", "categoryId": 9223372036854775807}');
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await body(page).getByText('"categoryId": 9223372036854775807').waitFor();
      await page.close();
    },
    PATIENCE,
  );

  test(
    "a service that does not respond is said to be so",
    async () => {
      const { secret } = await service.createKey();
      const page = await visit("getInventory");
      let isDown = false;
      await intercept(page, "**/v1/**", (route) => (isDown ? route.abort() : route.continue()));
      await prepare(page, secret);
      const send = page.getByRole("button", { name: "Send", exact: true });
      await send.click();
      await status(page).getByText("200").waitFor();
      isDown = true;
      await send.click();
      await status(page).getByText("No response").waitFor();
      // Nothing of the response before is left below it.
      expect(await page.locator(".request [role=status] + div").textContent()).not.toContain("available");
      await page.close();
    },
    PATIENCE,
  );

  test(
    "can be read without scripts",
    async () => {
      const page = await visit("createPet", { javaScriptEnabled: false });
      for (const text of ["The pet was added.", "categoryId", "payload_too_large"])
        expect(await page.getByText(text).count()).toBeGreaterThan(0);
      await page.close();
    },
    PATIENCE,
  );

  test.each([
    ["at a desk, in the light", { colorScheme: "light" }],
    ["on a phone, in the dark", { viewport: { width: 390, height: 844 }, isMobile: true, colorScheme: "dark" }],
  ] as [string, BrowserContextOptions][])(
    "%s all that can be opened fits, and can be used by ear",
    async (_where, options) => {
      const { secret } = await service.createKey();
      const page = await visit("createPet", options);
      await prepare(page, secret);
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await body(page).waitFor();
      await page.evaluate("for (const part of document.querySelectorAll('main details')) part.open = true");
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
      await page.close();
    },
    PATIENCE,
  );
});
