import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import type { SignInProblem } from "../../src/domain/operators.ts";
import { states } from "../support/markdown.ts";
import { hasOpenIdProvider, OpenIdProvider } from "../support/openid-provider.ts";
import { RunningService } from "../support/service.ts";
import { accessibilityViolations } from "./accessibility.ts";
import { hasChromium, launchChromium, PATIENCE, STEP } from "./chromium.ts";
import { buildConsole, goTo } from "./console.ts";

describe.skipIf(!hasChromium || !hasOpenIdProvider)("an operator of an OpenID provider at the console", () => {
  beforeAll(buildConsole, PATIENCE);
  let provider: OpenIdProvider;
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    provider = await OpenIdProvider.start("localhost");
    service = new RunningService({ env: provider.env, now: Date.now() });
    await service.start();
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(STEP);
  }, PATIENCE);
  afterAll(async () => {
    await browser?.close();
    await service?.remove();
    await provider?.stop();
  });

  const atProvider = async (person: object) => {
    await page.getByLabel("Person").fill(JSON.stringify(person));
    await page.getByRole("button", { name: "Continue" }).click();
  };
  const link = () => page.getByRole("link", { name: "Sign in with single sign-on" });

  test(
    "signs in by keyboard, has the role of the claim, and signs out at the provider too",
    async () => {
      states(
        "docs/console.md",
        "Who may sign in, and who comes from the OpenID provider",
        "With single sign-on operators sign in at your OpenID provider instead.",
      );
      states(
        "docs/administration.md",
        "The sign-in page then has a link to the provider",
        "Signing out of the console leads to the sign-out page of the provider",
      );
      await page.goto(`${service.adminUrl}/console`);
      await link().waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.keyboard.press("Enter");
      await atProvider({ sub: "ada", email: "ada@example.com", email_verified: true, roles: ["petstore-admin"] });
      await page.getByText("ada@example.com").first().waitFor();
      await goTo(page, "#/operators");
      await page.getByText(`from ${provider.issuer}`).waitFor();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.waitForURL(`${provider.issuer}/session/end*`);
      await page.goto(`${service.adminUrl}/console`);
      await link().waitFor();
    },
    PATIENCE,
  );

  test(
    "reads what to do after a sign-in that failed, once",
    async () => {
      await page.context().clearCookies();
      await page.goto(`${service.adminUrl}/console`);
      await link().click();
      await atProvider({ sub: "eve", email: "eve@example.com", roles: [] });
      await page.getByRole("alert").getByText("Your account has no role in this service.").waitFor();
      expect(new URL(page.url()).hash).toBe("#/overview");
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.reload();
      await link().waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
      await page.goto(`${service.adminUrl}/console#/sign-in/constructor`);
      await page.reload();
      await link().waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
    },
    PATIENCE,
  );

  test(
    "reads advice of its own for each problem, with the time that the service gives a sign-in",
    async () => {
      states("docs/administration.md", "A sign-in that fails leads to the console, which says what to do:");
      const begun = await fetch(`${service.adminUrl}/admin/v1/session/oidc`, { redirect: "manual" });
      const [, seconds] = /Max-Age=(\d+)/.exec(begun.headers.get("Set-Cookie") ?? "") ?? [];
      const minutes = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
      const advice: Record<SignInProblem, string> = {
        provider_unavailable: "does not answer",
        sign_in_refused: "did not sign you in",
        sign_in_failed: "could not be verified",
        sign_in_expired: `took more than ${minutes[Number(seconds) / 60]} minutes`,
        no_role: "has no role in this service",
        operator_revoked: "revoked your access",
        too_many_attempts: "Too many attempts",
        service_unavailable: "cannot sign you in now",
      };
      for (const [problem, text] of Object.entries(advice)) {
        await page.goto("about:blank");
        await page.goto(`${service.adminUrl}/console#/sign-in/${problem}`);
        expect([problem, await page.getByRole("alert").textContent()]).toEqual([
          problem,
          expect.stringContaining(text),
        ]);
      }
    },
    PATIENCE,
  );

  test(
    "keeps the page whose session has ended while it signs in beside it",
    async () => {
      await page.context().clearCookies();
      await page.goto(`${service.adminUrl}/console`);
      await link().click();
      await atProvider({ sub: "ada", email: "ada@example.com", email_verified: true, roles: ["petstore-admin"] });
      await goTo(page, "#/operators");
      await page.getByRole("button", { name: "Create operator" }).click();
      await page.getByLabel("Name").fill("Grace");
      await page.context().clearCookies({ name: /^petstore_session_/ });
      await page.getByRole("dialog").getByRole("button", { name: "Create operator" }).click();
      await page.getByText("Your session has ended.").waitFor();
      const opened = page.context().waitForEvent("page");
      await link().click();
      const other = await opened;
      other.setDefaultTimeout(STEP);
      await other
        .getByLabel("Person")
        .fill(JSON.stringify({ sub: "ada", email: "ada@example.com", roles: ["petstore-admin"] }));
      await other.getByRole("button", { name: "Continue" }).click();
      await other.getByText("Skip to main content").waitFor({ state: "attached" });
      await other.close();
      // A browser without windows hides no page.
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await page.getByText("Your session has ended.").waitFor({ state: "detached" });
      expect(await page.getByLabel("Name").inputValue()).toBe("Grace");
    },
    PATIENCE,
  );
});
