/** How often it checks whether the launcher still runs, in ms. */
const INTERVAL = 1_000;

/**
 * Ends this process as SIGTERM does when the launcher that waits for it is gone: one that was killed passes no signal on.
 * bin/petstore.js names itself in a variable, which the processes that this one starts do not get.
 */
export function endWithLauncher(): void {
  const launcher = process.env.PETSTORE_LAUNCHER;
  if (launcher === undefined) return;
  delete process.env.PETSTORE_LAUNCHER;
  const check = setInterval(() => {
    if (String(process.ppid) === launcher) return;
    clearInterval(check);
    process.kill(process.pid, "SIGTERM");
  }, INTERVAL);
  check.unref();
}
