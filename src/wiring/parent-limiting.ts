import { existsSync } from "node:fs";
import { SocketLimiter } from "../adapters/socket/limiter.ts";
import { countingFirstIn, KnownCounts, SharedCounts } from "../adapters/socket/shared-counts.ts";
import type { Clock } from "../domain/time.ts";
import { countsFileOf } from "./limiter-socket.ts";
import type { Limiting } from "./limiting.ts";
import type { Log } from "./log.ts";
import type { Runtime } from "./runtime.ts";
import { sharedLimiting } from "./shared-limiting.ts";

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
