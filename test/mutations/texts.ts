/** The mutants of texts that programs or readers take values from: settings below deploy/, tables of documents. */
import type { Mutant } from "./mutant.ts";

/** A value in a line of settings: after `:`, `=` or a space. Quotes and units stay. */
const VALUE = /(?<=[:= "([,/@-])(\d+(?:\.\d+)?)(?=[a-zA-Z]{0,2}(?:[\s",:;)\]/}]|$))|\b(true|false|yes|no|on|off)\b/g;
const OPPOSITE = new Map([
  ["true", "false"],
  ["yes", "no"],
  ["on", "off"],
]);
/** A line that only people read, or that opens a block. */
const WITHOUT = /^\s*(#|\/\/|$|[[{}]|.*[:{]$|\{\{|(summary|description): )/;

/** The mutants of settings: a line removed, or another value. Comments have none. */
export function mutantsOfSettings(file: string, source: string): Mutant[] {
  return linesOf(source).flatMap(({ line, start }) => {
    if (WITHOUT.test(line)) return [];
    const removed = { file, start, end: start + line.length, replacement: "", operator: "removed line" };
    const code = line.replace(/\s#.*/, "");
    const values = [...code.matchAll(VALUE)].map(([value, , word], at, all) => {
      const from = start + (all[at]?.index ?? 0);
      const replacement = word === undefined ? otherNumber(value) : oppositeOf(word);
      return { file, start: from, end: from + value.length, replacement, operator: "other value" };
    });
    return [removed, ...values];
  });
}

/** The mutants of tables in Markdown: another number, and a word of code that stands elsewhere in the table. */
export function mutantsOfTables(file: string, source: string): Mutant[] {
  let words: string[] = [];
  return linesOf(source).flatMap(({ line, start }, at, lines) => {
    if (!line.startsWith("|") || /^[|\s:-]+$/.test(line)) {
      words = [];
      return [];
    }
    if (words.length === 0) words = codeWords(lines.slice(at));
    return [...line.matchAll(/`([\w.:/-]+)`|(?<![\w.])\d+(?:,\d{3})*(?![\w.]*`)/g)].flatMap(
      ({ 0: found, 1: word, index }) => {
        const other =
          word === undefined ? String(BigInt(found.replaceAll(",", "")) + 1n) : words[words.indexOf(word) + 1];
        if (other === undefined) return [];
        const replacement = word === undefined ? other : `\`${other}\``;
        const from = start + index;
        return [{ file, start: from, end: from + found.length, replacement, operator: "other value in a table" }];
      },
    );
  });
}

/** The words of code in the table that these lines begin with, each once. */
function codeWords(lines: { line: string }[]): string[] {
  const end = lines.findIndex(({ line }) => !line.startsWith("|"));
  const table = lines.slice(0, end === -1 ? undefined : end).map(({ line }) => line);
  return [...new Set(table.join("\n").match(/(?<=`)[\w.:/-]+(?=`)/g) ?? [])];
}

function linesOf(source: string): { line: string; start: number }[] {
  let start = 0;
  return source.split("\n").map((line) => {
    const found = { line, start };
    start += line.length + 1;
    return found;
  });
}

/** A number of more than one digit becomes ten times as large, another one by one larger. */
function otherNumber(written: string): string {
  return /^\d$|\./.test(written) ? String(Number(written) + 1) : `${written}0`;
}

function oppositeOf(word: string): string {
  const [opposite] = [...OPPOSITE].find(([, no]) => no === word) ?? [];
  return OPPOSITE.get(word) ?? opposite ?? word;
}
