import type { Effort } from "./effort.ts";
import type { Measure, Quantity, Ratio } from "./measures.ts";
import { measureRates, type Rates } from "./rates.ts";
import { isOnEngines, type SubjectId, toolsOf } from "./subjects.ts";
import { pathOf } from "./tools.ts";
import type { Workplace } from "./workplace.ts";

/** What came of one measure: its value in every round, and why they cannot be judged where that is so; or why there is none. */
export type Outcome = { measure: Measure } & (
  | { result: "measured"; values: number[]; unjudged?: string }
  | { result: "failed"; reason: string }
  | { result: "skipped"; reason: string }
);

export type Findings = { outcomes: Outcome[]; rates: Rates };

/** Runs the benchmarks: all ratios together, the others one after the other. One that fails does not affect the others. */
export async function takeMeasures(workplace: Workplace, measures: Measure[], effort: Effort): Promise<Findings> {
  const subjects = measures.filter((measure) => obstacleTo(measure) === undefined).flatMap(subjectsOf);
  const rates = await measureInTurn(workplace, subjects, effort);
  const outcomes: Outcome[] = [];
  for (const measure of measures) {
    const obstacle = obstacleTo(measure);
    if (obstacle !== undefined) outcomes.push({ measure, result: "skipped", reason: obstacle });
    else if ("over" in measure) outcomes.push(ratio(measure, rates, workplace.cores.count));
    else outcomes.push(await take(measure, workplace, effort));
  }
  return { outcomes, rates };
}

/** PostgreSQL works even without requests: while it runs, only what depends on it is measured. */
async function measureInTurn(workplace: Workplace, ids: SubjectId[], effort: Effort): Promise<Rates> {
  const alone = await measureRates(workplace, new Set(ids.filter((id) => !isOnEngines(id))), effort);
  const onEngines = await measureRates(workplace, new Set(ids.filter(isOnEngines)), effort);
  return {
    runs: new Map([...alone.runs, ...onEngines.runs]),
    failures: new Map([...alone.failures, ...onEngines.failures]),
  };
}

/** Why this machine cannot take a measure, if it cannot. */
function obstacleTo(measure: Measure): string | undefined {
  const tools = "over" in measure ? subjectsOf(measure).flatMap(toolsOf) : measure.tools;
  try {
    for (const tool of tools) pathOf(tool);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

function subjectsOf(measure: Measure): SubjectId[] {
  return "over" in measure ? [measure.under, measure.over, ...(measure.beside ?? [])] : [];
}

function ratio(measure: Ratio, { runs, failures }: Rates, cores: number): Outcome {
  const reason = failures.get(measure.over) ?? failures.get(measure.under);
  if (reason !== undefined) return { measure, result: "failed", reason };
  const below = runs.get(measure.under) ?? [];
  const values = (runs.get(measure.over) ?? []).map((run, i) => run.perSecond / (below[i]?.perSecond ?? Number.NaN));
  if (measure.cores === undefined || cores >= measure.cores) return { measure, result: "measured", values };
  const unjudged = `this machine has ${cores} cores, and the verdict needs ${measure.cores}: with fewer, both sides share them`;
  return { measure, result: "measured", values, unjudged };
}

async function take(measure: Quantity, workplace: Workplace, effort: Effort): Promise<Outcome> {
  try {
    return { measure, result: "measured", values: await measure.take(workplace, effort) };
  } catch (error) {
    workplace.goOn();
    return { measure, result: "failed", reason: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
