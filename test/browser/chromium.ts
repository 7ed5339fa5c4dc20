import { type Browser, chromium, type Page, type Route } from "playwright-core";

/** How long a test may take on a busy machine, in ms, and how long its browser for one thing: then the error says for which. */
export const PATIENCE = 300_000;
export const STEP = 60_000;

/** The path of this machine's Chromium, if it has one. The one without windows takes a fifth less processor time. */
export const CHROMIUM = Bun.which("chromium-headless-shell") ?? Bun.which("chromium") ?? undefined;

/** Whether this machine has Chromium. */
export const hasChromium: boolean = CHROMIUM !== undefined;

/** On a busy machine Chromium sometimes does not come up: then it is started again. */
export async function launchChromium(): Promise<Browser> {
  const launch = () => chromium.launch({ executablePath: CHROMIUM ?? "", args: ["--no-sandbox"], timeout: STEP });
  return launch().catch(launch);
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

/**
 * Handles requests of a page. It is loaded again: what an open page asks for next can pass Chromium before it begins to
 * hand its requests over.
 */
export async function intercept(
  page: Page,
  url: string | RegExp,
  handler: (route: Route) => Promise<void>,
): Promise<void> {
  await page.route(url, handler);
  await page.reload();
}

/** What was asked of anybody but the service at this address. */
export function elsewhere({ requests }: Seen, url: string): string[] {
  return requests.filter((request) => !request.startsWith(`${url}/`) && !/^(data|blob):/.test(request));
}

/** By how many pixels a page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}
