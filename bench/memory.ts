import { readFileSync } from "node:fs";
import { firstPageText } from "./catalogue.ts";
import type { Effort } from "./effort.ts";
import { load } from "./load.ts";
import { tell } from "./progress.ts";
import { mixture } from "./requests.ts";
import { startService } from "./servers.ts";
import { prepare } from "./subject.ts";
import type { Workplace } from "./workplace.ts";

const SIZE = 1_000_000;

/** The resident memory, in MB, of a fresh service on a million pets, right at the end of a mixed load. */
export async function measureMemory(workplace: Workplace, { memoryLoad }: Effort): Promise<number[]> {
  tell(`memory under ${memoryLoad} s of load`);
  await using service = await startService(workplace, SIZE);
  const mixed = await prepare(workplace, service, {
    requests: mixture(SIZE),
    answer: firstPageText(),
  });
  await load(workplace, mixed, memoryLoad);
  return [residentMemory(service.pid)];
}

/** In MB: 10^6 bytes. */
function residentMemory(pid: number): number {
  const kibibytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return (Number(kibibytes) * 1024) / 1e6;
}
