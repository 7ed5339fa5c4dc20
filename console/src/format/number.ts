const integer = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** `1,234,567` */
export const formatCount = (count: number): string => integer.format(count);

/** `1.2M`; in full below 10,000. */
export const formatCompact = (count: number): string =>
  Math.abs(count) < 10_000 ? integer.format(count) : compact.format(count);

/** `405.5 kB`, `1.2 GB` */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const unit = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)));
  return `${Number((bytes / 1000 ** unit).toFixed(1)).toLocaleString("en")} ${units[unit]}`;
}

/** A number per second, to about three significant digits. */
export function formatRate(perSecond: number): string {
  const decimals = perSecond >= 100 ? 0 : perSecond >= 10 ? 1 : 2;
  return formatCompact(Number(perSecond.toFixed(decimals)));
}

/** Two significant digits, in seconds from one second on; a dash for null. */
export function formatMilliseconds(milliseconds: number | null): string {
  if (milliseconds === null) return "–";
  if (milliseconds >= 995) return `${(milliseconds / 1000).toFixed(2)} s`;
  if (milliseconds < 0.01) return "< 0.01 ms";
  return `${milliseconds < 1 ? Number(milliseconds.toFixed(2)) : Number(milliseconds.toPrecision(2))} ms`;
}

/** A share in percent. It is rounded to neither 0 % nor 100 %; a dash when `total` is 0. */
export function formatPercent(part: number, total: number): string {
  if (total === 0) return "–";
  const percent = (100 * part) / total;
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  if (percent > 99.9 && percent < 100) return "> 99.9 %";
  return `${percent === 0 || percent === 100 ? percent : percent.toFixed(1)} %`;
}

/** `1 key`, `2 keys` */
export const pluralize = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;
