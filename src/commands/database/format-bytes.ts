/** A size in megabytes. */
export function formatBytes(bytes: number): string {
  return `${(bytes / 1_000_000).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
}
