import { showBidiControls } from "../../src/domain/text.ts";

/** The colours of the icon: of production, as the file has it, and of staging. */
const PRODUCTION = "#0f766e";
const STAGING = "#c2410c";

/** The deployment, which the service writes into the page. */
export const deployment = document.documentElement.dataset.deployment ?? "production";

/** How an operator creates another on the command line; the service writes it into the page, unless no command can. */
export const { operatorCommand } = document.documentElement.dataset;

/** Whether operators sign in at an OpenID provider too; the service writes it into the page. */
export const hasSingleSignOn = document.documentElement.dataset.singleSignOn !== undefined;

/** Gives staging an icon of its own. Its colours are in tokens.css. */
export async function markDeployment(): Promise<void> {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (deployment !== "staging" || link === null) return;
  const icon = await (await fetch(link.href)).text();
  link.href = `data:image/svg+xml,${encodeURIComponent(icon.replace(PRODUCTION, STAGING))}`;
}

/** Names the page and the deployment in the title of the window. */
export function setTitle(title: string): void {
  document.title = `${showBidiControls(title)} · Petstore ${deployment === "staging" ? "STAGING" : "console"}`;
}
