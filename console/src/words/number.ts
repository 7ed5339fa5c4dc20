const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export const inFull = (count: number): string => whole.format(count);
export const inShort = (count: number): string =>
  Math.abs(count) < 10_000 ? whole.format(count) : short.format(count);

/** A rate, with as many places as say something. */
export function rate(perSecond: number): string {
  const places = perSecond >= 100 ? 0 : perSecond >= 10 ? 1 : 2;
  return inShort(Number(perSecond.toFixed(places)));
}

/** Milliseconds, with as many places as say something. */
export function milliseconds(length: number | null): string {
  if (length === null) return "–";
  if (length >= 995) return `${(length / 1000).toFixed(2)} s`;
  if (length < 0.01) return "< 0.01 ms";
  return `${length < 1 ? Number(length.toFixed(2)) : Number(length.toPrecision(2))} ms`;
}

/** A part of a whole in percent. What is not quite nothing or not quite everything is never called so. */
export function share(part: number, of: number): string {
  if (of === 0) return "–";
  const percent = (100 * part) / of;
  if (percent > 0 && percent < 0.1) return "< 0.1 %";
  if (percent > 99.9 && percent < 100) return "> 99.9 %";
  return `${percent === 0 || percent === 100 ? percent : percent.toFixed(1)} %`;
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${inFull(count)} ${count === 1 ? one : many}`;
