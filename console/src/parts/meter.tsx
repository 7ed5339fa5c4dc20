type MeterProps = { label: string; value: number; of: number; tone: "accent" | "load" };

/** A part of a whole as a bar. One of load is amber from 80 % on and red when it is full. */
export function Meter({ label, value, of, tone }: MeterProps) {
  const part = of === 0 ? 0 : Math.min(1, value / of);
  const level = tone === "accent" || part < 0.8 ? "calm" : part < 1 ? "high" : "full";
  return (
    // biome-ignore lint/a11y/useSemanticElements: <meter> cannot be styled alike everywhere
    <div
      class={`meter ${level}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={of}
      aria-valuenow={value}
    >
      <div style={{ width: `${part * 100}%` }} />
    </div>
  );
}
