/** Marks, embeddings, overrides and isolates of the bidirectional algorithm (UAX #9): they are invisible, and reorder text. */
const CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Shows bidirectional control characters by their code, such as `[U+202E]`: a name cannot disguise itself as another. */
export function showBidiControls(text: string): string {
  return text.replace(
    CONTROLS,
    (control) => `[U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`,
  );
}
