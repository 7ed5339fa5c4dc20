// Search over all pages: a dialog that the button in the header opens, and the key "/".

/** @typedef {[url: string, page: string, heading: string, text: string]} Passage */

const MOST = 20;
const EXCERPT = 160;
/** How often a word counts in the text of a passage. */
const MOST_IN_TEXT = 4;

/** All passages, loaded at the first search. @type {Promise<Passage[]> | undefined} */
let index;

function passages() {
  const path = "/docs/search-index.js";
  index ??= import(path).then((module) => module.default);
  return index;
}

/**
 * How well a passage matches: 0 unless it has every word. A heading counts more than a page's title, that more than text.
 * @param {Passage} passage
 * @param {string[]} words
 */
function scoreOf([, page, heading, text], words) {
  let score = 0;
  const [title, subtitle, body] = [page, heading, text].map((part) => part.toLowerCase());
  for (const word of words) {
    const inText = Math.min((body?.split(word).length ?? 1) - 1, MOST_IN_TEXT);
    const found = (subtitle?.includes(word) ? 8 : 0) + (title?.includes(word) ? 4 : 0) + inText;
    if (found === 0) return 0;
    score += found + (heading === "" && title?.includes(word) ? 6 : 0);
  }
  return score + (words.length > 1 && body?.includes(words.join(" ")) ? 3 : 0);
}

/**
 * Appends a text, in which the words are marked.
 * @param {Element} element
 * @param {string} text
 * @param {string[]} words
 */
function appendMarked(element, text, words) {
  const pattern = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "gi");
  for (const [at, part] of text.split(pattern).entries()) {
    if (at % 2 === 0) element.append(part);
    else element.append(Object.assign(document.createElement("mark"), { textContent: part }));
  }
}

/**
 * The text around the first word.
 * @param {string} text
 * @param {string[]} words
 */
function excerptOf(text, words) {
  const found = words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0);
  const start = found.length === 0 ? 0 : text.lastIndexOf(" ", Math.max(0, Math.min(...found) - EXCERPT / 3)) + 1;
  const cut = text.slice(start, start + EXCERPT);
  return `${start > 0 ? "… " : ""}${cut}${start + EXCERPT < text.length ? " …" : ""}`;
}

/**
 * @param {Passage} passage
 * @param {string[]} words
 */
function itemOf([url, page, heading, text], words) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  const title = document.createElement("strong");
  const excerpt = document.createElement("span");
  link.href = url;
  appendMarked(title, heading === "" ? page : `${page} › ${heading}`, words);
  appendMarked(excerpt, excerptOf(text, words), words);
  link.append(title, excerpt);
  item.append(link);
  return item;
}

function addSearch() {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "search";
  button.innerHTML = `Search <kbd>/</kbd>`;
  button.setAttribute("aria-keyshortcuts", "/");
  const dialog = document.createElement("dialog");
  dialog.className = "search";
  dialog.setAttribute("aria-label", "Search");
  dialog.innerHTML = `<label for="query">Search the documentation</label>
<p><input id="query" type="search" autocomplete="off" spellcheck="false" enterkeyhint="go"><button type="button">Close</button></p>
<p role="status"></p>
<ul></ul>`;
  const field = /** @type {HTMLInputElement} */ (dialog.querySelector("input"));
  const status = /** @type {HTMLElement} */ (dialog.querySelector("[role=status]"));
  const list = /** @type {HTMLElement} */ (dialog.querySelector("ul"));

  const open = () => {
    dialog.showModal();
    field.select();
    passages().catch(() => {});
  };
  const search = async () => {
    const query = field.value;
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const found = await passages().catch(() => undefined);
    if (query !== field.value) return;
    if (found === undefined) index = undefined;
    const scored = (found ?? []).map((passage) => ({
      passage,
      score: words.length === 0 ? 0 : scoreOf(passage, words),
    }));
    const best = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
    list.replaceChildren(...best.slice(0, MOST).map(({ passage }) => itemOf(passage, words)));
    const count = best.length > MOST ? `The best ${MOST} of ${best.length} results` : `${best.length} results`;
    status.textContent = found === undefined ? "The index did not load: try again." : words.length === 0 ? "" : count;
  };
  /** Moves the focus through the results, and from the first back to the field. @param {KeyboardEvent} event */
  const move = (event) => {
    const stops = [field, ...list.querySelectorAll("a")];
    const at = stops.indexOf(/** @type {HTMLInputElement} */ (document.activeElement));
    if (event.key === "Enter" && at === 0) stops[1]?.click();
    // Without this, the first Escape only empties the field.
    if (event.key === "Escape") dialog.close();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || at === -1) return;
    event.preventDefault();
    stops[Math.max(0, Math.min(at + step, stops.length - 1))]?.focus();
  };

  button.addEventListener("click", open);
  field.addEventListener("input", search);
  dialog.addEventListener("keydown", move);
  dialog.querySelector("button")?.addEventListener("click", () => dialog.close());
  // A result may be on this very page.
  list.addEventListener("click", () => dialog.close());
  document.addEventListener("keydown", (event) => {
    const isTyping =
      event.target instanceof Element && event.target.matches("input, textarea, select, [contenteditable]");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    event.preventDefault();
    open();
  });
  document.querySelector("header .brand")?.after(button);
  document.body.append(dialog);
}

addSearch();
