import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Measurement } from "./benchmark.ts";
import { createCatalogue, firstPageText } from "./catalogue.ts";
import type { Latencies, Schedule } from "./constant-rate.ts";
import type { Decisions, Durations, Effort as RedisEffort } from "./decisions.ts";
import type { Effort } from "./effort.ts";
import { startRedisServer } from "./engines.ts";
import { logProgress } from "./figures.ts";
import { load } from "./load.ts";
import { LIST, list, mixture } from "./requests.ts";
import { BUN, packageOf, startContender, startOn, startService, startWithKeys } from "./servers.ts";
import { MANY_KEYS, USUAL } from "./stage.ts";
import { prepare } from "./subject.ts";
import type { Server, Workspace } from "./workspace.ts";

const START_SIZE = 1_000_000;

/** Returns several durations, in ms, from `petstore serve` of the npm package to the first list, on the database of a clean stop. */
export async function measureStart(workspace: Workspace, { rounds }: Effort): Promise<Measurement> {
  logProgress(`${rounds} starts`);
  const catalogue = await createCatalogue(workspace.path("petstore.db"), START_SIZE);
  const command = ["node", join(await packageOf(workspace), "bin/petstore.js"), "serve"];
  const values: number[] = [];
  while (values.length < rounds) {
    const before = performance.now();
    await using server = await startOn(workspace, catalogue, command);
    const response = await fetch(`${server.url}${LIST}`, { headers: { Authorization: `Bearer ${catalogue.secret}` } });
    values.push(performance.now() - before);
    if (!response.ok) throw new Error(`the first response has status ${response.status}`);
  }
  return { values };
}

const MEMORY_SIZE = 1_000_000;

/** Returns the resident memory, in MB, of a new service with a million pets at the end of a mixed load. */
export async function measureMemory(workspace: Workspace, { memoryLoad }: Effort): Promise<Measurement> {
  logProgress(`memory under ${memoryLoad} s of load`);
  await using service = await startService(workspace, MEMORY_SIZE);
  const mixed = await prepare(workspace, service, {
    requests: mixture(MEMORY_SIZE),
    answer: firstPageText(),
  });
  await load(workspace, mixed, memoryLoad);
  return { values: [residentMemory(service.pid)] };
}

/** Returns the resident memory, in MB, of a service after so long a load with 100,000 keys, chosen at random. */
export async function measureMemoryOfKeys(workspace: Workspace, { memoryLoad }: Effort): Promise<Measurement> {
  logProgress(`memory under ${memoryLoad} s of load with ${MANY_KEYS} keys`);
  await using service = await startWithKeys(workspace, USUAL, MANY_KEYS);
  const subject = await prepare(workspace, service, { requests: [list], answer: firstPageText(), keys: MANY_KEYS });
  await load(workspace, subject, memoryLoad);
  return { values: [residentMemory(service.pid)] };
}

/** The resident memory of a process, in MB: 10^6 bytes. */
export function residentMemory(pid: number): number {
  const kibibytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (Number(kibibytes) * 1024) / 1e6;
}

const RATE_PROGRAM = fileURLToPath(new URL("constant-rate.ts", import.meta.url));
const LATENCY_SIZE = 100_000;

const PrintedLatency: z.ZodType<Latencies> = z.object({
  p50: z.number(),
  p99: z.number(),
  max: z.number(),
  own: z.number(),
});

/** Returns the p99 of the list's latency, in ms, at half the peak rate measured just before, and that of a bare server at that rate. */
export async function measureLatency(workspace: Workspace, effort: Effort): Promise<Measurement> {
  await using service = await startService(workspace, LATENCY_SIZE);
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

export async function measureAt(workspace: Workspace, schedule: Schedule): Promise<Latencies> {
  const command = [...BUN, RATE_PROGRAM, JSON.stringify(schedule)];
  const printed = await workspace.load(command, schedule.warmUp + schedule.seconds);
  return PrintedLatency.parse(JSON.parse(printed));
}

const DECISIONS_PROGRAM = fileURLToPath(new URL("decisions.ts", import.meta.url));

const PrintedDecisions: z.ZodType<Durations & RedisEffort> = z.object({
  p50: z.number(),
  p99: z.number(),
  count: z.number().positive(),
  processor: z.number().positive(),
  bytes: z.number().positive(),
});

/** Returns the median duration of a limiter decision in Redis in each round, in ms. */
export async function measureRedisLatency(workspace: Workspace, effort: Effort): Promise<Measurement> {
  await using redis = await startRedisServer(workspace);
  const values: number[] = [];
  while (values.length < effort.rounds) {
    const { p50, p99, count, processor, bytes } = await decide(workspace, {
      url: redis.server.url,
      warmUp: effort.warmUp,
      seconds: effort.seconds,
    });
    logProgress(`${count} decisions in Redis, one after the other: p50 ${p50} ms, p99 ${p99} ms`);
    logProgress(
      `for 50 nodes, each: ${processor.toFixed(1)} µs of Redis, ${bytes.toFixed(0)} bytes of its append-only file`,
    );
    values.push(p50);
  }
  return { values };
}

async function decide(workspace: Workspace, decisions: Decisions): Promise<Durations & RedisEffort> {
  const command = [...BUN, DECISIONS_PROGRAM, JSON.stringify(decisions)];
  const printed = await workspace.run(command, 2 * (decisions.warmUp + decisions.seconds), workspace.cores.server);
  return PrintedDecisions.parse(JSON.parse(printed));
}
