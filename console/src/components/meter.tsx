type MeterProps = { label: string; value: number; max: number; tone: "accent" | "load" };

/** A share of a total as a bar. With the tone "load" it is amber from 80 % on, and red when full. */
export function Meter({ label, value, max, tone }: MeterProps) {
  const share = max === 0 ? 0 : Math.min(1, value / max);
  const level = tone === "accent" || share < 0.8 ? "normal" : share < 1 ? "high" : "full";
  return (
    // biome-ignore lint/a11y/useSemanticElements: <meter> cannot be styled the same way in every browser
    <div
      class={`meter ${level}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={value}
    >
      <div style={{ width: `${share * 100}%` }} />
    </div>
  );
}
