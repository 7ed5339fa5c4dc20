import { readFileSync } from "node:fs";
import type { Measurement } from "./benchmarks.ts";
import { firstPageText } from "./catalogue.ts";
import type { Effort } from "./effort.ts";
import { load } from "./load.ts";
import { logProgress } from "./progress.ts";
import { list, mixture } from "./requests.ts";
import { startService, startWithKeys } from "./servers.ts";
import { MANY_KEYS, USUAL } from "./stage.ts";
import { prepare } from "./subject.ts";
import type { Workspace } from "./workspace.ts";

const SIZE = 1_000_000;

/** Returns the resident memory, in MB, of a new service with a million pets at the end of a mixed load. */
export async function measureMemory(workspace: Workspace, { memoryLoad }: Effort): Promise<Measurement> {
  logProgress(`memory under ${memoryLoad} s of load`);
  await using service = await startService(workspace, SIZE);
  const mixed = await prepare(workspace, service, {
    requests: mixture(SIZE),
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
