/** How long something that happens by itself may take, and how often is looked, in ms. */
const PATIENCE = 5_000;
const INTERVAL = 20;

/** Resolves once `holds` does: for what another process does by itself, without telling. @throws after 5 s */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`this does not hold after ${PATIENCE} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, INTERVAL));
  }
}
