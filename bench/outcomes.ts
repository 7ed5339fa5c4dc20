import type { Effort } from "./effort.ts";
import type { Measure, Quantity, Ratio } from "./measures.ts";
import { measureRates, type Rates } from "./rates.ts";
import { type SubjectId, toolsOf } from "./subjects.ts";
import { pathOf } from "./tools.ts";
import type { Workplace } from "./workplace.ts";

/** What came of one measure: its value in every round, or why there is none. */
export type Outcome = { measure: Measure } & (
  | { result: "measured"; values: number[] }
  | { result: "failed"; reason: string }
  | { result: "skipped"; reason: string }
);

export type Findings = { outcomes: Outcome[]; rates: Rates };

/** Takes the measures: all ratios together, the others one after the other. One that fails leaves the others alone. */
export async function takeMeasures(workplace: Workplace, measures: Measure[], effort: Effort): Promise<Findings> {
  const subjects = measures.filter((measure) => obstacleTo(measure) === undefined).flatMap(subjectsOf);
  const rates = await measureRates(workplace, new Set(subjects), effort);
  const outcomes: Outcome[] = [];
  for (const measure of measures) {
    const obstacle = obstacleTo(measure);
    if (obstacle !== undefined) outcomes.push({ measure, result: "skipped", reason: obstacle });
    else if ("over" in measure) outcomes.push(ratio(measure, rates));
    else outcomes.push(await take(measure, workplace, effort));
  }
  return { outcomes, rates };
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

function ratio(measure: Ratio, { runs, failures }: Rates): Outcome {
  const reason = failures.get(measure.over) ?? failures.get(measure.under);
  if (reason !== undefined) return { measure, result: "failed", reason };
  const below = runs.get(measure.under) ?? [];
  const values = (runs.get(measure.over) ?? []).map((run, i) => run.perSecond / (below[i]?.perSecond ?? Number.NaN));
  return { measure, result: "measured", values };
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
