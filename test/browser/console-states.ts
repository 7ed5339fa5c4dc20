import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { eventually } from "../support/eventually.ts";

/** The response with what is given in its place: of a list, each item is like the first one that the service has. A map has all fields. */
function merged(response: unknown, given: unknown): unknown {
  if (given instanceof Map) return Object.fromEntries(given);
  if (Array.isArray(given)) {
    const [first] = Array.isArray(response) ? response : [];
    return given.map((item) => merged(first, item));
  }
  if (typeof given !== "object" || given === null || typeof response !== "object" || response === null) return given;
  const entries = Object.entries(given).map(([name, value]) => [name, merged(Object(response)[name], value)]);
  return { ...response, ...Object.fromEntries(entries) };
}

/**
 * A page of the console for which the service is in any state: by path, what its API says otherwise. Paths have the names of `ids`
 * in place of these. Changes are not made unless they `areMade`: that they were asked for is enough.
 */
export class ConsoleStates {
  #page: Page;
  #url: string;
  #ids: Record<string, string>;
  #given: Record<string, unknown> = {};
  #asked: string[] = [];
  areMade = false;

  constructor(page: Page, url: string, ids: Record<string, string>) {
    [this.#page, this.#url, this.#ids] = [page, url, ids];
  }

  async begin(): Promise<void> {
    await this.#page.route(/\/admin\/v1\/(?!session)/, async (route) => {
      const { pathname, search } = new URL(route.request().url());
      const named = (text: string) =>
        Object.entries(this.#ids).reduce((replaced, [name, id]) => replaced.replaceAll(id, name), text);
      const path = named(pathname.replace("/admin/v1/", ""));
      this.#asked.push(
        `${route.request().method()} ${path}${named(search)} ${route.request().postData() ?? ""}`.trim(),
      );
      const isRead = route.request().method() === "GET";
      if (!isRead && !this.areMade) return route.fulfill({ status: 200, json: {} });
      if (!isRead || this.#given[path] === undefined) return route.continue();
      const response = await route.fetch({ maxRetries: 2 });
      return route.fulfill({ response, status: 200, json: merged(await response.json(), this.#given[path]) });
    });
  }

  /** Opens the page of a service that says what is given, and waits for the texts. */
  async shows(path: string, given: Record<string, unknown>, ...texts: string[]): Promise<void> {
    [this.#given, this.#asked] = [given, []];
    let address = path;
    for (const [name, id] of Object.entries(this.#ids)) address = address.replace(name, id);
    await this.#page.goto("about:blank");
    await this.#page.goto(`${this.#url}/console#/${address}`);
    await this.#page.locator("main h1").waitFor();
    for (const text of texts) await this.has(text);
  }

  async text(selector = "main"): Promise<string> {
    return (await this.#page.locator(selector).allInnerTexts()).join(" ").replaceAll(/\s+/g, " ");
  }

  async has(text: string, selector = "main"): Promise<void> {
    const isThere = async () => (await this.text(selector)).includes(text);
    // In place of its own message, what is there.
    await eventually(isThere).catch(async () => expect(await this.text(selector)).toContain(text));
  }

  async hasNot(...texts: string[]): Promise<void> {
    const shown = await this.text();
    expect(texts.filter((text) => shown.includes(text))).toEqual([]);
  }

  /** The color and the word of each state that the page shows. */
  tones(within = "main"): Promise<string[]> {
    return this.#page
      .locator(`${within} .badge`)
      .evaluateAll((all) => all.map((one) => `${one.className.replace("badge ", "")} ${one.textContent}`));
  }

  /** The addresses of the links of this name. */
  hrefs(name: string): Promise<(string | null)[]> {
    const links = this.#page.locator("main").getByRole("link", { name, exact: true });
    return links.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  }

  /** Waits until this was asked for: the method, the path with its query, and the body. */
  async wasAsked(request: string): Promise<void> {
    const isAsked = () => this.#asked.includes(request);
    await eventually(isAsked).catch(() => expect(this.#asked).toContain(request));
  }

  async press(name: string): Promise<void> {
    await this.#page.getByRole("button", { name, exact: true }).first().click();
  }

  /** Submits the dialog, which then closes. */
  async submit(label: string): Promise<void> {
    const dialog = this.#page.getByRole("dialog");
    await dialog.getByRole("button", { name: label, exact: true }).click();
    await dialog.waitFor({ state: "detached" });
  }
}
