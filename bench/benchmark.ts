import type { Effort } from "./effort.ts";
import type { SubjectId } from "./subjects.ts";
import type { Tool } from "./tools.ts";
import type { Workspace } from "./workspace.ts";

/** The target of a benchmark. */
export type Target = { atLeast: number } | { below: number };

type Named = { name: string; title: string };

/**
 * The responses per second of one subject, divided by those of another in the same round; or their processor time per response. The report also lists the
 * subjects `beside` them. Without a target, or on a machine with fewer than `cores`, the ratio is measured, but not judged.
 */
export type Ratio = Named & {
  over: SubjectId;
  under: SubjectId;
  beside?: SubjectId[];
  target?: Target;
  cores?: number;
  figure?: "processor";
};

/** Something with a unit, measured once or in several rounds. MB are 10^6 bytes. */
export type Quantity = Named & {
  target: Target;
  unit: "ms" | "MB" | "";
  tools: Tool[];
  measure(workspace: Workspace, effort: Effort): Promise<Measurement>;
};

/** The value of each round, and that of a bare `Bun.serve`: a machine on which that misses the target too cannot judge the service. */
export type Measurement = { values: number[]; bare?: number[] };

export type Benchmark = Ratio | Quantity;
