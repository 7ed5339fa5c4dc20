/** A small fault: the text between two places of a file, and what replaces it. */
export type Mutant = {
  /** Its path below the project's directory. */
  file: string;
  start: number;
  end: number;
  replacement: string;
  /** The kind of fault, in a few words. */
  operator: string;
  /** The expression whose evaluation reaches the fault, in code. */
  reached?: { start: number; end: number };
};

/** The texts of files, by path. */
export type Sources = Map<string, string>;

/** The mutant on one line. `source`: the text of its file. */
export function nameOf({ file, start, end, replacement, operator }: Mutant, source: string): string {
  const short = (code: string) => {
    const line = code.replace(/\s+/g, " ").trim();
    return line.length > 70 ? `${line.slice(0, 45)} … ${line.slice(-20)}` : line;
  };
  const change = `${short(source.slice(start, end))} → ${short(replacement) || "(nothing)"}`;
  return `${file}:${lineOf(start, source)}: ${operator}: ${change}`;
}

/** The number of the line at this place of a text, from 1. */
export function lineOf(place: number, source: string): number {
  return source.slice(0, place).split("\n").length;
}

/** The text of the mutant's file with the fault. */
export function mutated({ start, end, replacement }: Mutant, source: string): string {
  return source.slice(0, start) + replacement + source.slice(end);
}
