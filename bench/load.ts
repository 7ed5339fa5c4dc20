import { fileURLToPath } from "node:url";
import { z } from "zod";
import { type Use, watchCores } from "./cores.ts";
import type { Subject } from "./subject.ts";
import { pathOf } from "./tools.ts";
import type { Workplace } from "./workplace.ts";

/** The result of one run: responses per second, and the load of each core. */
export type Run = Use & { perSecond: number };

const SCRIPT = fileURLToPath(new URL("requests.lua", import.meta.url));

/** What requests.lua prints at the end, in its last line. */
const Summary = z.object({
  requests: z.number().positive(),
  microseconds: z.number().positive(),
  /** Answers with a status of 400 or more. */
  refused: z.number(),
  /** Connections that failed, and requests without an answer. */
  broken: z.number(),
});

/** Puts a subject under wrk's load for some seconds. @throws when not every request succeeds */
export async function load(
  workplace: Workplace,
  { url, headers, file, connections }: Subject,
  seconds: number,
): Promise<Run> {
  const sent = Object.entries(headers).flatMap(([header, value]) => ["-H", `${header}: ${value}`]);
  const wrk = [pathOf("wrk"), "-t1", `-c${connections}`, `-d${seconds}s`, "-s", SCRIPT, ...sent, url, "--", file];
  const useSoFar = watchCores(workplace.cores);
  const printed = await workplace.load(wrk, seconds);
  const use = useSoFar();
  const { requests, microseconds, refused, broken } = Summary.parse(
    JSON.parse(printed.trimEnd().split("\n").at(-1) ?? ""),
  );
  if (refused > 0 || broken > 0) {
    throw new Error(`${refused} requests were refused and ${broken} failed, beside ${requests} answers`);
  }
  return { perSecond: (requests / microseconds) * 1e6, ...use };
}
