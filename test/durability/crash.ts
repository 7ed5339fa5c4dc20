/** `npm run test:crash`: kills the service under full load repeatedly, and checks its data. `-- --rounds 20` does it 20 times. */
import { parseArgs } from "node:util";
import { type ChangeRound, changeRounds } from "./change-rounds.ts";
import { crashRounds, type Round } from "./crash-rounds.ts";

const EXAMPLES = 3;

const { values } = parseArgs({ options: { rounds: { type: "string", default: "10" } } });
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error(`--rounds must be a whole number above 0, not ${values.rounds}`);
  process.exit(2);
}

let number = 0;
let failed = 0;
for await (const round of crashRounds(rounds)) {
  number += 1;
  if (!isSound(round)) failed += 1;
  console.log(`round ${number} of ${rounds}: ${describe(round)}`);
}
number = 0;
for await (const round of changeRounds(rounds)) {
  number += 1;
  if (round.findings.length > 0) failed += 1;
  console.log(`round ${number} of ${rounds} with changes and orders: ${describeChanges(round)}`);
}
console.log(failed === 0 ? "Nothing acknowledged was lost." : `${failed} of ${2 * rounds} rounds broke the promise.`);
process.exitCode = failed === 0 ? 0 : 1;

function isSound({ findings }: Round): boolean {
  return Object.values(findings).every((pets) => pets.length === 0);
}

function describe({ ranFor, acknowledged, stored, findings }: Round): string {
  const counts = Object.entries(findings).map(([finding, pets]) => `${pets.length} ${finding}`);
  const examples = Object.entries(findings).flatMap(([finding, pets]) =>
    pets.slice(0, EXAMPLES).map((pet) => `\n  ${finding}: ${pet}`),
  );
  const totals = `${acknowledged} acknowledged, ${stored} stored`;
  return `killed after ${Math.round(ranFor)} ms; so far ${totals}; ${counts.join(", ")}${examples.join("")}`;
}

function describeChanges({ ranFor, acknowledged, findings }: ChangeRound): string {
  const examples = findings.slice(0, EXAMPLES).map((finding) => `\n  ${finding}`);
  const totals = `so far ${acknowledged} changes acknowledged`;
  return `killed after ${Math.round(ranFor)} ms; ${totals}; ${findings.length} findings${examples.join("")}`;
}
