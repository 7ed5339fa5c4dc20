import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { removeTemporaryDirectories } from "../test/support/temporary.ts";
import { type Catalogue, firstPageText } from "./catalogue.ts";
import { FULL } from "./effort.ts";
import { logProgress, median } from "./figures.ts";
import { load } from "./load.ts";
import { created, creation, list } from "./requests.ts";
import { BUN } from "./servers.ts";
import { prepare, type Subject } from "./subject.ts";
import { type Server, Workspace } from "./workspace.ts";

const USAGE = `bun bench/compare.ts REVISION [--creations | --keys N] [--starts N] [--rounds N] [--seconds N]

Compares how fast this checkout and another revision of it answer the list, or creations, or the list with N keys at random,
alternately in one run: what a change costs. Both are started several times, because two starts of one program may differ more
than two programs. Prints the median of the rounds' ratios, this over that, of each start, and the median of those.`;

type Cost = { perSecond: number; processor: number };
/** A checkout of the service, and a catalogue that it made: versions may have different schemas. */
type Checkout = { directory: string; catalogue: Catalogue & { secrets: string[] } };
type Contender = Server & { subject: Subject };

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SIZE = 100_000;
/** How many keys are made per second at least. */
const KEYS_PER_SECOND = 1_000;

process.on("exit", removeTemporaryDirectories);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    creations: { type: "boolean", default: false },
    keys: { type: "string", default: "0" },
    starts: { type: "string", default: "5" },
    rounds: { type: "string" },
    seconds: { type: "string" },
  },
});
const [revision] = positionals;
if (revision === undefined) {
  console.error(USAGE);
  process.exit(2);
}
const starts = Number(values.starts);
const rounds = Number(values.rounds ?? FULL.rounds);
const seconds = Number(values.seconds ?? FULL.seconds);
const keys = Number(values.keys);

await using workspace = new Workspace();
const ours = await withCatalogue(ROOT);
const theirs = await withCatalogue(extract(revision));
const ratios: Cost[] = [];
for (let i = 0; i < starts; i++) ratios.push(await ratioOfStart(i));
console.log(`this checkout / ${revision}, medians of ${starts} starts, each the median of ${rounds} rounds of ${seconds} s:
responses per second ${summaryOf("perSecond")}, processor time per response ${summaryOf("processor")}`);

/** Starts both, and returns the medians of their rounds' ratios. */
async function ratioOfStart(number: number): Promise<Cost> {
  const [here, there] = await inTurn(number, start, ours, theirs);
  await using _here = here;
  await using _there = there;
  await inTurn(number, ({ subject }) => load(workspace, subject, FULL.warmUp), here, there);
  const ofRounds: Cost[] = [];
  for (let round = 0; round < rounds; round++) {
    const [our, their] = await inTurn(round, costOf, here, there);
    logProgress(`${textOf(our)} here; ${textOf(their)} there`);
    ofRounds.push({ perSecond: our.perSecond / their.perSecond, processor: our.processor / their.processor });
  }
  return { perSecond: medianOf("perSecond", ofRounds), processor: medianOf("processor", ofRounds) };
}

/**
 * Does the same with both, one after the other, with the second one first where `number` is odd: the speed of machines changes
 * from minute to minute, and the server that starts first may be faster. Returns what came of each.
 */
async function inTurn<T, R>(number: number, act: (which: T) => Promise<R>, one: T, other: T): Promise<[R, R]> {
  if (number % 2 === 0) return [await act(one), await act(other)];
  const ofOther = await act(other);
  return [await act(one), ofOther];
}

function medianOf(figure: keyof Cost, costs: Cost[]): number {
  return median(costs.map((cost) => cost[figure]));
}

/** The median of the starts, and what each of them gave. */
function summaryOf(figure: keyof Cost): string {
  return `${medianOf(figure, ratios).toFixed(3)} (${ratios.map((ratio) => ratio[figure].toFixed(2)).join(", ")})`;
}

/** Returns responses per second, and processor time per response in µs, which other load on the machine affects less. */
async function costOf({ subject }: Contender): Promise<Cost> {
  const { perSecond, processor = Number.NaN } = await load(workspace, subject, seconds);
  return { perSecond, processor };
}

function textOf({ perSecond, processor }: Cost): string {
  return `${Math.round(perSecond)} per second, ${processor.toFixed(2)} us`;
}

/** Extracts a revision, with a link to this checkout's dependencies. Returns the directory. */
function extract(name: string): string {
  const directory = workspace.path("revision");
  mkdirSync(directory);
  const { status, stderr } = spawnSync("sh", ["-c", 'git archive "$1" | tar -x -C "$2"', "sh", name, directory], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (status !== 0 || stderr !== "") throw new Error(`There is no revision ${name}: ${stderr}`);
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  return directory;
}

/** Makes the catalogue of a checkout. */
async function withCatalogue(directory: string): Promise<Checkout> {
  const path = workspace.path("petstore.db");
  const make = `import { addKeys, createCatalogue } from "${join(directory, "bench/catalogue.ts")}";
    const catalogue = await createCatalogue("${path}", ${SIZE});
    await Bun.write("${path}.json", JSON.stringify({ ...catalogue, secrets: await addKeys(catalogue, ${keys}) }));`;
  await workspace.load([...BUN, workspace.file("catalogue.ts", make)], FULL.memoryLoad + keys / KEYS_PER_SECOND);
  return { directory, catalogue: JSON.parse(readFileSync(`${path}.json`, "utf8")) };
}

/** Starts the service of a checkout on a copy of its catalogue. */
async function start({ directory, catalogue }: Checkout): Promise<Contender> {
  const path = workspace.path("petstore.db");
  copyFileSync(catalogue.path, path);
  const { runtimeEnvironment } = await import(join(directory, "bin/runtime.js"));
  const server = await workspace.start({
    command: () => [...BUN, join(directory, "src/main.ts"), "serve"],
    env: (port) => ({
      ...runtimeEnvironment,
      HOST: "127.0.0.1",
      PORT: String(port),
      PETSTORE_ADMIN_PORT: "0",
      PETSTORE_LOG_LEVEL: "warn",
      DATABASE_URL: `sqlite:${path}`,
    }),
  });
  const workload = values.creations
    ? { requests: [creation], answer: created }
    : { requests: [list], answer: firstPageText(), ...(keys > 0 && { keys }) };
  return { ...server, subject: await prepare(workspace, { ...catalogue, ...server }, workload) };
}
