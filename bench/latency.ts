import { fileURLToPath } from "node:url";
import { z } from "zod";
import { firstPageText } from "./catalogue.ts";
import type { Latencies, Schedule } from "./constant-rate.ts";
import type { Effort } from "./effort.ts";
import { load } from "./load.ts";
import { logProgress } from "./progress.ts";
import { LIST, list } from "./requests.ts";
import { BUN, startService } from "./servers.ts";
import { prepare } from "./subject.ts";
import type { Workspace } from "./workspace.ts";

const PROGRAM = fileURLToPath(new URL("constant-rate.ts", import.meta.url));
const SIZE = 100_000;

const Printed: z.ZodType<Latencies> = z.object({ p50: z.number(), p99: z.number(), max: z.number(), own: z.number() });

/** Returns the p99 of the list's latency in each round, in ms, at half the peak rate measured just before. */
export async function measureLatency(workspace: Workspace, effort: Effort): Promise<number[]> {
  await using service = await startService(workspace, SIZE);
  const subject = await prepare(workspace, service, { requests: [list], answer: firstPageText() });
  const constant = {
    port: service.port,
    path: LIST,
    headers: subject.headers,
    connections: subject.connections,
    warmUp: effort.warmUp,
    seconds: effort.constantRate,
  };
  await load(workspace, subject, effort.warmUp);
  const latencies: number[] = [];
  while (latencies.length < effort.rounds) {
    const { perSecond } = await load(workspace, subject, effort.seconds);
    const { rate, p50, p99, max, own } = await measureAt(workspace, { ...constant, rate: Math.round(perSecond / 2) });
    logProgress(
      `${rate} lists per second: p50 ${p50} ms, p99 ${p99} ms, slowest ${max} ms, generator's own p99 ${own} ms`,
    );
    latencies.push(p99);
  }
  return latencies;
}

async function measureAt(workspace: Workspace, schedule: Schedule): Promise<Latencies & { rate: number }> {
  const command = [...BUN, PROGRAM, JSON.stringify(schedule)];
  const printed = await workspace.load(command, schedule.warmUp + schedule.seconds);
  return { ...Printed.parse(JSON.parse(printed)), rate: schedule.rate };
}
