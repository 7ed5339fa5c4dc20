/**
 * `npm run test:mutations`: plants one small fault at a time in a copy of the working tree, runs the tests that should
 * notice it, and prints those that no test notices. Options:
 *   --only PATTERN   only faults whose file or text matches this regular expression
 *   --limit N        only N of them, chosen by --seed S
 *   --parallel N     so many at a time, by default 2
 */
import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { removeSharedPostgres, sharedPostgresUrl } from "../support/shared-postgres.ts";
import { removeTemporaryDirectories } from "../support/temporary.ts";
import { Checkout } from "./checkout.ts";
import { administration } from "./list/administration.ts";
import { client } from "./list/client.ts";
import { deploy } from "./list/deploy.ts";
import { domain } from "./list/domain.ts";
import { http } from "./list/http.ts";
import { requests } from "./list/requests.ts";
import { stores } from "./list/stores.ts";
import { testing } from "./list/testing.ts";
import { wiring } from "./list/wiring.ts";
import { type Mutant, mutantsOf, nameOf, problemOf } from "./mutant.ts";

/** The share of faults that must be noticed. */
const REQUIRED = 0.95;

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    limit: { type: "string", default: "Infinity" },
    seed: { type: "string", default: String(Date.now()) },
    parallel: { type: "string", default: "2" },
  },
});

const all = mutantsOf([deploy, domain, http, administration, requests, stores, wiring, testing, client]);
const stale = all.flatMap((mutant) => {
  const problem = problemOf(mutant, ".");
  return problem === undefined ? [] : [`${nameOf(mutant)}: ${problem}`];
});
if (stale.length > 0) {
  console.error(`These faults cannot be planted. Update test/mutations/list.\n${stale.join("\n")}`);
  process.exit(1);
}

const chosen = inOrderOf(values.seed, all)
  .filter((mutant) => new RegExp(values.only).test(nameOf(mutant)))
  .slice(0, Number(values.limit));
console.log(`${chosen.length} of ${all.length} faults, --seed ${values.seed}`);
if (chosen.length === 0) process.exit(1);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => cleanUp().then(() => process.exit(1)));
process.exitCode = 1;
try {
  const survivors = await tryAll(chosen);
  const noticed = chosen.length - survivors.length;
  if (survivors.length > 0) console.log(tableOf(survivors));
  console.log(`${noticed} of ${chosen.length} noticed`);
  if (noticed >= REQUIRED * chosen.length) process.exitCode = 0;
} finally {
  await cleanUp();
}

async function cleanUp(): Promise<void> {
  await removeSharedPostgres();
  removeTemporaryDirectories();
}

/** Tries all mutants. Returns those that no test notices. @throws when tests fail without a fault */
async function tryAll(mutants: Mutant[]): Promise<Mutant[]> {
  const postgres = await sharedPostgresUrl();
  const checkouts = Array.from({ length: Number(values.parallel) }, () => new Checkout(postgres));
  const tests = [...new Set(mutants.flatMap((mutant) => mutant.tests))];
  const failure = await checkouts[0]?.firstFailure(tests, [`--parallel=${values.parallel}`, "--no-isolate"]);
  if (failure !== undefined) throw new Error(`without any fault a test fails: ${failure}`);
  const waiting = [...mutants];
  const survivors: Mutant[] = [];
  const tryNext = async (checkout: Checkout): Promise<void> => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const startedAt = performance.now();
      const test = await checkout.try(mutant);
      if (test === undefined) survivors.push(mutant);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      const outcome = test === undefined ? "SURVIVED" : `noticed by "${test}"`;
      console.log(`${nameOf(mutant)}\n    ${outcome}, ${seconds} s`);
    }
  };
  await Promise.all(checkouts.map(tryNext));
  return survivors;
}

/** Shuffles the mutants, the same way for the same seed. */
function inOrderOf(seed: string, mutants: Mutant[]): Mutant[] {
  const place = (mutant: Mutant) =>
    createHash("sha256")
      .update(`${seed} ${nameOf(mutant)}`)
      .digest("hex");
  const placed = mutants.map((mutant) => ({ mutant, place: place(mutant) }));
  return placed.sort((a, b) => (a.place < b.place ? -1 : 1)).map(({ mutant }) => mutant);
}

function tableOf(survivors: Mutant[]): string {
  const style = { head: [], border: [] };
  const table = new Table({ head: ["File", "Text", "Replacement"], style, wordWrap: true, colWidths: [44, 44, 44] });
  for (const { file, text, replacement } of survivors) table.push([file, text, replacement]);
  return table.toString();
}
