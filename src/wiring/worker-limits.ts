import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { MemoryLimiter } from "../adapters/memory/limiter.ts";
import { LimiterServer, SocketLimiter } from "../adapters/socket/limiter.ts";
import {
  countingFirstIn,
  KnownCounts,
  SHARED_BYTES,
  SharedCounts,
  SharingLimiter,
} from "../adapters/socket/shared-counts.ts";
import { StartupError } from "../domain/errors.ts";
import type { Clock } from "../domain/time.ts";
import { type Limiting, sharedLimiting } from "./limiting.ts";
import type { Log, Runtime } from "./log.ts";

/**
 * Returns a path for the socket where workers count limits, in a new directory that only this user can enter.
 * @throws StartupError
 */
export async function newLimiterSocket(): Promise<string> {
  return join(await mkdtemp(join(tmpdir(), "petstore-")).catch(cannotHaveSocket), "limits");
}

/** @throws StartupError which names the setting */
export function cannotHaveSocket({ message }: Error): never {
  throw new StartupError(
    `The workers cannot have a socket in ${tmpdir()}. Set TMPDIR to a directory that is writable and whose path is short. Reason: ${message}`,
  );
}

/** The path of the file beside a socket whose memory workers share. */
export function countsFileOf(path: string): string {
  return `${path}.counts`;
}

/** Removes the socket with its directory: the parent does when it stops, and its workers do when it was killed. */
export function removeLimiterSocket(path: string): Promise<void> {
  return rm(dirname(path), { recursive: true, force: true });
}

/** How long the parent process may be silent while requests wait, in ms. */
const PATIENCE = 1_000;

/** The socket of the parent process, and what maps the file beside it. */
type ParentLimits = { path: string } & Partial<Pick<Runtime, "mapFile">>;

/**
 * Counts limits for all workers together: in memory that they share, if there is any, and in the parent process, which is
 * asked for what changes more than counts. This process counts alone while the parent does not answer.
 */
export function openParentLimiting({ path, mapFile }: ParentLimits, nodes: number, clock: Clock, log: Log): Limiting {
  const file = countsFileOf(path);
  const counts = mapFile && existsSync(file) ? new KnownCounts(clock, new SharedCounts(mapFile(file))) : undefined;
  const parent = new SocketLimiter(path, counts);
  const { limiting } = sharedLimiting({
    name: "The parent process",
    refusalOf: counts && ((subject) => counts.refusalOf(subject)),
    isReply: () => false,
    patience: PATIENCE,
    ...{ observed: parent, shared: parent, nodes, clock, log },
  });
  return {
    ...limiting,
    limiter: counts === undefined ? limiting.limiter : countingFirstIn(counts, limiting.limiter),
    close: () => {
      limiting.close();
      parent.close();
    },
  };
}

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
