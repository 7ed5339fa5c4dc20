/**
 * `npm run test:mutations`: plants one small fault at a time in a copy of the working tree, runs the tests that reach it,
 * and prints the faults that no test notices. Options:
 *   --only PATTERN    only faults whose line in the output matches this regular expression
 *   --changed REV     only faults on lines changed since this commit
 *   --limit N         only N of them, by default 100
 *   --others N        and N of the others that match the pattern
 *   --seed S          which ones: the same for the same seed
 *   --tests N         at most so many of the test files that reach a fault look for it, the closest; by default all
 *   --closest N       the N closest test files look for it, whether they reach it or not, in one process, and then the next 2 N;
 *                     those of documents or deployment files for one in these. They must have passed before: this takes a
 *                     fraction of the time
 *   --long N          and so many long ones if these do not notice it, by default 4, or 3 N if no short one reaches it
 *   --parallel N      so many at a time, by default 2
 *   --minutes N       tries no more faults after so long, by default all
 *   --required SHARE  fails when a smaller share is noticed, by default 0.95
 *   --chance P        but not if chance explains it: if, of faults of which this share is noticed, a sample has so few noticed
 *                     with a probability of at least P
 *   --list            only lists the faults
 */
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { removeSharedPostgres, sharedPostgresUrl } from "../support/shared-postgres.ts";
import { removeTemporaryDirectories } from "../support/temporary.ts";
import { Checkout, filesOf } from "./checkout.ts";
import { allMutants, changedSince, shuffled } from "./choose.ts";
import { Closeness } from "./closeness.ts";
import { type Coverage, cover, coveredBy, shared } from "./coverage.ts";
import { type Mutant, mutated, nameOf } from "./mutant.ts";

/** How many tests look for a fault in a text, and in code that no test reaches in its own process: a browser's is not seen. */
const UNREACHED = 4;
/** Of so many times as many tests, the closest, it is found out whether they reach a fault. */
const NEAR = 4;
/** So many tests look for a fault one after the other, the others at once. */
const ALONE = 10;
/** How long tests may take with a fault, in ms. */
const MOST = 300_000;
/** The tests of what is no code, which are quick. Words do not show which of them compares a cell of a table. */
const TESTS_OF_TEXTS = [
  { texts: /\.md$/, tests: /^test\/document/ },
  { texts: /^deploy\//, tests: /^test\/deploy\// },
];
/** After so many tests have not noticed a fault, the types are asked, as they often know. */
const BEFORE_TYPES = 2;

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    changed: { type: "string" },
    limit: { type: "string", default: "100" },
    others: { type: "string", default: "0" },
    seed: { type: "string", default: String(Date.now()) },
    tests: { type: "string", default: "Infinity" },
    closest: { type: "string", default: "0" },
    long: { type: "string", default: "4" },
    parallel: { type: "string", default: "2" },
    minutes: { type: "string", default: "Infinity" },
    required: { type: "string", default: "0.95" },
    chance: { type: "string", default: "1" },
    list: { type: "boolean", default: false },
  },
});

const { mutants: all, sources } = allMutants();
const sourceOf = ({ file }: Mutant) => sources.get(file) ?? "";
const matching = shuffled(
  all.filter((mutant) => new RegExp(values.only).test(nameOf(mutant, sourceOf(mutant)))),
  sources,
  values.seed,
);
const isChanged = values.changed === undefined ? () => true : changedSince(values.changed, sources);
const chosen = matching.filter(isChanged).slice(0, Number(values.limit));
const others = matching.filter((mutant) => !isChanged(mutant)).slice(0, Number(values.others));
const mutants = [...chosen, ...others];
console.log(`${mutants.length} of ${all.length} faults, --seed ${values.seed}`);

if (values.list) {
  for (const mutant of mutants) console.log(nameOf(mutant, sourceOf(mutant)));
} else if (mutants.length > 0) {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => cleanUp().then(() => process.exit(1)));
  process.exitCode = 1;
  try {
    if (await tryAll()) process.exitCode = 0;
  } finally {
    await cleanUp();
  }
}

async function cleanUp(): Promise<void> {
  await removeSharedPostgres();
  removeTemporaryDirectories();
}

/** Tries the mutants, and prints what becomes of them. Whether enough were noticed. */
async function tryAll(): Promise<boolean> {
  const tests = [...filesOf("test"), ...filesOf("client/test")].filter((file) => file.endsWith(".test.ts"));
  const [long, short] = [tests.filter(isLong), tests.filter((test) => !isLong(test))];
  const postgres = await sharedPostgresUrl();
  const checkouts = Array.from({ length: Number(values.parallel) }, () => new Checkout(postgres));
  const closeness = new Closeness(tests);
  const limit = Number(values.tests);
  const closest = Number(values.closest);
  const near = (closest > 0 ? [] : mutants).map((mutant) =>
    closeness.sort(short, mutant, sourceOf(mutant)).slice(0, NEAR * limit),
  );
  let startedAt = performance.now();
  const coverage = closest > 0 ? coveredBy(tests) : await cover(checkouts, mutants, sources, [...new Set(near.flat())]);
  console.log(`${new Set(near.flat()).size} test files without a fault: ${secondsSince(startedAt)} s`);
  for (const [test, failure] of coverage.failing) console.log(`${test} fails without a fault, at "${failure}"`);

  startedAt = performance.now();
  const survivors: Mutant[] = [];
  const counts = { tests: 0, types: 0 };
  let untried = 0;
  await shared(mutants, checkouts, async (mutant, checkout) => {
    if (performance.now() > Number(values.minutes) * 60_000) {
      untried += 1;
      return;
    }
    const plantedAt = performance.now();
    const sound = (some: string[]) => some.filter((test) => !coverage.failing.has(test));
    const reaching = sound(coverage.testsOf(mutant));
    const sort = (some: string[]) => closeness.sort(some, mutant, sourceOf(mutant));
    const close = reaching.length > 0 ? sort(reaching).slice(0, limit) : sort(sound(short)).slice(0, UNREACHED);
    const furthest = close.slice(ALONE);
    const longest = Number(values.long) * (isCode(mutant) && reaching.length === 0 ? 3 : 1);
    const alone = [...close.slice(0, ALONE), ...sort(sound(long)).slice(0, longest)].map((test) => [test]);
    const before = furthest.length > 0 ? [...alone, furthest] : alone;
    const found = closestOf(mutant, sort(short), sort(long));
    const chosen = closest > 0 ? [found.closest, ...found.long.map((test) => [test]), found.next] : before;
    checkout.plant(new Map([[mutant.file, mutated(mutant, sourceOf(mutant))]]));
    const outcome = await noticedBy(mutant, chosen, checkout, coverage);
    checkout.restore([mutant.file]);
    if (outcome === undefined) survivors.push(mutant);
    else counts[outcome.by] += 1;
    const tried = `${reaching.length} tests reach it, ${secondsSince(plantedAt)} s`;
    console.log(`${nameOf(mutant, sourceOf(mutant))}\n    ${outcome?.how ?? "SURVIVED"} (${tried})`);
  });
  if (survivors.length > 0) console.log(tableOf(survivors));
  if (untried > 0) console.log(`${untried} were not tried within ${values.minutes} minutes`);
  const noticed = counts.tests + counts.types;
  const tried = mutants.length - untried;
  const share = `${((100 * noticed) / tried).toFixed(1)} %`;
  console.log(
    `${noticed} of ${tried} noticed, ${share}: ${counts.tests} by tests, ${counts.types} by types; ${secondsSince(startedAt)} s`,
  );
  const chance = chanceOf(noticed, tried, Number(values.required));
  if (values.chance !== "1")
    console.log(`the chance of so few, if ${values.required} of all are noticed: ${chance.toFixed(4)}`);
  return tried > 0 && (noticed >= Number(values.required) * tried || chance >= Number(values.chance));
}

/** The probability that of so many faults, each of which is noticed with this probability, at most `noticed` are. */
function chanceOf(noticed: number, tried: number, rate: number): number {
  let [chance, sum] = [(1 - rate) ** tried, 0];
  for (let count = 0; count <= noticed; count++) {
    sum += chance;
    chance *= ((tried - count) / (count + 1)) * (rate / (1 - rate));
  }
  return sum;
}

/** Lets tests, those of each list at once, and types look for the mutant, until one notices it. */
async function noticedBy(
  mutant: Mutant,
  tests: string[][],
  checkout: Checkout,
  coverage: Coverage,
): Promise<{ by: "tests" | "types"; how: string } | undefined> {
  for (const [at, some] of [...tests, undefined].entries()) {
    const isTypes = at === Math.min(Number(values.closest) > 0 ? 1 : BEFORE_TYPES, tests.length);
    if (isTypes && isCode(mutant)) {
      const error = await checkout.typeError(mutant.file);
      if (error !== undefined) return { by: "types", how: `noticed by types: ${error}` };
    }
    if (some === undefined) break;
    if (some.length === 0) continue;
    const usual = some.reduce((sum, test) => sum + coverage.tookOf(test), 0);
    const { failure } = await checkout.run(some, Math.min(20_000 + 4 * usual, MOST), Number(values.closest) > 0);
    const where = some.length > 1 ? `one of ${some.length} more test files` : `${some[0]}, the ${at + 1}.`;
    if (failure === undefined || !(await arePassing(some, mutant, checkout, coverage))) continue;
    return { by: "tests", how: `noticed by "${failure}" in ${where}` };
  }
  return undefined;
}

/** Whether these tests, which fail with the mutant, pass without: those that coverage did not run are tried once. */
async function arePassing(tests: string[], mutant: Mutant, checkout: Checkout, coverage: Coverage): Promise<boolean> {
  for (const test of tests.filter((one) => !coverage.passing.has(one))) {
    if (coverage.failing.has(test)) return false;
    checkout.restore([mutant.file]);
    const { failure } = await checkout.run([test], MOST);
    checkout.plant(new Map([[mutant.file, mutated(mutant, sourceOf(mutant))]]));
    if (failure === undefined) coverage.passing.add(test);
    else coverage.failing.set(test, failure);
    if (failure !== undefined) console.log(`${test} fails without a fault, at "${failure}"`);
  }
  return tests.every((test) => coverage.passing.has(test));
}

function isCode({ file }: Mutant): boolean {
  return /\.tsx?$/.test(file);
}

/** Of tests in their order, those that look for it in CI: the closest, or all of those of its kind of text. */
function closestOf({ file }: Mutant, short: string[], long: string[]): Record<"closest" | "next" | "long", string[]> {
  const own = TESTS_OF_TEXTS.find(({ texts }) => texts.test(file))?.tests;
  const isOwn = (test: string) => own?.test(test) ?? true;
  const closest = short.filter(isOwn).slice(0, own === undefined ? Number(values.closest) : undefined);
  return {
    closest,
    next: short.filter((test) => !closest.includes(test)).slice(0, 2 * Number(values.closest)),
    long: long.filter(isOwn).slice(0, Number(values.long)),
  };
}

function isLong(test: string): boolean {
  return test.includes(".long.");
}

function secondsSince(moment: number): string {
  return ((performance.now() - moment) / 1000).toFixed(1);
}

function tableOf(survivors: Mutant[]): string {
  const style = { head: [], border: [] };
  const table = new Table({ head: ["Line", "Fault"], style, wordWrap: true, colWidths: [50, 90] });
  for (const mutant of survivors) {
    const [, place = "", fault = ""] = /^(.*?:\d+): (.*)$/s.exec(nameOf(mutant, sourceOf(mutant))) ?? [];
    table.push([place, fault]);
  }
  return table.toString();
}
