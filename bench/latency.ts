import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Latencies, Schedule } from "./constant-rate.ts";
import type { Effort } from "./effort.ts";
import { CONNECTIONS } from "./load.ts";
import type { Measure } from "./measures.ts";
import { LIST } from "./requests.ts";
import { BUN } from "./servers.ts";
import type { Subject } from "./subject.ts";
import type { Workplace } from "./workplace.ts";

const PROGRAM = fileURLToPath(new URL("constant-rate.ts", import.meta.url));

const Printed: z.ZodType<Latencies> = z.object({
  achieved: z.number(),
  p50: z.number(),
  p99: z.number(),
  p999: z.number(),
  max: z.number(),
  away: z.number(),
});

/** How long the list takes when it is asked for `rate` times a second. */
export async function measureLatency(
  workplace: Workplace,
  list: Subject,
  rate: number,
  { warmUp, constantRate }: Effort,
): Promise<Measure[]> {
  const { achieved, p50, p99, p999, max, away } = await latenciesAt(workplace, list, {
    rate: Math.round(rate),
    warmUp,
    seconds: constantRate,
  });
  return [
    { name: "p99 of the list at half its peak rate", value: p99, unit: "ms", bar: { below: 5 } },
    { name: "its median", value: p50, unit: "ms" },
    { name: "its p99.9", value: p999, unit: "ms" },
    { name: "its slowest answer", value: max, unit: "ms" },
    { name: "requests a second asked for", value: rate, unit: "/s" },
    { name: "requests a second answered", value: achieved, unit: "/s" },
    { name: "p99 of what the load generator itself may have added", value: away, unit: "ms" },
  ];
}

async function latenciesAt(
  workplace: Workplace,
  { server, headers }: Subject,
  pace: Pick<Schedule, "rate" | "warmUp" | "seconds">,
): Promise<Latencies> {
  const port = Number(new URL(server.url).port);
  const schedule: Schedule = { ...pace, port, path: LIST, headers, connections: CONNECTIONS };
  const command = [...BUN, PROGRAM, JSON.stringify(schedule)];
  return Printed.parse(JSON.parse(await workplace.load(command, pace.warmUp + pace.seconds)));
}
