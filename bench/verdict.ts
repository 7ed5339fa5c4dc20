import type { Target } from "./benchmarks.ts";
import type { Effort } from "./effort.ts";
import type { Outcome } from "./results.ts";
import { median } from "./statistics.ts";

export type Verdict = "met" | "MISSED" | "FAILED" | "skipped" | "not judged";

export function verdictOn(outcome: Outcome): Verdict {
  if (outcome.result === "skipped") return "skipped";
  if (outcome.result === "failed") return "FAILED";
  const { target } = outcome.benchmark;
  if (target === undefined || outcome.unjudgedReason !== undefined) return "not judged";
  if (outcome.bare !== undefined && !meets(target, median(outcome.bare))) return "not judged";
  return meets(target, median(outcome.values)) ? "met" : "MISSED";
}

function meets(target: Target, value: number): boolean {
  return "atLeast" in target ? value >= target.atLeast : value < target.below;
}

/** Counts the benchmarks by verdict. CI reads the line with these counts. */
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
