/** A piece of a word: text, or the name of a variable. */
export type Part = string | { variable: string };
/** A word of a command, without its quotes. */
export type Word = Part[];

const PIECE = /(?<space>(?:\s|\\\n)+)|'(?<single>[^']*)'|"(?<double>(?:\\[\s\S]|[^"\\])*)"|(?<bare>[^\s'"\\]+)/gy;
const EXPANDED = /\\(?<escaped>["\\$`])|\$(?<variable>\w+)|[^\\$]+|[\s\S]/g;

/** The words of a simple command; undefined if it contains more than words, quotes and variables. */
export function wordsIn(command: string): Word[] | undefined {
  const words: Word[] = [];
  let isWithin = false;
  let end = 0;
  for (const { 0: piece, groups: { space, single, double, bare } = {}, index } of command.matchAll(PIECE)) {
    end = index + piece.length;
    if (space === undefined && !isWithin) words.push([]);
    isWithin = space === undefined;
    if (isWithin) words.at(-1)?.push(...(single === undefined ? expanded(double ?? bare ?? "") : [single]));
  }
  return end === command.length ? words.map(joined) : undefined;
}

function expanded(text: string): Part[] {
  return [...text.matchAll(EXPANDED)].map(({ 0: piece, groups: { escaped, variable } = {} }) =>
    variable === undefined ? (escaped ?? piece) : { variable },
  );
}

/** The same word, with neighbouring texts as one. */
function joined(word: Word): Word {
  const parts: Word = [];
  for (const part of word) {
    const last = parts.at(-1);
    if (typeof part === "string" && typeof last === "string") parts[parts.length - 1] = last + part;
    else parts.push(part);
  }
  return parts;
}

/** The text of a word without variables; undefined if it has some. */
export function textOf(word: Word): string | undefined {
  const [text = "", ...others] = word;
  return typeof text === "string" && others.length === 0 ? text : undefined;
}

/** How wide the first line of a command may be. */
const COLUMNS = 76;

/** A command of curl with each header and the body on a line of its own. */
export function brokenIntoLines(command: string): string {
  const words = command.replaceAll(/\s*\\\n\s*/g, " ").match(/(?:[^\s'"]|'[^']*'|"(?:\\[\s\S]|[^"\\])*")+/g) ?? [];
  const lines = [""];
  for (const word of words) {
    const line = lines.at(-1) ?? "";
    const isLong = lines.length === 1 && line.length + word.length > COLUMNS && /^"?http/.test(word);
    if (["-H", "-d", "|"].includes(word) || isLong) lines.push(`  ${word}`);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join(" \\\n");
}
