/** The time-out and the polling interval, in ms. */
const PATIENCE = 10_000;
const INTERVAL = 20;

/** Resolves when `holds` returns true: for changes that another process makes by itself. @throws after `patience` ms */
export async function eventually(holds: () => boolean | Promise<boolean>, patience = PATIENCE): Promise<void> {
  const deadline = performance.now() + patience;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`this does not hold after ${patience} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, INTERVAL));
  }
}
