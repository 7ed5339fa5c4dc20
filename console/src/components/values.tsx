import { formatDateTime, formatRelative, formatUtc } from "../format.ts";

export type Tone = "good" | "warn" | "bad" | "quiet";

/** A state in one word. The colour adds nothing that the word does not say. */
export function Badge({ tone, children }: { tone: Tone; children: string }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

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

/** A time in the time zone of the browser, which it names, or relative to now. The tooltip gives it in UTC. */
export function Timestamp({ at, format = "absolute" }: { at: string | null; format?: "absolute" | "relative" }) {
  if (at === null) return <span class="faint">never</span>;
  const time = new Date(at);
  const isRelative = format === "relative";
  return (
    <time dateTime={at} title={isRelative ? `${formatDateTime(time)}\n${formatUtc(time)}` : formatUtc(time)}>
      {isRelative ? formatRelative(time, Date.now()) : formatDateTime(time)}
    </time>
  );
}
