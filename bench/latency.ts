import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Measurement } from "./benchmarks.ts";
import { firstPageText } from "./catalogue.ts";
import type { Latencies, Schedule } from "./constant-rate.ts";
import type { Effort } from "./effort.ts";
import { load } from "./load.ts";
import { logProgress } from "./progress.ts";
import { LIST, list } from "./requests.ts";
import { BUN, startContender, startService } from "./servers.ts";
import { prepare } from "./subject.ts";
import type { Server, Workspace } from "./workspace.ts";

const PROGRAM = fileURLToPath(new URL("constant-rate.ts", import.meta.url));
const SIZE = 100_000;

const Printed: z.ZodType<Latencies> = z.object({ p50: z.number(), p99: z.number(), max: z.number(), own: z.number() });

/** Returns the p99 of the list's latency, in ms, at half the peak rate measured just before, and that of a bare server at that rate. */
export async function measureLatency(workspace: Workspace, effort: Effort): Promise<Measurement> {
  await using service = await startService(workspace, SIZE);
  await using bareServer = await startContender(workspace, BUN, "bare-bun");
  const subject = await prepare(workspace, service, { requests: [list], answer: firstPageText() });
  const { headers, connections } = subject;
  const constant = { path: LIST, headers, connections, warmUp: effort.warmUp, seconds: effort.constantRate };
  const p99Of = async (name: string, { port }: Server, rate: number) => {
    const { p50, p99, max, own } = await measureAt(workspace, { ...constant, port, rate });
    logProgress(
      `${name}, ${rate} per second: p50 ${p50} ms, p99 ${p99} ms, slowest ${max} ms, generator's own p99 ${own} ms`,
    );
    return p99;
  };
  await load(workspace, subject, effort.warmUp);
  const [values, bare]: [number[], number[]] = [[], []];
  while (values.length < effort.rounds) {
    const rate = Math.round((await load(workspace, subject, effort.seconds)).perSecond / 2);
    values.push(await p99Of("list", service, rate));
    bare.push(await p99Of("bare Bun.serve", bareServer, rate));
  }
  return { values, bare };
}

async function measureAt(workspace: Workspace, schedule: Schedule): Promise<Latencies> {
  const command = [...BUN, PROGRAM, JSON.stringify(schedule)];
  const printed = await workspace.load(command, schedule.warmUp + schedule.seconds);
  return Printed.parse(JSON.parse(printed));
}
