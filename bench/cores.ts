import { readFileSync } from "node:fs";

/**
 * The numbers of the cores: one for whatever answers, one for whatever asks, one for a second node, and those for
 * PostgreSQL and Redis. On machines with few of them some share one.
 */
export type Cores = { server: number; load: number; secondNode: number; engines: number[]; count: number };

/** A second node is measured fairly on as many cores: two for the nodes, one for the load, three for PostgreSQL and Redis. */
export const CORES_FOR_TWO_NODES = 6;

/** The cores that this process may use, shared out. @throws when there is only one */
export function findCores(): Cores {
  const status = readFileSync("/proc/self/status", "utf8");
  const ranges = /^Cpus_allowed_list:\s*(.+)$/m.exec(status)?.[1] ?? "";
  const all = ranges.split(",").flatMap(coresOf);
  const [server, load, ...others] = all;
  if (server === undefined || load === undefined) throw new Error("Two cores are needed: one to answer, one to ask.");
  const own = all.length < CORES_FOR_TWO_NODES ? undefined : others.shift();
  return { server, load, secondNode: own ?? server, engines: others.length > 0 ? others : [load], count: all.length };
}

/** The numbers in a range such as "0-3", or the one number of "4". */
function coresOf(range: string): number[] {
  const [first = 0, last = first] = range.split("-").map(Number);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** How much of each core was in use (0 to 1). */
export type Use = { serverCore: number; loadCore: number };

/** Starts to observe both cores; the result returns how busy they have been since. */
export function watchCores({ server, load }: Pick<Cores, "server" | "load">): () => Use {
  const before = { server: ticksOf(server), load: ticksOf(load) };
  const since = (now: Ticks, then: Ticks) => (now.busy - then.busy) / (now.all - then.all);
  return () => ({
    serverCore: since(ticksOf(server), before.server),
    loadCore: since(ticksOf(load), before.load),
  });
}

/** Clock ticks of a core so far; `busy` are all but those spent idle or waiting for disks. */
type Ticks = { busy: number; all: number };

function ticksOf(core: number): Ticks {
  const line = new RegExp(`^cpu${core} (.+)$`, "m").exec(readFileSync("/proc/stat", "utf8"))?.[1] ?? "";
  const [user = 0, nice = 0, system = 0, idle = 0, disk = 0, hardware = 0, software = 0, stolen = 0] = line
    .split(" ")
    .map(Number);
  const busy = user + nice + system + hardware + software + stolen;
  return { busy, all: busy + idle + disk };
}
