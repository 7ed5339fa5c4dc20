export type Tone = "good" | "warn" | "bad" | "quiet";

/** A state in one word. The colour adds nothing that the word does not say. */
export function Badge({ tone, children }: { tone: Tone; children: string }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}
