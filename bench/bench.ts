import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createCatalogue } from "./catalogue.ts";
import { contendersOf, ratiosOf } from "./comparison.ts";
import { findCores } from "./cores.ts";
import type { Effort } from "./effort.ts";
import { measureLatency } from "./latency.ts";
import { describeMachine } from "./machine.ts";
import { measureMemory } from "./memory.ts";
import { readOptions } from "./options.ts";
import { writeToPage } from "./page.ts";
import { type Report, reportText } from "./report.ts";
import { findTools } from "./requirements.ts";
import { measureRounds, rate } from "./rounds.ts";
import { measureStart } from "./start.ts";
import { type Catalogues, prepareSubjects } from "./subjects.ts";
import { Workplace } from "./workplace.ts";

const { effort, json, write } = readOptions(process.argv.slice(2));
try {
  await using workplace = new Workplace(findTools(), findCores());
  leaveServersCore(workplace);
  const report = await measure(workplace, effort);
  const text = reportText(report);
  console.log(text);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, undefined, 2)}\n`);
  if (write) writeToPage(text);
} catch (error) {
  console.error(`The benchmark failed: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

async function measure(workplace: Workplace, effort: Effort): Promise<Report> {
  const measuredAt = new Date().toISOString();
  tell("writing the catalogues");
  const catalogues = await createCatalogues(workplace);
  tell("starting everything that is compared");
  const subjects = await prepareSubjects(workplace, catalogues);
  const contenders = contendersOf(workplace, subjects, catalogues);
  const runs = await measureRounds(contenders, effort, tell);
  tell("the list at half its peak rate");
  const latency = await measureLatency(workplace, subjects.list, rate(runs.list) / 2, effort);
  await subjects.largeList.server.stop();
  tell("memory under load");
  const memory = await measureMemory(workplace, catalogues.large, effort.memoryLoad);
  tell("starts");
  const start = await measureStart(workplace, catalogues.large, effort.starts);
  const named = Object.entries(runs).map(([id, ofId]) => [contenders[id as keyof typeof runs].name, ofId]);
  return {
    measuredAt,
    effort,
    machine: describeMachine(workplace),
    measures: [...ratiosOf(runs), ...latency, ...memory, ...start],
    runs: Object.fromEntries(named),
  };
}

async function createCatalogues(workplace: Workplace): Promise<Catalogues> {
  const create = (name: string, size: number) => createCatalogue(workplace.path(`${name}.db`), size);
  return {
    small: await create("small", 1_000),
    usual: await create("usual", 100_000),
    large: await create("large", 1_000_000),
    growing: await create("growing", 100_000),
    alone: await create("alone", 100_000),
  };
}

/** Moves this process, all its threads, to the load's core: what is measured has the other one to itself. */
function leaveServersCore({ tools, cores }: Workplace): void {
  spawnSync(tools.taskset, ["--all-tasks", "--cpu-list", "--pid", String(cores.load), String(process.pid)]);
}

/** Says on standard error what is being done: standard output is for the figures. */
function tell(progress: string): void {
  console.error(`${String(Math.round(performance.now() / 1000)).padStart(4)} s  ${progress}`);
}
