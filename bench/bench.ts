import { removeTemporaryDirectories } from "../test/support/temporary.ts";
import { describeMachine } from "./machine.ts";
import { readOptions } from "./options.ts";
import { takeMeasures } from "./outcomes.ts";
import { writeToPage } from "./page.ts";
import { reportText } from "./report.ts";
import { countOf } from "./verdict.ts";
import { Workplace } from "./workplace.ts";

const { effort, measures, write } = readOptions(process.argv.slice(2));
process.on("exit", removeTemporaryDirectories);
try {
  await using workplace = new Workplace();
  const machine = describeMachine(workplace);
  const findings = await takeMeasures(workplace, measures, effort);
  const report = reportText(findings, effort, machine);
  console.log(report);
  if (write) writeToPage(report, findings);
  const { passed, failed, skipped } = countOf(findings.outcomes, effort);
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = passed === measures.length ? 0 : 1;
} catch (error) {
  console.error(`The benchmark failed: ${error instanceof Error ? error.message : error}`);
  console.log(`\n0 passed, ${measures.length} failed, 0 skipped`);
  process.exitCode = 1;
}
