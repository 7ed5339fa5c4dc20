import type { Effort } from "./effort.ts";
import type { Run } from "./load.ts";
import type { Machine } from "./machine.ts";
import { barText, hasBar, isMet, type Measure, quantity } from "./measures.ts";
import { median, rate } from "./rounds.ts";
import { table } from "./table.ts";

/** Everything that one benchmark found. */
export type Report = {
  /** ISO 8601. */
  measuredAt: string;
  effort: Effort;
  machine: Machine;
  measures: Measure[];
  /** The runs of every contender, by what it is called. */
  runs: Record<string, Run[]>;
};

/** The report as Markdown, which is also what the terminal gets. */
export function reportText({ measuredAt, effort, machine, measures, runs }: Report): string {
  const { rounds, seconds } = effort;
  return [
    `Measured on ${measuredAt.slice(0, 10)}, in ${rounds} rounds of ${seconds} s each.`,
    measureTable(measures),
    "Beside them, from the same run:",
    figureTable(measures),
    "What the ratios are made of, in requests a second (medians), and how busy both cores were meanwhile:",
    runTable(runs),
    "On this machine:",
    Object.entries(machine)
      .map(([name, value]) => `- ${name}: ${value}`)
      .join("\n"),
  ].join("\n\n");
}

function measureTable(measures: Measure[]): string {
  const rows = measures
    .filter(hasBar)
    .map((measure) => [
      measure.name,
      quantity(measure.value, measure.unit),
      barText(measure.bar, measure.unit),
      isMet(measure) ? "met" : "NOT MET",
    ]);
  return table(["Measure", "Value", "Bar", "Verdict"], rows);
}

function figureTable(measures: Measure[]): string {
  const rows = measures
    .filter((measure) => !hasBar(measure))
    .map(({ name, value, unit }) => [name, quantity(value, unit)]);
  return table(["Figure", "Value"], rows);
}

function runTable(runs: Report["runs"]): string {
  const rows = Object.entries(runs).map(([name, ofName]) => {
    const rates = ofName.map(({ perSecond }) => perSecond);
    const percent = (core: "serverCore" | "loadCore") =>
      `${Math.round(median(ofName.map((run) => run[core])) * 100)} %`;
    return [
      name,
      quantity(rate(ofName), "/s"),
      `${quantity(Math.min(...rates), "/s")} to ${quantity(Math.max(...rates), "/s")}`,
      percent("serverCore"),
      percent("loadCore"),
    ];
  });
  return table(["Contender", "Median", "Rounds", "Server's core", "Load's core"], rows);
}
