export type Tone = "good" | "warn" | "bad" | "quiet";

/** A state in a word. The colour only repeats what the word says. */
export function Badge({ tone, children }: { tone: Tone; children: string }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}
