// Finds passages by the words of a query, also by those of a question, and by words that are typed wrong.

/** @typedef {import("./search.js").Passage} Passage */

/** They say nothing about what a question is about. */
const COMMON = new Set(
  "a an and another are as at be by can could do does for from has have how i if in into is it me must my of on or should that the there this to was we what when where which who why will with you your".split(
    " ",
  ),
);

/** What readers type, and what the pages call it: a word, or the title of a page. @type {Record<string, string>} */
const SYNONYMS = {
  pagination: "paging",
  paginate: "paging",
  cursor: "paging",
  offset: "paging",
  sdk: "the client",
  ai: "agents",
  llm: "agents",
  library: "client",
  swagger: "reference",
  endpoint: "operation",
  throttle: "limits and bans",
  throttling: "limits and bans",
  quota: "limits and bans",
  429: "limits and bans",
  rate: "limits and bans",
  auth: "authentication",
  login: "authentication",
  api: "authentication",
  buy: "order",
  purchase: "order",
  stock: "inventory",
  create: "add",
  delete: "remove",
  edit: "change",
  update: "change",
  concurrency: "conditional",
  optimistic: "conditional",
  duplicate: "idempotency",
  sync: "mirror",
  synchronize: "mirror",
  replicate: "mirror",
  copy: "mirror",
  poll: "events",
  subscribe: "webhooks",
  callback: "webhooks",
  sandbox: "rehearsal",
  mock: "rehearsal",
  simulate: "rehearsal",
  env: "settings",
  environment: "settings",
  config: "settings",
  configuration: "settings",
  cli: "commands",
  k8s: "kubernetes",
  monitoring: "metrics",
  cluster: "scaling",
  sunset: "deprecation",
  deprecated: "deprecation",
};

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

/** Where a word, or what the pages call it, is in a text: a short one only as a word, or in another form. @param {string} word */
export function patternOf(word) {
  const setting = word.startsWith("petstore_") ? "settings" : word;
  const forms = [word, SYNONYMS[word] ?? setting].map((form) => {
    const escaped = form.replace(ENDING, "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return form.length > 3 ? escaped : `(?<![a-z0-9_])${escaped}(?![a-z0-9]{3}|_)`;
  });
  return new RegExp([...new Set(forms)].join("|"), "gi");
}

/** Pages for clients and operators come before these: for developers of the service, and the list of all changes. */
const LATE = /^\/docs\/(architecture|benchmarks|changelog|contributing|known-traps|stores|work-on-it)(#|$)/;

/**
 * The passages that have more than half of the words, best first: those with the most words, then by where they are. A
 * heading counts more than text, most the title of a page at its beginning, and more if all words are in it.
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
function scoreOf([url, page, heading, text], patterns, words) {
  const isBeginning = heading === "";
  const title = isBeginning ? page : heading;
  const weight = Math.min(1, LONG / text.length);
  let score = words.length > 1 && text.toLowerCase().includes(words.join(" ")) ? 3 : 0;
  let found = 0;
  for (const pattern of patterns) {
    const [inTitle, inPage, inText] = [title, page, text].map((part) => part.match(pattern)?.length ?? 0);
    if (!inTitle && !inPage && !inText) continue;
    found += 1;
    score += (inTitle ? 8 : 0) + (inPage ? 4 : 0) + weight * Math.min(inText ?? 0, MOST_IN_TEXT);
  }
  if (patterns.every((pattern) => title.search(pattern) >= 0)) score += isBeginning ? 8 : 4;
  if (title.toLowerCase() === words.join(" ")) score += 8;
  return { found, score: LATE.test(url) ? score / 2 : score };
}

/**
 * The words, those that are nowhere replaced by the most frequent word that is spelt almost so.
 * @param {Passage[]} passages
 * @param {string[]} words
 */
export function spelt(passages, words) {
  const texts = passages.map(([, page, heading, text]) => `${page} ${heading} ${text}`.toLowerCase());
  return words.map((word) => {
    if (word.length < 4 || word.length > 30 || word in SYNONYMS || texts.some((text) => text.includes(word)))
      return word;
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
