import { fileURLToPath } from "node:url";
import { z } from "zod";
import { processorTimeOf, type Use, watchCores } from "./cores.ts";
import type { Subject } from "./subject.ts";
import { pathOf } from "./tools.ts";
import type { Workspace } from "./workspace.ts";

/** The result of one run: responses per second, the server's processor time per response in µs, and the load of each core. */
export type Run = Use & { perSecond: number; processor?: number };

const SCRIPT = fileURLToPath(new URL("requests.lua", import.meta.url));

/** After how many seconds a response counts as missing: on a busy machine a server may wait for the processor. */
const PATIENCE = 20;

/** The last line of the output of requests.lua. */
const Summary = z.object({
  requests: z.number().positive(),
  microseconds: z.number().positive(),
  /** Responses with a status of 400 or more. */
  refused: z.number(),
  /** Failed connections, and requests without a response. */
  broken: z.number(),
});

/** Puts a subject under load with wrk for some seconds. @throws when a request fails */
export async function load(
  workspace: Workspace,
  { url, pid, headers, file, keys, connections }: Subject,
  seconds: number,
): Promise<Run> {
  const sent = Object.entries(headers).flatMap(([header, value]) => ["-H", `${header}: ${value}`]);
  const wrk = [
    pathOf("wrk"),
    "-t1",
    `-c${connections}`,
    `-d${seconds}s`,
    `--timeout=${PATIENCE}s`,
    "-s",
    SCRIPT,
    ...sent,
    url,
    "--",
    file,
    ...keys,
  ];
  const useSoFar = watchCores(workspace.cores);
  const before = processorTimeOf(pid);
  const printed = await workspace.load(wrk, seconds);
  const use = useSoFar();
  const taken = processorTimeOf(pid) - before;
  const { requests, microseconds, refused, broken } = Summary.parse(
    JSON.parse(printed.trimEnd().split("\n").at(-1) ?? ""),
  );
  if (refused > 0 || broken > 0) {
    throw new Error(`${refused} requests were refused and ${broken} failed, of ${requests} responses`);
  }
  return { perSecond: (requests / microseconds) * 1e6, processor: taken / requests, ...use };
}
