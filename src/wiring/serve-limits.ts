import { rm, writeFile } from "node:fs/promises";
import type { MemoryLimiter } from "../adapters/memory/limiter.ts";
import { LimiterServer } from "../adapters/socket/limiter.ts";
import { SHARED_BYTES, SharedCounts, SharingLimiter } from "../adapters/socket/shared-counts.ts";
import type { Clock } from "../domain/time.ts";
import { cannotHaveSocket, countsFileOf, newLimiterSocket, removeLimiterSocket } from "./limiter-socket.ts";
import type { Limiting } from "./limiting.ts";
import type { Log } from "./log.ts";
import type { Runtime } from "./runtime.ts";

type Parts = { limiting: Limiting; mapFile: Runtime["mapFile"]; clock: Clock; log: Log };

/**
 * Counts limits for the workers, unless Redis does. Returns the limiting for this process, and the path of the socket where
 * workers ask. `stack` closes it. @throws StartupError when there can be no socket
 */
export async function serveLimits(
  { limiting, ...parts }: Parts,
  stack: AsyncDisposableStack,
): Promise<{ limiting: Limiting; limiterSocket: string | undefined }> {
  const { local } = limiting;
  if (local === undefined) return { limiting, limiterSocket: undefined };
  const path = await newLimiterSocket();
  stack.defer(() => removeLimiterSocket(path));
  const limiter = (await openSharing(local, countsFileOf(path), parts)) ?? local;
  stack.use(await LimiterServer.listen(limiter, path).catch(cannotHaveSocket));
  const shared: Limiting = {
    ...limiting,
    limiter,
    drain: () => limiter.drain(),
    requeue: (places) => limiter.requeue(places),
    sweep: () => limiter.sweep(),
    status: (key) => limiter.status(key),
  };
  return { limiting: shared, limiterSocket: path };
}

/** Returns undefined if memory cannot be shared: then workers ask for each request. */
async function openSharing(
  local: MemoryLimiter,
  file: string,
  { mapFile, clock, log }: Omit<Parts, "limiting">,
): Promise<SharingLimiter | undefined> {
  if (mapFile === undefined) return undefined;
  try {
    // Written in full: a process that used a page for which the disk has no space would end.
    await writeFile(file, new Uint8Array(SHARED_BYTES), { mode: 0o600 });
    return new SharingLimiter(clock, local, new SharedCounts(mapFile(file)));
  } catch (err) {
    await rm(file, { force: true });
    log.warn({ err }, "workers cannot share memory: they ask their parent for each request");
    return undefined;
  }
}
