/** The figures of the benchmarks agree with each other, with their targets, and with what the benchmarks are called. */
import { describe, expect, test } from "bun:test";
import type { Benchmark } from "../bench/benchmark.ts";
import { benchmarks } from "../bench/benchmarks.ts";
import { PAGE_SIZE } from "../bench/catalogue.ts";
import { FULL } from "../bench/effort.ts";
import { equalOperations, equalPrograms, operations, programNames } from "../bench/equal.ts";
import { GAINS, QUANTITIES, targetText, unitOf } from "../bench/report.ts";
import { meets } from "../bench/results.ts";
import { SHOP } from "../bench/shop.ts";
import { subjectOf } from "../bench/subjects.ts";
import { inOneLine, read, says, states, tableOf } from "./support/markdown.ts";

const page = read("docs/development/benchmarks.md");
const inTables = page.replaceAll(/ {2,}\|/g, " |").replaceAll(/\| {2,}/g, "| ");
const number = (text = "") => Number.parseFloat(text.replaceAll(",", ""));

/** The lowest and the highest value that is written so. */
function rangeOf(text: string): [lowest: number, highest: number] {
  const [digits = ""] = /[\d,.]+/.exec(text) ?? [];
  const half = 0.5 * 10 ** -(digits.split(".")[1]?.length ?? 0);
  return [number(digits) - half, number(digits) + half];
}

/** The lowest and the highest round; the median alone, where there is one round. */
function roundsOf(median: string, rounds: string): [lowest: number, highest: number] {
  const [first = median, last = median] = rounds === "" ? [] : rounds.split(" … ");
  return [rangeOf(first)[0], rangeOf(last)[1]];
}

/** Expects a median within its rounds. */
function expectWithin(what: string, median: string, rounds: string): void {
  const [lowest, highest] = roundsOf(median, rounds);
  expect([what, lowest <= number(median) && number(median) <= highest]).toEqual([what, true]);
}

/** Expects the rounds of a ratio within what the rounds of its two sides can give, and its median within them. */
function expectRatio(what: string, rounds: string, over: [number, number], under: [number, number]): void {
  const [lowest, highest] = roundsOf("", rounds);
  const [least, most] = [over[0] / under[1], over[1] / under[0]];
  expect([what, rounds, lowest >= least - 0.01, highest <= most + 0.01]).toEqual([what, rounds, true, true]);
}

const rows = tableOf(inTables, "Benchmark", "Target", "Measured", "Rounds", "Verdict");
const rates = new Map(
  tableOf(inTables, "Subject", "Median", "Rounds").map(([name = "", median = "", rounds = ""]) => [
    name,
    { median, rounds },
  ]),
);
const titled = (title: string) => benchmarks.find((one) => one.title === title);

describe("docs/development/benchmarks.md", () => {
  test("has benchmarks of the list, in its order", () => {
    expect(rows.length).toBeGreaterThan(20);
    const titles = rows.map(([title = ""]) => title);
    expect(
      benchmarks
        .map(({ title }) => title)
        .filter((title) => titles.includes(title))
        .toSorted(),
    ).toEqual(titles.toSorted());
  });

  test.each(rows)("%s: target %s, measured %s (%s), %s", (title = "", target, measured = "", rounds = "", verdict) => {
    const benchmark = titled(title) as Benchmark;
    const unit = unitOf(benchmark);
    expect(target).toBe(targetText(benchmark.target, unit));
    expect(measured.replace(/^[\d.,]+ ?/, "")).toBe(unit);
    expectWithin(title, measured, rounds);
    const unjudged = page.includes(`not judged ${benchmark.name}: `);
    const [lowest, highest] = rangeOf(measured);
    const { target: bound } = benchmark;
    const possible =
      bound === undefined || unjudged
        ? ["not judged"]
        : [lowest, highest].map((value) => (meets(bound, value) ? "met" : "MISSED"));
    expect(possible).toContain(verdict as string);
    if (!("over" in benchmark)) return;
    const [over, under] = [benchmark.over, benchmark.under].map((id) => rates.get(subjectOf(id).name));
    expect([over, under]).not.toContain(undefined);
    expectRatio(
      title,
      rounds,
      roundsOf(over?.median ?? "", over?.rounds ?? ""),
      roundsOf(under?.median ?? "", under?.rounds ?? ""),
    );
  });

  test.each([...rates])("the rate of %s is within its rounds", (name, { median, rounds }) => {
    expectWithin(name, median, rounds);
  });

  const equal = tableOf(inTables, "Operation", "Program", "Processor time", "Rounds", "Service / program", "Rounds");

  test("has each operation of each program with equal work", () => {
    expect(equal.map(([operation, program]) => [operation, program])).toEqual(
      equalOperations.flatMap((operation) =>
        ["service" as const, ...equalPrograms].map((program) => [operations[operation].name, programNames[program]]),
      ),
    );
  });

  /** What Fastify and the pets by id were measured beside is another run of the service. */
  const ofOtherRun = ([operation, program]: string[]) =>
    operation === operations.get.name || program === programNames.fastify;

  test.each(equal.map((row) => ({ row, name: `${row[0]}, ${row[1]}` })))(
    "$name: the time and the ratio are within what the rounds give",
    ({ row, name }) => {
      const [operation, program, time = "", rounds = "", ratio = "", ratios = ""] = row;
      expectWithin(name, time, rounds);
      if (program === programNames.service) return;
      expectWithin(name, ratio, ratios);
      const [, , ofService = "", itsRounds = ""] = equal.find(
        ([one, who]) => one === operation && who === programNames.service,
      ) as string[];
      if (!ofOtherRun(row)) expectRatio(name, ratios, roundsOf(ofService, itsRounds), roundsOf(time, rounds));
    },
  );

  test("sums up the programs with equal work", () => {
    const ratios = (program: string, from: readonly (keyof typeof operations)[]) => {
      const names = from.map((id) => operations[id].name);
      const found = equal.filter(([operation = "", who]) => who === program && names.includes(operation));
      const values = found.map(([, , , , ratio]) => number(ratio));
      return [Math.min(...values), Math.max(...values)] as const;
    };
    const reads = equalOperations.slice(0, 4);
    const bun = ratios(programNames.bun, reads).map((ratio) => ratio.toFixed(2));
    const rust = ratios(programNames.rust, reads).map((ratio) => Math.round(ratio * 10) / 10);
    const writes = ratios(programNames.bun, equalOperations.slice(4)).map((ratio) => Math.round(ratio * 10) / 10);
    const text = inOneLine(page);
    says(text, `${bun.join(" to ")} times what bare Bun takes, and ${rust.join(" to ")} times what Rust takes.`);
    says(text, `For writes it takes ${writes.join(" to ")} times what bare Bun takes, and more than all others`);
    const goals = benchmarks.flatMap(({ name, target }) =>
      /^equal-(page|filtered)-bun$/.test(name) && target !== undefined ? Object.values(target) : [],
    );
    expect(goals.length).toBe(2);
    for (const goal of goals) says(text, `at most ${goal} of bare Bun, are met.`);
  });

  test("names in a heading the target of a benchmark", () => {
    const targets = benchmarks.flatMap(({ target }) => (target === undefined ? [] : Object.values(target)));
    const headings = [...page.matchAll(/^### (.*)$/gm)].map(([, heading = ""]) => heading);
    const named = headings.flatMap((heading) => [
      ...heading.matchAll(/, (?:under )?([\d.]+)(?: ms| each)?(?=$|;| \()/g),
    ]);
    expect(named.length).toBeGreaterThan(10);
    expect(named.map(([, target = ""]) => Number(target)).filter((target) => !targets.includes(target))).toEqual([]);
  });

  test("has parts of a time that add up", () => {
    for (const [, text = ""] of page.matchAll(/^(\| [^\n]* \| µs \|\n(?:\|.*\n)+)/gm)) {
      const parts = text
        .split("\n")
        .slice(2)
        .map((line) =>
          line
            .split("|")
            .slice(1, 3)
            .map((cell) => cell.trim()),
        );
      const at = parts.findIndex(([part]) => part === "all of it");
      const bounds = parts.map(([, value = ""]) => {
        const [first, last = first] = value.split(" to ");
        return [number(first), number(last)] as const;
      });
      const sum = (side: 0 | 1) => bounds.slice(0, at).reduce((total, one) => total + one[side], 0);
      const [least = 0, most = 0] = bounds[at] ?? [];
      expect([text, least >= sum(0) - 0.05, most <= sum(1) + 0.05]).toEqual([text, true, true]);
    }
  });
});

test("the pages have the rounds, the loads and the sizes of a full run", () => {
  const { rounds, seconds, memoryLoad } = FULL;
  const words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
  const whole = inOneLine(page);
  says(whole, `A full run: ${rounds} rounds of ${seconds} s for each subject; memory after ${memoryLoad} s of load.`);
  const [pets, names, categories, orders] = [SHOP.pets, SHOP.names, SHOP.categories, SHOP.orders].map((size) =>
    size.toLocaleString("en"),
  );
  says(whole, `${pets} pets with ${names} names in ${categories} categories, and ${orders} orders`);
  states(
    "docs/performance.md",
    `Figures are the medians of ${words[rounds]} rounds of ${seconds} s,`,
    `A page has ${PAGE_SIZE} pets. The database has ${pets}, and`,
    `after ${memoryLoad === 60 ? "a minute" : "another time"} of reads and creations`,
  );
});

test("docs/performance.md has the figures of the whole run", () => {
  const figures = new Map(
    tableOf(
      read("docs/performance.md")
        .replaceAll(/ {2,}\|/g, " |")
        .replaceAll(/\| {2,}/g, "| "),
      "What",
      "Figure",
    ).map(([what = "", figure = ""]) => [what, figure]),
  );
  const expected = [
    ...GAINS.map(([id, name]) => [name, `${rates.get(subjectOf(id).name)?.median}/s`]),
    ...QUANTITIES.map(([wanted, name]) => {
      const title = benchmarks.find((one) => one.name === wanted)?.title;
      return [name, rows.find(([first]) => first === title)?.[2]];
    }),
  ];
  expect([...figures]).toEqual(expected as [string, string][]);
});
