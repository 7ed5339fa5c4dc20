import { fileURLToPath } from "node:url";
import { z } from "zod";
import { type Cores, ticksOf } from "./cores.ts";
import type { Subject } from "./subject.ts";
import type { Workplace } from "./workplace.ts";

/** What one run gave: things done a second, and how much of each core that took (0 to 1). */
export type Run = { perSecond: number; serverCore: number; loadCore: number };

export const CONNECTIONS = 64;
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
  { name, server, headers, requests }: Subject,
  seconds: number,
  connections = CONNECTIONS,
): Promise<Run> {
  const { cores, tools } = workplace;
  const sent = Object.entries(headers).flatMap(([header, value]) => ["-H", `${header}: ${value}`]);
  const wrk = [tools.wrk, "-t1", `-c${connections}`, `-d${seconds}s`, "-s", SCRIPT, ...sent, server.url];
  const { printed, ...use } = await watchCores(cores, () => workplace.load([...wrk, "--", requests], seconds));
  const summary = Summary.parse(JSON.parse(printed.trimEnd().split("\n").at(-1) ?? ""));
  if (summary.refused > 0 || summary.broken > 0) {
    throw new Error(
      `${name}: of ${summary.requests} requests ${summary.refused} were refused, ${summary.broken} failed.`,
    );
  }
  return { perSecond: (summary.requests / summary.microseconds) * 1e6, ...use };
}

/** How busy both cores are (0 to 1) until `work` is done. */
export async function watchCores(cores: Cores, work: () => Promise<string>) {
  const before = { server: ticksOf(cores.server), load: ticksOf(cores.load) };
  const printed = await work();
  const share = (core: "server" | "load") => {
    const now = ticksOf(cores[core]);
    return (now.busy - before[core].busy) / (now.all - before[core].all);
  };
  return { printed, serverCore: share("server"), loadCore: share("load") };
}
