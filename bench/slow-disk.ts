import { writeFileSync } from "node:fs";
import type { Measurement } from "./benchmark.ts";
import { firstPageText } from "./catalogue.ts";
import type { Effort } from "./effort.ts";
import { logProgress } from "./figures.ts";
import { load } from "./load.ts";
import { measureAt } from "./quantities.ts";
import { created, creation, LIST, list } from "./requests.ts";
import { startService } from "./servers.ts";
import { prepare } from "./subject.ts";
import { pathOf } from "./tools.ts";
import type { Workspace } from "./workspace.ts";

/** What a sync takes, in ms: as on an ordinary volume of a cloud. */
const SYNC = 8;
const SIZE = 100_000;
/** Reads a second, so few that they do not wait for each other. */
const RATE = 500;
/** How long the compiler may take, in seconds. */
const COMPILATION = 60;

/** Makes each sync of a file take longer. */
const SHIM = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
#define SLOW(call) int call(int file) { \\
  usleep(${SYNC * 1000}); \\
  return ((int (*)(int)) dlsym(RTLD_NEXT, #call))(file); \\
}
SLOW(fsync)
SLOW(fdatasync)
`;

/** Starts the service on a disk that is slow. */
async function startSlowService(workspace: Workspace) {
  const [source, shim] = [workspace.path("slow.c"), workspace.path("slow.so")];
  writeFileSync(source, SHIM);
  await workspace.load([pathOf("cc"), "-shared", "-fPIC", "-o", shim, source, "-ldl"], COMPILATION);
  return startService(workspace, SIZE, { LD_PRELOAD: shim });
}

/** Returns how many times as many creations as one client has, who waits for a sync for each, 64 have. */
export async function measureSlowCreations(workspace: Workspace, effort: Effort): Promise<Measurement> {
  await using service = await startSlowService(workspace);
  const subjectOf = (connections: number) =>
    prepare(workspace, service, { requests: [creation], answer: created, connections });
  const [lone, many] = [await subjectOf(1), await subjectOf(64)];
  await load(workspace, many, effort.warmUp);
  const values: number[] = [];
  while (values.length < effort.rounds) {
    const alone = (await load(workspace, lone, effort.seconds)).perSecond;
    const together = (await load(workspace, many, effort.seconds)).perSecond;
    logProgress(`creations per second: ${Math.round(alone)} of one client, ${Math.round(together)} of 64`);
    values.push(together / alone);
  }
  return { values };
}

/** Returns so many times as long as without writers a read takes beside them: its median or its p99. */
export async function measureSlowDisk(
  workspace: Workspace,
  effort: Effort,
  { writers, figure }: { writers: number; figure: "p50" | "p99" },
): Promise<Measurement> {
  await using service = await startSlowService(workspace);
  const { headers } = await prepare(workspace, service, { requests: [list], answer: firstPageText() });
  const read = async () => {
    const schedule = { path: LIST, headers, connections: 4, rate: RATE, port: service.port };
    const latencies = await measureAt(workspace, { ...schedule, warmUp: effort.warmUp, seconds: effort.seconds });
    return latencies[figure];
  };
  const values: number[] = [];
  while (values.length < effort.rounds) {
    const alone = await read();
    let isOver = false;
    let written = 0;
    const write = async () => {
      while (!isOver) {
        const body = JSON.stringify({ name: "Rex", categoryId: 1 });
        const response = await fetch(`${service.url}/v1/pets`, {
          method: "POST",
          headers: { ...headers, "Content-Type": "application/json" },
          body,
        });
        if (response.status !== 201) throw new Error(`a creation has status ${response.status}`);
        written += 1;
      }
    };
    const writing = Promise.all(Array.from({ length: writers }, write));
    const beside = await Promise.race([read(), writing.then(() => Number.NaN)]);
    isOver = true;
    await writing;
    logProgress(`${figure} of a read: ${alone} ms alone, ${beside} ms beside ${writers} writers and ${written} writes`);
    values.push(beside / alone);
  }
  return { values };
}
