import type { Effort } from "./effort.ts";
import type { Bar } from "./measures.ts";
import type { Outcome } from "./outcomes.ts";
import { median } from "./statistics.ts";

export type Verdict = "met" | "MISSED" | "FAILED" | "skipped" | "not judged";

export function verdictOn(outcome: Outcome): Verdict {
  if (outcome.result === "skipped") return "skipped";
  if (outcome.result === "failed") return "FAILED";
  if (outcome.unjudged !== undefined) return "not judged";
  return meets(outcome.measure.bar, median(outcome.values)) ? "met" : "MISSED";
}

function meets(bar: Bar, value: number): boolean {
  return "atLeast" in bar ? value >= bar.atLeast : value < bar.below;
}

/** Counts the benchmarks by verdict; CI reads the line that is made of it. */
export function countOf(
  outcomes: Outcome[],
  { isStrict }: Effort,
): { passed: number; failed: number; skipped: number } {
  const count = { passed: 0, failed: 0, skipped: 0 };
  const classOf = {
    met: "passed",
    "not judged": "passed",
    MISSED: isStrict ? "failed" : "passed",
    FAILED: "failed",
    skipped: "skipped",
  } as const;
  for (const outcome of outcomes) count[classOf[verdictOn(outcome)]] += 1;
  return count;
}
