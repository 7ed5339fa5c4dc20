import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Measurement } from "./benchmarks.ts";
import type { Decisions, Durations } from "./decisions.ts";
import type { Effort } from "./effort.ts";
import { startRedisServer } from "./engines.ts";
import { logProgress } from "./progress.ts";
import { BUN } from "./servers.ts";
import type { Workspace } from "./workspace.ts";

const PROGRAM = fileURLToPath(new URL("decisions.ts", import.meta.url));

const Printed: z.ZodType<Durations> = z.object({ p50: z.number(), p99: z.number(), count: z.number().positive() });

/** Returns the median duration of a limiter decision in Redis in each round, in ms. */
export async function measureRedisLatency(workspace: Workspace, effort: Effort): Promise<Measurement> {
  await using redis = await startRedisServer(workspace);
  const values: number[] = [];
  while (values.length < effort.rounds) {
    const { p50, p99, count } = await decide(workspace, {
      url: redis.server.url,
      warmUp: effort.warmUp,
      seconds: effort.seconds,
    });
    logProgress(`${count} decisions in Redis, one after the other: p50 ${p50} ms, p99 ${p99} ms`);
    values.push(p50);
  }
  return { values };
}

async function decide(workspace: Workspace, decisions: Decisions): Promise<Durations> {
  const command = [...BUN, PROGRAM, JSON.stringify(decisions)];
  const printed = await workspace.run(command, decisions.warmUp + decisions.seconds, workspace.cores.server);
  return Printed.parse(JSON.parse(printed));
}
