import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";

/** How long a browser may take for one thing, in ms. */
export const PATIENCE = 30_000;

const PATH = (process.env.PATH ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "chromium"))
  .find((path) => existsSync(path));

/** Whether this machine has Chromium. */
export const hasChromium: boolean = PATH !== undefined;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: PATH ?? "", args: ["--no-sandbox"], timeout: PATIENCE });
}

/** What a page asked for, and what it complained about. */
export type Seen = { requests: string[]; complaints: string[] };

export function watch(page: Page): Seen {
  const seen: Seen = { requests: [], complaints: [] };
  page.on("request", (request) => seen.requests.push(request.url()));
  page.on("pageerror", (error) => seen.complaints.push(error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) seen.complaints.push(message.text());
  });
  return seen;
}

/** What was asked of anybody but the service at this address. */
export function elsewhere({ requests }: Seen, url: string): string[] {
  return requests.filter((request) => !request.startsWith(`${url}/`) && !/^(data|blob):/.test(request));
}

/** By how many pixels a page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}
