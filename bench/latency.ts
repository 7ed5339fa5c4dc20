import { fileURLToPath } from "node:url";
import { z } from "zod";
import { firstPageText } from "./catalogue.ts";
import type { Latencies, Schedule } from "./constant-rate.ts";
import type { Effort } from "./effort.ts";
import { load } from "./load.ts";
import { tell } from "./progress.ts";
import { LIST, list } from "./requests.ts";
import { BUN, startService } from "./servers.ts";
import { prepare } from "./subject.ts";
import type { Workplace } from "./workplace.ts";

const PROGRAM = fileURLToPath(new URL("constant-rate.ts", import.meta.url));
const SIZE = 100_000;

const Printed: z.ZodType<Latencies> = z.object({ p50: z.number(), p99: z.number(), max: z.number(), own: z.number() });

/** The p99 of the list's latency in each round, in ms, at half the rate that it reached just before. */
export async function measureLatency(workplace: Workplace, effort: Effort): Promise<number[]> {
  await using service = await startService(workplace, SIZE);
  const subject = await prepare(workplace, service, { requests: [list], answer: firstPageText() });
  const constant = {
    port: service.port,
    path: LIST,
    headers: subject.headers,
    connections: subject.connections,
    warmUp: effort.warmUp,
    seconds: effort.constantRate,
  };
  await load(workplace, subject, effort.warmUp);
  const latencies: number[] = [];
  while (latencies.length < effort.rounds) {
    const { perSecond } = await load(workplace, subject, effort.seconds);
    const { rate, p50, p99, max, own } = await askAt(workplace, { ...constant, rate: Math.round(perSecond / 2) });
    tell(`${rate} lists a second: p50 ${p50} ms, p99 ${p99} ms, slowest ${max} ms, generator's own p99 ${own} ms`);
    latencies.push(p99);
  }
  return latencies;
}

async function askAt(workplace: Workplace, schedule: Schedule): Promise<Latencies & { rate: number }> {
  const command = [...BUN, PROGRAM, JSON.stringify(schedule)];
  const printed = await workplace.load(command, schedule.warmUp + schedule.seconds);
  return { ...Printed.parse(JSON.parse(printed)), rate: schedule.rate };
}
