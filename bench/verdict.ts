import type { Effort } from "./effort.ts";
import type { Bar } from "./measures.ts";
import type { Outcome } from "./outcomes.ts";
import { median } from "./statistics.ts";

/** A measure passes with its bar met, or, in a quick run, missed by little. */
export type Verdict = "met" | "missed by little" | "MISSED" | "FAILED" | "skipped";

export function verdictOn(outcome: Outcome, { passesFrom }: Effort): Verdict {
  if (outcome.result === "skipped") return "skipped";
  if (outcome.result === "failed") return "FAILED";
  const reached = shareOf(outcome.measure.bar, median(outcome.values));
  if (reached >= 1) return "met";
  return reached >= passesFrom ? "missed by little" : "MISSED";
}

/** How much of its bar a value reaches: 1 or more meets it. */
function shareOf(bar: Bar, value: number): number {
  return "atLeast" in bar ? value / bar.atLeast : bar.below / value;
}

/** How many measures ended which way; CI reads the line that is made of it. */
export function countOf(outcomes: Outcome[], effort: Effort): { passed: number; failed: number; skipped: number } {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const outcome of outcomes) count[classOf[verdictOn(outcome, effort)]] += 1;
  return count;
}

const classOf = {
  met: "passed",
  "missed by little": "passed",
  MISSED: "failed",
  FAILED: "failed",
  skipped: "skipped",
} as const satisfies Record<Verdict, string>;
