import type { Benchmark, Target } from "./benchmark.ts";
import type { Effort } from "./effort.ts";
import { median, table } from "./figures.ts";
import type { Run } from "./load.ts";
import type { Machine } from "./machine.ts";
import { type Outcome, type Results, verdictOn } from "./results.ts";
import { type SubjectId, subjectOf } from "./subjects.ts";

const RATES =
  "The rates behind the ratios, in responses per second, the processor time of the server per response, and the load of each core:";

/** What a user gets, for the page and its chart: subjects and their names there. */
export const GAINS: [SubjectId, name: string][] = [
  ["list", "List, the same page again"],
  ["largeList", "List, page by page"],
  ["shopByBoth", "List by category and status"],
  ["shopPets", "One pet by id"],
  ["shopInventory", "Inventory"],
  ["creations", "Creation, durable"],
  ["shopUpdates", "Change of a pet, durable"],
  ["shopOrders", "Order, durable"],
  ["nodeList", "List, PostgreSQL and Redis"],
  ["nodeCreations", "Creation, PostgreSQL and Redis"],
];
/** The same for benchmarks with a unit. */
export const QUANTITIES: [benchmark: string, name: string][] = [
  ["latency", "p99 of the list at half its peak rate"],
  ["memory", "Resident memory after a load"],
  ["start", "Start to first answer"],
];

/** What a user gets, as Markdown. */
export function gainsText({ outcomes, rates }: Results): string {
  const perSecond = GAINS.map(([id, name]) => {
    const all = (rates.runs.get(id) ?? []).map((run) => run.perSecond);
    return [name, `${Math.round(median(all)).toLocaleString("en")}/s`];
  });
  const quantities = QUANTITIES.map(([wanted, name]) => {
    const outcome = outcomes.find(({ benchmark }) => benchmark.name === wanted);
    const values = outcome?.result === "measured" ? outcome.values : [];
    return [name, quantity(median(values), outcome === undefined ? "" : unitOf(outcome.benchmark))];
  });
  return table(["What", "Figure"], [...perSecond, ...quantities]);
}

/** The report as Markdown, for the page and the terminal. */
export function reportText({ outcomes, rates }: Results, effort: Effort, machine: Machine): string {
  const { name, rounds, seconds, memoryLoad } = effort;
  const measured = outcomes.map((outcome) => [...cellsOf(outcome), verdictOn(outcome)]);
  const beside = [...rates.runs].map(([id, runs]) => [subjectOf(id).name, ...cellsOfRuns(runs)]);
  const facts = Object.entries(machine).map(([fact, value]) => `- ${fact}: ${value}`);
  return [
    `A ${name} run: ${rounds} rounds of ${seconds} s for each subject; memory after ${memoryLoad} s of load. Medians, with the lowest and highest round.`,
    table(["Benchmark", "Target", "Measured", "Rounds", "Verdict"], measured),
    ...outcomes.flatMap(reasonOf),
    ...(beside.length > 0
      ? [
          RATES,
          table(["Subject", "Median", "Rounds", "Processor time", "Rounds", "Server's core", "Load's core"], beside),
        ]
      : []),
    "On this machine:",
    facts.join("\n"),
  ].join("\n\n");
}

function cellsOf(outcome: Outcome): string[] {
  const { benchmark } = outcome;
  const target = targetText(benchmark.target, unitOf(benchmark));
  if (outcome.result !== "measured") return [benchmark.title, target, "-", "-"];
  return [benchmark.title, target, ...spread(outcome.values, (value) => quantity(value, unitOf(benchmark)))];
}

function reasonOf(outcome: Outcome): string[] {
  const { benchmark, result } = outcome;
  if (result !== "measured") return [`${result} ${benchmark.name}: ${outcome.reason}`];
  if (outcome.unjudgedReason !== undefined) return [`not judged ${benchmark.name}: ${outcome.unjudgedReason}`];
  if (outcome.bare === undefined) return [];
  const [middle, range] = spread(outcome.bare, (value) => quantity(value, unitOf(benchmark)));
  const consequence = verdictOn(outcome) === "not judged" ? ", which misses the target too" : "";
  return [`beside ${benchmark.name}: a bare Bun.serve in the same rounds has ${middle} (${range})${consequence}`];
}

function cellsOfRuns(runs: Run[]): string[] {
  const percent = (core: "serverCore" | "loadCore") => `${Math.round(median(runs.map((run) => run[core])) * 100)} %`;
  const rates = runs.map(({ perSecond }) => perSecond);
  const times = runs.flatMap(({ processor }) => processor ?? []);
  return [
    ...spread(rates, (rate) => Math.round(rate).toLocaleString("en")),
    ...(times.length > 0 ? spread(times, (time) => quantity(time, "µs")) : ["", ""]),
    percent("serverCore"),
    percent("loadCore"),
  ];
}

/** The median and the range of the values. */
function spread(values: number[], write: (value: number) => string): [median: string, range: string] {
  const range = values.length > 1 ? `${write(Math.min(...values))} … ${write(Math.max(...values))}` : "";
  return [write(median(values)), range];
}

export function unitOf(benchmark: Benchmark): string {
  return "unit" in benchmark ? benchmark.unit : "";
}

function quantity(value: number, unit: string): string {
  if (unit === "") return value.toFixed(2);
  return `${value < 10 ? value.toFixed(2) : Math.round(value)} ${unit}`;
}

export function targetText(target: Target | undefined, unit: string): string {
  if (target === undefined) return "-";
  const text = "atLeast" in target ? `at least ${target.atLeast}` : `under ${target.below}`;
  return `${text} ${unit}`.trim();
}
