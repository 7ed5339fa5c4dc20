/** Prints progress to standard error: standard output is for the figures. */
export function logProgress(progress: string): void {
  const seconds = Math.round(performance.now() / 1000);
  console.error(`${String(seconds).padStart(4)} s  ${progress}`);
}
