import { statSync } from "node:fs";
import { readIntoMemory } from "./catalogue.ts";
import { processorTimeOf } from "./cores.ts";
import { logProgress, median, scriptOptions, table } from "./figures.ts";
import { type GrowthLoad, type Series, series } from "./growth-series.ts";
import { load } from "./load.ts";
import { writeGrowth } from "./page.ts";
import { residentMemory } from "./quantities.ts";
import { LIST } from "./requests.ts";
import { packageOf, serve } from "./servers.ts";
import { fileOf, prepare, type Subject } from "./subject.ts";
import { type Server, Workspace } from "./workspace.ts";

const USAGE = `bun bench/growth.ts [--only NAME]… [--rounds N] [--seconds N] [--write]

Benchmarks the service on SQLite with stores of growing size, one series after the other: ${series.map(({ name }) => name).join(", ")}.
Prints a table of each, and with --write puts it and the chart into docs/scaling.md. Needs wrk, taskset and 6 GB in /var/tmp.`;

type Made = Awaited<ReturnType<Series["make"]>>;
/** A store of one size, its service, and what was measured there. */
type Grown = { path: string; server: Server; figures: Map<string, number[]>; subjects: [GrowthLoad, Subject][] };

/** The seconds of load before the first round, and the figures that are measured once. */
const WARM_UP = 1;
const START = "start to the first list, ms";
const MEMORY = "resident memory, MB";
const FILE = "file, MB";

const values = scriptOptions(USAGE, {
  only: { type: "string", multiple: true },
  rounds: { type: "string", default: "3" },
  seconds: { type: "string", default: "2" },
  write: { type: "boolean", default: false },
});
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
// One for all series: it keeps this process off the server's core, which a second one would then not find.
await using workspace = new Workspace();
// Not at the first start, whose time is measured.
await packageOf(workspace);
for (const each of series.filter(({ name }) => values.only?.includes(name) ?? true)) {
  const measured = await measure(workspace, each);
  console.log(measured);
  if (values.write) writeGrowth(each.title, measured);
}

/** Returns the table of a series: a row for each figure, a column for each size. */
async function measure(workspace: Workspace, { title, sizes, make, loads }: Series): Promise<string> {
  const catalogues: Made[] = [];
  for (const size of sizes) {
    logProgress(`writing ${size} ${title.toLowerCase()}`);
    catalogues.push(await make(workspace, size));
  }
  const stores: Grown[] = [];
  for (const [i, catalogue] of catalogues.entries()) {
    const size = sizes[i] ?? 0;
    logProgress(`starting with ${size} ${title.toLowerCase()}`);
    stores.push(await start(workspace, catalogue, loads(size)));
  }
  const titles = loads(0).map(({ title }) => title);
  for (const [i, name] of titles.entries()) {
    for (let round = 1; round <= rounds; round++) {
      logProgress(`${name}, round ${round} of ${rounds}`);
      // Every other round begins with the largest store: the speed of machines changes from minute to minute.
      for (const store of round % 2 === 1 ? stores : stores.toReversed()) await run(workspace, store, i, round);
    }
  }
  for (const { server, figures } of stores) figures.set(MEMORY, [residentMemory(server.pid)]);
  await Promise.all(stores.map(({ server }) => server[Symbol.asyncDispose]()));
  const rows = [...titles, START, MEMORY, FILE].map((name) => [
    name,
    ...stores.map(({ figures }) => cell(figures.get(name) ?? [])),
  ]);
  return table([title, ...sizes.map(written)], rows);
}

/** Starts the service on a store, and warms it up with each load. */
async function start(workspace: Workspace, catalogue: Made, loads: GrowthLoad[]): Promise<Grown> {
  const { size } = statSync(catalogue.path);
  const begun = performance.now();
  const server = await serve(workspace, catalogue);
  await fetch(`${server.url}${LIST}`, { headers: { Authorization: `Bearer ${catalogue.secret}` } });
  const figures = new Map([
    [START, [performance.now() - begun]],
    [FILE, [size / 1e6]],
  ]);
  const subjects: Grown["subjects"] = [];
  for (const each of loads) {
    const subject = await prepare(workspace, { ...server, ...catalogue }, { ...each, requests: each.requests(0) });
    subjects.push([each, subject]);
    await load(workspace, fresh(workspace, each, subject, 1), WARM_UP);
  }
  return { path: catalogue.path, server, figures, subjects };
}

/** Adds the processor time per response in µs: on a machine that does something else too, rates say less. */
async function run(
  workspace: Workspace,
  { path, server, figures, subjects }: Grown,
  index: number,
  round: number,
): Promise<void> {
  const [each, subject] = subjects[index] ?? [];
  if (each === undefined || subject === undefined) return;
  readIntoMemory(path);
  const before = processorTimeOf(server.pid);
  const { perSecond } = await load(workspace, fresh(workspace, each, subject, round + 1), seconds);
  const time = (processorTimeOf(server.pid) - before) / (perSecond * seconds);
  figures.set(each.title, [...(figures.get(each.title) ?? []), time]);
}

/** The subject with the requests of this run. Run 0 is only the first request, which is checked. */
function fresh(workspace: Workspace, { isFresh, requests }: GrowthLoad, subject: Subject, run: number): Subject {
  return isFresh === true ? { ...subject, file: fileOf(workspace, requests(run)) } : subject;
}

function cell(values: number[]): string {
  const value = median(values);
  return value < 10 ? value.toFixed(1) : written(value);
}

function written(value: number): string {
  return Math.round(value).toLocaleString("en");
}
