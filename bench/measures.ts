/** A bar that a measure has to reach, or stay under. */
export type Bar = { atLeast: number } | { below: number };

/** What was measured of the service, with its bar; one without is there to compare with. */
export type Measure = { name: string; value: number; unit: Unit; bar?: Bar };

/** A ratio has no unit. MB are 10^6 bytes. */
export type Unit = "" | "ms" | "MB" | "/s";

export function isMet({ value, bar }: Measure & { bar: Bar }): boolean {
  return "atLeast" in bar ? value >= bar.atLeast : value < bar.below;
}

export function hasBar(measure: Measure): measure is Measure & { bar: Bar } {
  return measure.bar !== undefined;
}

export function quantity(value: number, unit: Unit): string {
  if (unit === "") return value.toFixed(2);
  const digits = unit === "ms" && value < 100 ? 1 : 0;
  const number = value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return unit === "/s" ? number : `${number} ${unit}`;
}

export function barText(bar: Bar, unit: Unit): string {
  const plain = (limit: number) => `${limit}${unit === "" ? "" : ` ${unit}`}`;
  return "atLeast" in bar ? `at least ${plain(bar.atLeast)}` : `under ${plain(bar.below)}`;
}
