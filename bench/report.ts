import type { Effort } from "./effort.ts";
import type { Run } from "./load.ts";
import type { Machine } from "./machine.ts";
import type { Bar, Measure } from "./measures.ts";
import type { Findings, Outcome } from "./outcomes.ts";
import { median } from "./statistics.ts";
import { subjects } from "./subjects.ts";
import { table } from "./table.ts";
import { verdictOn } from "./verdict.ts";

const BESIDE = "The rates behind the ratios, in responses per second, and the load of each core:";

/** What was found, as Markdown, which is also what the terminal gets. */
export function reportText({ outcomes, rates }: Findings, effort: Effort, machine: Machine): string {
  const { name, rounds, seconds, memoryLoad } = effort;
  const measured = outcomes.map((outcome) => [...cellsOf(outcome), verdictOn(outcome)]);
  const beside = [...rates.runs].map(([id, runs]) => [subjects[id].name, ...cellsOfRuns(runs)]);
  const facts = Object.entries(machine).map(([fact, value]) => `- ${fact}: ${value}`);
  return [
    `A ${name} run: ${rounds} rounds of ${seconds} s for each subject; memory after ${memoryLoad} s of load. Medians, with the lowest and highest round.`,
    table(["Benchmark", "Target", "Measured", "Rounds", "Verdict"], measured),
    ...outcomes.flatMap(reasonOf),
    ...(beside.length > 0
      ? [BESIDE, table(["Subject", "Median", "Rounds", "Server's core", "Load's core"], beside)]
      : []),
    "On this machine:",
    facts.join("\n"),
  ].join("\n\n");
}

function cellsOf(outcome: Outcome): string[] {
  const { measure } = outcome;
  const bar = barText(measure.bar, unitOf(measure));
  if (outcome.result !== "measured") return [measure.title, bar, "-", "-"];
  return [measure.title, bar, ...spread(outcome.values, (value) => quantity(value, unitOf(measure)))];
}

function reasonOf(outcome: Outcome): string[] {
  const { measure, result } = outcome;
  if (result !== "measured") return [`${result} ${measure.name}: ${outcome.reason}`];
  return outcome.unjudged === undefined ? [] : [`not judged ${measure.name}: ${outcome.unjudged}`];
}

function cellsOfRuns(runs: Run[]): string[] {
  const percent = (core: "serverCore" | "loadCore") => `${Math.round(median(runs.map((run) => run[core])) * 100)} %`;
  const rates = runs.map(({ perSecond }) => perSecond);
  return [
    ...spread(rates, (rate) => Math.round(rate).toLocaleString("en")),
    percent("serverCore"),
    percent("loadCore"),
  ];
}

/** The median, and from where to where the values go. */
function spread(values: number[], write: (value: number) => string): [median: string, range: string] {
  const range = values.length > 1 ? `${write(Math.min(...values))} … ${write(Math.max(...values))}` : "";
  return [write(median(values)), range];
}

function unitOf(measure: Measure): string {
  return "unit" in measure ? measure.unit : "";
}

function quantity(value: number, unit: string): string {
  if (unit === "") return value.toFixed(2);
  return `${value < 10 ? value.toFixed(2) : Math.round(value)} ${unit}`;
}

function barText(bar: Bar, unit: string): string {
  const text = "atLeast" in bar ? `at least ${bar.atLeast}` : `under ${bar.below}`;
  return `${text} ${unit}`.trim();
}
