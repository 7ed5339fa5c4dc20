import { readFileSync } from "node:fs";
import { type Catalogue, pageText } from "./catalogue.ts";
import { load } from "./load.ts";
import type { Measure } from "./measures.ts";
import { mixedRequests } from "./requests.ts";
import { startService } from "./servers.ts";
import { prepareService } from "./subjects.ts";
import type { Workplace } from "./workplace.ts";

/** The memory of a fresh service on this catalogue, right at the end of some seconds of mixed load. */
export async function measureMemory(workplace: Workplace, catalogue: Catalogue, seconds: number): Promise<Measure[]> {
  const server = await startService(workplace, catalogue);
  const fresh = memoryOf(server.pid);
  const mixed = await prepareService(workplace, {
    name: "mixed load",
    server,
    catalogue,
    requests: mixedRequests(catalogue.size),
    expected: { status: 200, body: pageText(0) },
  });
  const { perSecond } = await load(workplace, mixed, seconds);
  const loaded = memoryOf(server.pid);
  await server.stop();
  const name = `resident memory after ${seconds} s of load, a million animals in the file`;
  return [
    { name, value: loaded.resident, unit: "MB", bar: { below: 150 } },
    { name: "the most it ever was", value: loaded.most, unit: "MB" },
    { name: "resident memory before the load", value: fresh.resident, unit: "MB" },
    { name: "requests a second of that load", value: perSecond, unit: "/s" },
  ];
}

/** Memory of a process in MB (10^6 bytes): what is resident now, and the most that ever was. */
function memoryOf(pid: number): { resident: number; most: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = (field: string) => {
    const kibibytes = new RegExp(`^${field}:\\s*(\\d+) kB$`, "m").exec(status)?.[1];
    return (Number(kibibytes) * 1024) / 1e6;
  };
  return { resident: megabytes("VmRSS"), most: megabytes("VmHWM") };
}
