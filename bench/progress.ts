/** Says on standard error what is being done: standard output is for the figures. */
export function tell(progress: string): void {
  const seconds = Math.round(performance.now() / 1000);
  console.error(`${String(seconds).padStart(4)} s  ${progress}`);
}
