// Finds passages by the words of a query, also by those of a question, and by words that are typed wrong.

/** @typedef {import("./search.js").Passage} Passage */

/** They say nothing about what a question is about. */
const COMMON = new Set(
  "a an and another are as at be by can could do does for from has have how i if in into is it me must my of on or should that the there this to was we what when where which who why will with you your".split(
    " ",
  ),
);

/** How often a word counts in the text of a passage. */
const MOST_IN_TEXT = 4;
/** The text of a longer passage has many words, and is about few of them. */
const LONG = 1_500;

/** The words of a query, without common ones if there are others. @param {string} query */
export function wordsOf(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const telling = words.map((word) => word.replace(/[?!.,;:]+$/, "")).filter((word) => word && !COMMON.has(word));
  return [...new Set(telling.length === 0 ? words : telling)];
}

/** Endings without which a word is found in its other forms too: `upgrade` in "Upgrading". */
const ENDING = /(?<=^[a-z]{5,})(?:ing|ed|es|e|s)$/;

/** Where a word is in a text: a short one only where a word begins. @param {string} word */
export function patternOf(word) {
  const escaped = word.replace(ENDING, "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(word.length > 3 ? escaped : `(?<![a-z0-9])${escaped}`, "gi");
}

/**
 * The passages that have more than half of the words, best first: those with the most words, then by where they are. A
 * heading counts more than a page's title, that more than text.
 * @param {Passage[]} passages
 * @param {string[]} words
 */
export function best(passages, words) {
  const patterns = words.map(patternOf);
  return passages
    .map((passage) => ({ passage, ...scoreOf(passage, patterns, words) }))
    .filter(({ found }) => found > words.length / 2)
    .sort((a, b) => b.found - a.found || b.score - a.score)
    .map(({ passage }) => passage);
}

/**
 * @param {Passage} passage
 * @param {RegExp[]} patterns
 * @param {string[]} words
 */
function scoreOf([, page, heading, text], patterns, words) {
  let score = words.length > 1 && text.toLowerCase().includes(words.join(" ")) ? 3 : 0;
  let found = 0;
  const weight = Math.min(1, LONG / text.length);
  for (const pattern of patterns) {
    const [inHeading, inPage, inText] = [heading, page, text].map((part) => part.match(pattern)?.length ?? 0);
    if (!inHeading && !inPage && !inText) continue;
    found += 1;
    score += (inHeading ? 8 : 0) + (inPage ? 4 : 0) + weight * Math.min(inText ?? 0, MOST_IN_TEXT);
    if (inPage && heading === "") score += 6;
  }
  return { found, score };
}

/**
 * The words, those that are nowhere replaced by the most frequent word that is spelt almost so.
 * @param {Passage[]} passages
 * @param {string[]} words
 */
export function spelt(passages, words) {
  const texts = passages.map(([, page, heading, text]) => `${page} ${heading} ${text}`.toLowerCase());
  return words.map((word) => {
    if (word.length < 4 || word.length > 30 || texts.some((text) => text.includes(word))) return word;
    /** @type {Map<string, number>} */
    const similar = new Map();
    const bound = word.length < 8 ? 1 : 2;
    for (const other of texts.join(" ").match(/[a-z][a-z-]{3,}/g) ?? []) {
      const isNear = other[0] === word[0] && Math.abs(other.length - word.length) <= bound;
      if (isNear && (similar.has(other) || distance(word, other) <= bound)) {
        similar.set(other, (similar.get(other) ?? 0) + 1);
      }
    }
    return [...similar].sort(([, a], [, b]) => b - a)[0]?.[0] ?? word;
  });
}

/** How many letters are missing, too many, wrong, or swapped with the next one. @param {string} a @param {string} b */
function distance(a, b) {
  /** @type {number[][]} */
  const rows = [[...Array(b.length + 1).keys()]];
  /** @param {number} i @param {number} j */
  const at = (i, j) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const steps = [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (isSame ? 0 : 1)];
      if (isSwapped) steps.push(at(i - 2, j - 2) + 1);
      rows[i]?.push(Math.min(...steps));
    }
  }
  return at(a.length, b.length);
}
