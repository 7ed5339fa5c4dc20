import { openSync, readFileSync, writeSync } from "node:fs";

/**
 * The numbers of the cores: one for the server, one for the load, one for a second node, and those for PostgreSQL and
 * Redis. On machines with few cores some share one.
 */
export type Cores = { server: number; load: number; secondNode: number; engines: number[]; count: number };

/** The cores for a fair measurement of two nodes: two for them, one for the load, three for PostgreSQL and Redis. */
export const CORES_FOR_TWO_NODES = 6;

/** Assigns the cores that this process may use. @throws when there is only one */
export function findCores(): Cores {
  const status = readFileSync("/proc/self/status", "utf8");
  const ranges = /^Cpus_allowed_list:\s*(.+)$/m.exec(status)?.[1] ?? "";
  const all = ranges.split(",").flatMap(coresOf);
  const [server, load, ...others] = all;
  if (server === undefined || load === undefined)
    throw new Error("The benchmark needs two cores: one for the server, one for the load.");
  const own = all.length < CORES_FOR_TWO_NODES ? undefined : others.shift();
  return { server, load, secondNode: own ?? server, engines: others.length > 0 ? others : [load], count: all.length };
}

/** The numbers in a range such as "0-3", or the one number of "4". */
function coresOf(range: string): number[] {
  const [first = 0, last = first] = range.split("-").map(Number);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** Where Linux takes the longest time that idle cores may take to wake up, in µs as 32 bits; it applies until the file is closed. */
export const WAKE_UP_TIME = "/dev/cpu_dma_latency";

/**
 * Keeps idle cores from sleeping until this process ends. Otherwise each response has to wake the load's core whenever that waits for
 * it, and the sender pays for that: most where the server is slower than the load. Returns whether the system permits it.
 */
export function keepCoresAwake(): boolean {
  try {
    writeSync(openSync(WAKE_UP_TIME, "r+"), Buffer.alloc(4));
    return true;
  } catch {
    return false;
  }
}

/** The load of each core (0 to 1). */
export type Use = { serverCore: number; loadCore: number };

/** Starts to observe both cores. The returned function returns their load since then. */
export function watchCores({ server, load }: Pick<Cores, "server" | "load">): () => Use {
  const before = { server: ticksOf(server), load: ticksOf(load) };
  const since = (now: Ticks, then: Ticks) => (now.busy - then.busy) / (now.all - then.all);
  return () => ({
    serverCore: since(ticksOf(server), before.server),
    loadCore: since(ticksOf(load), before.load),
  });
}

/** The clock ticks of a core so far. `busy` excludes idle ticks and those waiting for disks. */
type Ticks = { busy: number; all: number };

function ticksOf(core: number): Ticks {
  const line = new RegExp(`^cpu${core} (.+)$`, "m").exec(readFileSync("/proc/stat", "utf8"))?.[1] ?? "";
  const [user = 0, nice = 0, system = 0, idle = 0, disk = 0, hardware = 0, software = 0, stolen = 0] = line
    .split(" ")
    .map(Number);
  const busy = user + nice + system + hardware + software + stolen;
  return { busy, all: busy + idle + disk };
}

/**
 * Returns the processor time of a process and its children so far, in µs: the 14th and 15th field of proc(5) are hundredths of a second.
 * It is that of both its user and the system.
 */
export function processorTimeOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  const own = (Number(fields[11]) + Number(fields[12])) * 10_000;
  return children.reduce((sum, child) => sum + processorTimeOf(child), own);
}
