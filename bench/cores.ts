import { readFileSync } from "node:fs";
import { Missing } from "./requirements.ts";

/** The numbers of the two cores: one for whatever answers, one for whatever asks. */
export type Cores = { server: number; load: number };

/** The first two cores that this process may use. @throws Missing when there is only one */
export function findCores(): Cores {
  const status = readFileSync("/proc/self/status", "utf8");
  const ranges = /^Cpus_allowed_list:\s*(.+)$/m.exec(status)?.[1] ?? "";
  const [server, load] = ranges.split(",").flatMap(numbersIn);
  if (server === undefined || load === undefined) {
    throw new Missing("The benchmark needs two cores: one for the service, one for the load.");
  }
  return { server, load };
}

/** The first numbers of a range such as "0-3", or the one number of "4". Two are enough. */
function numbersIn(range: string): number[] {
  const [first = 0, last = first] = range.split("-").map(Number);
  return last > first ? [first, first + 1] : [first];
}

/** How much a core has worked so far, in clock ticks: everything but idling and waiting for disks. */
export function ticksOf(core: number): { busy: number; all: number } {
  const line = new RegExp(`^cpu${core} (.+)$`, "m").exec(readFileSync("/proc/stat", "utf8"))?.[1] ?? "";
  const [user = 0, nice = 0, system = 0, idle = 0, disk = 0, hardware = 0, software = 0, stolen = 0] = line
    .split(" ")
    .map(Number);
  const busy = user + nice + system + hardware + software + stolen;
  return { busy, all: busy + idle + disk };
}
