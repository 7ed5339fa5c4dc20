import type { Benchmark, Measurement, Quantity, Ratio, Target } from "./benchmark.ts";
import type { Effort } from "./effort.ts";
import { median } from "./figures.ts";
import type { Run } from "./load.ts";
import { measureRates, type Rates } from "./rates.ts";
import { isOnEngines, type SubjectId, toolsOf } from "./subjects.ts";
import { pathOf } from "./tools.ts";
import type { Workspace } from "./workspace.ts";

/** The result of one benchmark: what was measured, and why no verdict is possible, if so; or why nothing was. */
export type Outcome = { benchmark: Benchmark } & (
  | ({ result: "measured"; unjudgedReason?: string } & Measurement)
  | { result: "failed"; reason: string }
  | { result: "skipped"; reason: string }
);

export type Results = { outcomes: Outcome[]; rates: Rates };

/** Runs the benchmarks: all ratios together, then the others one by one. A failed benchmark does not affect the others. */
export async function runBenchmarks(workspace: Workspace, benchmarks: Benchmark[], effort: Effort): Promise<Results> {
  const subjects = benchmarks.filter((benchmark) => missingTool(benchmark) === undefined).flatMap(subjectsOf);
  const rates = await measureSubjects(workspace, subjects, effort);
  const outcomes: Outcome[] = [];
  for (const benchmark of benchmarks) {
    const missing = missingTool(benchmark);
    if (missing !== undefined) outcomes.push({ benchmark, result: "skipped", reason: missing });
    else if ("over" in benchmark) outcomes.push(ratio(benchmark, rates, workspace.cores.count));
    else outcomes.push(await measure(benchmark, workspace, effort));
  }
  return { outcomes, rates };
}

/** Runs the subjects without PostgreSQL first: an idle PostgreSQL also uses the processor. */
async function measureSubjects(workspace: Workspace, ids: SubjectId[], effort: Effort): Promise<Rates> {
  const alone = await measureRates(workspace, new Set(ids.filter((id) => !isOnEngines(id))), effort);
  const onEngines = await measureRates(workspace, new Set(ids.filter(isOnEngines)), effort);
  return {
    runs: new Map([...alone.runs, ...onEngines.runs]),
    failures: new Map([...alone.failures, ...onEngines.failures]),
  };
}

/** Returns the message about a tool that the benchmark needs and this machine lacks; undefined if it has all. */
function missingTool(benchmark: Benchmark): string | undefined {
  const tools = "over" in benchmark ? subjectsOf(benchmark).flatMap(toolsOf) : benchmark.tools;
  try {
    for (const tool of tools) pathOf(tool);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

function subjectsOf(benchmark: Benchmark): SubjectId[] {
  return "over" in benchmark ? [benchmark.under, benchmark.over, ...(benchmark.beside ?? [])] : [];
}

function ratio(benchmark: Ratio, { runs, failures }: Rates, cores: number): Outcome {
  const failure = failures.get(benchmark.over) ?? failures.get(benchmark.under);
  if (failure !== undefined) return { benchmark, ...failure };
  const below = runs.get(benchmark.under) ?? [];
  const { figure = "perSecond" } = benchmark;
  const figureOf = (run?: Run) => run?.[figure] ?? Number.NaN;
  const values = (runs.get(benchmark.over) ?? []).map((run, i) => figureOf(run) / figureOf(below[i]));
  if (benchmark.cores === undefined || cores >= benchmark.cores) return { benchmark, result: "measured", values };
  const unjudgedReason = `this machine has ${cores} cores, and the verdict needs ${benchmark.cores}: with fewer, both sides share them`;
  return { benchmark, result: "measured", values, unjudgedReason };
}

async function measure(benchmark: Quantity, workspace: Workspace, effort: Effort): Promise<Outcome> {
  try {
    return { benchmark, result: "measured", ...(await benchmark.measure(workspace, effort)) };
  } catch (error) {
    workspace.throwIfInterrupted();
    return { benchmark, result: "failed", reason: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

type Verdict = "met" | "MISSED" | "FAILED" | "skipped" | "not judged";

export function verdictOn(outcome: Outcome): Verdict {
  if (outcome.result === "skipped") return "skipped";
  if (outcome.result === "failed") return "FAILED";
  const { target } = outcome.benchmark;
  if (target === undefined || outcome.unjudgedReason !== undefined) return "not judged";
  if (outcome.bare !== undefined && !meets(target, median(outcome.bare))) return "not judged";
  return meets(target, median(outcome.values)) ? "met" : "MISSED";
}

export function meets(target: Target, value: number): boolean {
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
