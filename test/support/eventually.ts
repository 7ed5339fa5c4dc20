import { availableParallelism, loadavg } from "node:os";

/** The time-out and the polling interval, in ms. One for all: no wait takes as long, however busy the machine is. */
const PATIENCE = 60_000;
const INTERVAL = 20;

/** Resolves when `holds` returns true: for changes that another process makes by itself. @throws after a minute */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`this does not hold after ${PATIENCE} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, INTERVAL));
  }
}

/**
 * How long something may take, in ms, that takes so long at most on a machine that does nothing else: longer by the load of
 * the machine for each of its processors.
 */
export function besideLoad(ms: number): number {
  const [load = 0] = loadavg();
  return ms * (1 + load / availableParallelism());
}
