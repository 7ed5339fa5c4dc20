import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { removeTemporaryDirectories } from "../test/support/temporary.ts";
import { type Catalogue, firstPageText } from "./catalogue.ts";
import { FULL } from "./effort.ts";
import { load } from "./load.ts";
import { processorTimeOf } from "./processor-time.ts";
import { logProgress } from "./progress.ts";
import { created, creation, list } from "./requests.ts";
import { BUN } from "./servers.ts";
import { median } from "./statistics.ts";
import { prepare, type Subject } from "./subject.ts";
import { type Server, Workspace } from "./workspace.ts";

const USAGE = `bun bench/compare.ts REVISION [--creations | --keys N] [--starts N] [--rounds N] [--seconds N]

Compares how fast this checkout and another revision of it answer the list, or creations, or the list with N keys at random,
alternately in one run: what a change costs. Both are started several times, because two starts of one program may differ more
than two programs. Prints the median of the rounds' ratios, this over that, of each start, and the median of those.`;

type Cost = { perSecond: number; processor: number };
type Contender = { subject: Subject; server: Server };

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
const other = extract(revision);
const ratios: Cost[] = [];
for (let i = 1; i <= starts; i++) ratios.push(await ratioOfOneStart(i % 2 === 1));
console.log(`this checkout / ${revision}, medians of ${starts} starts, each the median of ${rounds} rounds of ${seconds} s:
responses per second ${summaryOf("perSecond")}, processor time per response ${summaryOf("processor")}`);

/** Starts both, and returns the medians of their rounds' ratios. The one that starts first may be faster. */
async function ratioOfOneStart(isHereFirst: boolean): Promise<Cost> {
  const first = await start(isHereFirst ? ROOT : other);
  await using _first = first.server;
  const second = await start(isHereFirst ? other : ROOT);
  await using _second = second.server;
  const [here, there] = isHereFirst ? [first, second] : [second, first];
  for (const { subject } of [first, second]) await load(workspace, subject, FULL.warmUp);
  const ofRounds: Cost[] = [];
  for (let round = 1; round <= rounds; round++) {
    // The order alternates: the speed of machines changes from minute to minute.
    const isForwards = round % 2 === 1;
    const earlier = await costOf(isForwards ? here : there);
    const later = await costOf(isForwards ? there : here);
    const [ours, theirs] = isForwards ? [earlier, later] : [later, earlier];
    logProgress(`${textOf(ours)} here; ${textOf(theirs)} there`);
    ofRounds.push({ perSecond: ours.perSecond / theirs.perSecond, processor: ours.processor / theirs.processor });
  }
  return { perSecond: medianOf("perSecond", ofRounds), processor: medianOf("processor", ofRounds) };
}

function medianOf(figure: keyof Cost, costs: Cost[]): number {
  return median(costs.map((cost) => cost[figure]));
}

/** The median of the starts, and what each of them gave. */
function summaryOf(figure: keyof Cost): string {
  return `${medianOf(figure, ratios).toFixed(3)} (${ratios.map((ratio) => ratio[figure].toFixed(2)).join(", ")})`;
}

/** Returns responses per second, and processor time per response in µs, which other load on the machine affects less. */
async function costOf({ subject, server }: Contender): Promise<Cost> {
  const before = processorTimeOf(server.pid);
  const { perSecond } = await load(workspace, subject, seconds);
  return { perSecond, processor: (processorTimeOf(server.pid) - before) / (perSecond * seconds) };
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

/** Starts the service of a checkout on a catalogue of its own: versions may have different schemas. */
async function start(checkout: string): Promise<Contender> {
  const path = workspace.path("petstore.db");
  const make = `import { addKeys, createCatalogue } from "${join(checkout, "bench/catalogue.ts")}";
    const catalogue = await createCatalogue("${path}", ${SIZE});
    await Bun.write("${path}.json", JSON.stringify({ ...catalogue, secrets: await addKeys(catalogue, ${keys}) }));`;
  await workspace.load([...BUN, workspace.file("catalogue.ts", make)], FULL.memoryLoad + keys / KEYS_PER_SECOND);
  const { secret, secrets }: Catalogue & { secrets: string[] } = JSON.parse(readFileSync(`${path}.json`, "utf8"));
  const { runtimeEnvironment } = await import(join(checkout, "bin/runtime.js"));
  const server = await workspace.start({
    command: () => [...BUN, join(checkout, "src/main.ts"), "serve"],
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
  return { subject: await prepare(workspace, { ...server, secret, secrets }, workload), server };
}
