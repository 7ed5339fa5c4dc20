import { SocketLimiter } from "../adapters/socket/limiter.ts";
import type { Clock } from "../domain/clock.ts";
import type { Limiting } from "./limiting.ts";
import type { Log } from "./log.ts";
import { sharedLimiting } from "./shared-limiting.ts";

/** How long the parent process may be silent while requests wait, in ms. */
const PATIENCE = 1_000;

/** Counts limits in the parent process for all workers, and in this process while the parent does not answer. */
export function openParentLimiting(path: string, nodes: number, clock: Clock, log: Log): Limiting {
  const limiter = new SocketLimiter(path);
  const { limiting } = sharedLimiting({
    name: "The parent process",
    isReply: () => false,
    patience: PATIENCE,
    ...{ observed: limiter, shared: limiter, nodes, clock, log },
  });
  return {
    ...limiting,
    close: () => {
      limiting.close();
      limiter.close();
    },
  };
}
