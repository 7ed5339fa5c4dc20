import { z } from "zod";
import type { Latency } from "../../../domain/usage/overview.ts";

const milliseconds = z.number().min(0).nullable();

export const latency = z.strictObject({ p50: milliseconds, p95: milliseconds, p99: milliseconds }).meta({
  description: "Percentiles of the response time in ms; null without requests.",
});

/** For the document. */
export const exampleLatency = { p50: 0.12, p95: 0.31, p99: 1.4 };

export function latencyJson({ p50, p95, p99 }: Latency): z.infer<typeof latency> {
  const rounded = (milliseconds: number | undefined) =>
    milliseconds === undefined ? null : Number(milliseconds.toPrecision(3));
  return { p50: rounded(p50), p95: rounded(p95), p99: rounded(p99) };
}
