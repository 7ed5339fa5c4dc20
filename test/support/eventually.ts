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
