import { removeTemporaryDirectories } from "../test/support/temporary.ts";
import { describeMachine } from "./machine.ts";
import { readOptions } from "./options.ts";
import { writeToPages } from "./page.ts";
import { reportText } from "./report.ts";
import { countOf, runBenchmarks } from "./results.ts";
import { Workspace } from "./workspace.ts";

const { effort, benchmarks, write } = readOptions(process.argv.slice(2));
process.on("exit", removeTemporaryDirectories);
try {
  await using workspace = new Workspace();
  const machine = describeMachine(workspace);
  const results = await runBenchmarks(workspace, benchmarks, effort);
  const report = reportText(results, effort, machine);
  console.log(report);
  if (write) writeToPages(report, results);
  const { passed, failed, skipped } = countOf(results.outcomes, effort);
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = passed === benchmarks.length ? 0 : 1;
} catch (error) {
  console.error(`The benchmark failed: ${error instanceof Error ? error.message : error}`);
  console.log(`\n0 passed, ${benchmarks.length} failed, 0 skipped`);
  process.exitCode = 1;
}
