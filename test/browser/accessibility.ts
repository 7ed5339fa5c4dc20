import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

/** How many rules pass on a page at least: on none, axe-core has looked at nothing. */
const MIN_PASSES = 20;

const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** The serious and critical violations that axe-core finds on a page, one element per line. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  // In the middle of a transition, a colour has a contrast that nobody reads.
  await page.evaluate(() => {
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    return Promise.allSettled(transitions.map(({ finished }) => finished));
  });
  await page.evaluate(AXE);
  // Of what passes, one element per rule is enough: to describe each takes a tenth of the time.
  const { violations, passes } = await page.evaluate<AxeResults>('axe.run({ resultTypes: ["violations"] })');
  expect(passes.length).toBeGreaterThan(MIN_PASSES);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** The least size of what is pressed, in CSS pixels (WCAG 2.2, 2.5.8). */
const MIN_TARGET = 24;

/**
 * What is to be pressed on a page and is smaller than that, with its size. A label is a part of its field. Links in a text may be small,
 * and so may the box that selects a row, which has the room of the row around it.
 */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate((least) => {
    const targets = document.querySelectorAll(
      "button, input:not(th > input), select, textarea, nav a, [role=menuitem]",
    );
    return [...targets].flatMap((target) => {
      if (!target.checkVisibility() || target.matches(":disabled")) return [];
      const boxes = [target, target.closest("label")].flatMap((one) => one?.getBoundingClientRect() ?? []);
      const [width, height] = [Math.max(...boxes.map((box) => box.width)), Math.max(...boxes.map((box) => box.height))];
      return Math.min(width, height) < least ? [`${target.outerHTML.slice(0, 100)}: ${width} x ${height}`] : [];
    });
  }, MIN_TARGET);
}
