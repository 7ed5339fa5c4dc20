/**
 * The service as `petstore serve` runs it, but with a clock that stands still until it is set:
 * a line `{"now":<Unix ms>}` on standard input, answered by the same line on standard output.
 * With `"runs":true` it runs from then on.
 * It stops when its input ends, so that it never outlives the test that started it.
 */
import { onLines } from "../../src/adapters/socket/limiter.ts";
import { runInChildProcess, thisRuntime } from "../../src/commands/program.ts";
import { readConfig } from "../../src/wiring/config.ts";
import { createLog } from "../../src/wiring/log.ts";
import { startService } from "../../src/wiring/service.ts";
import { commandFor } from "./runtime.ts";

let now = Number(process.env.TEST_NOW);
/** Since when it runs, in Unix ms; undefined while it stands still. */
let runningSince: number | undefined;
const config = readConfig(process.env);
const service = await startService(config, await createLog(config.logLevel, false), await thisRuntime(), {
  clock: () => (runningSince === undefined ? now : now + Date.now() - runningSince),
  serverClocks: {},
  runCommand: (args, signal) => runInChildProcess(args, signal, commandFor(process.env.TEST_MAIN ?? "")),
});
console.log(JSON.stringify({ listening: service.port, admin: service.adminPort }));

const exit = async () => {
  await service.stop();
  process.exit(0);
};
process.on("SIGTERM", exit);
// To load node:readline would take a tenth of the start.
onLines(process.stdin, (line) => {
  const set: { now: number; runs?: boolean } = JSON.parse(line);
  now = set.now;
  runningSince = set.runs === true ? Date.now() : undefined;
  console.log(line);
});
process.stdin.on("end", exit);
