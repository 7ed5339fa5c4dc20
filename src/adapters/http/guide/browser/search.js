// Search over all pages: a dialog that the button in the header opens, and the key "/".

/** @typedef {[url: string, page: string, heading: string, text: string]} Passage */

const MOST = 20;
const EXCERPT = 160;

/** All passages and how they are searched, loaded at the first search. @type {Promise<Library> | undefined} */
let library;

/** @typedef {typeof import("./search-words.js") & { passages: Passage[] }} Library */

function load() {
  const path = "/docs/search-index.js";
  const words = document.querySelector('script[src^="/docs/search-words.js"]')?.getAttribute("src") ?? "";
  library ??= Promise.all([import(words), import(path)]).then(([found, { default: passages }]) => ({
    ...found,
    passages,
  }));
  return library;
}

/**
 * Appends a text, in which the words are marked.
 * @param {Element} element
 * @param {string} text
 * @param {RegExp[]} patterns
 */
function appendMarked(element, text, patterns) {
  const pattern = new RegExp(`(${patterns.map(({ source }) => source).join("|")})`, "gi");
  for (const [at, part] of text.split(pattern).entries()) {
    if (at % 2 === 0) element.append(part);
    else element.append(Object.assign(document.createElement("mark"), { textContent: part }));
  }
}

/**
 * The text around the first word.
 * @param {string} text
 * @param {RegExp[]} patterns
 */
function excerptOf(text, patterns) {
  const found = patterns.map((pattern) => text.search(pattern)).filter((at) => at >= 0);
  const start = found.length === 0 ? 0 : text.lastIndexOf(" ", Math.max(0, Math.min(...found) - EXCERPT / 3)) + 1;
  const cut = text.slice(start, start + EXCERPT);
  return `${start > 0 ? "… " : ""}${cut}${start + EXCERPT < text.length ? " …" : ""}`;
}

/**
 * @param {Passage} passage
 * @param {RegExp[]} patterns
 */
function itemOf([url, page, heading, text], patterns) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  const title = document.createElement("strong");
  const excerpt = document.createElement("span");
  link.href = url;
  appendMarked(title, heading === "" ? page : `${page} › ${heading}`, patterns);
  appendMarked(excerpt, excerptOf(text, patterns), patterns);
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
    load().catch(() => {});
  };
  const search = async () => {
    const query = field.value;
    const found = await load().catch(() => undefined);
    if (query !== field.value) return;
    if (found === undefined) {
      library = undefined;
      list.replaceChildren();
      status.textContent = "The index did not load: try again.";
      return;
    }
    const typed = found.wordsOf(query);
    const words = found.spelt(found.passages, typed);
    const best = typed.length === 0 ? [] : found.best(found.passages, words);
    list.replaceChildren(...best.slice(0, MOST).map((passage) => itemOf(passage, words.map(found.patternOf))));
    const count = best.length > MOST ? `The best ${MOST} of ${best.length} results` : `${best.length} results`;
    const corrected = words.join(" ") === typed.join(" ") ? "" : ` for ${words.join(" ")}`;
    const advice = best.length === 0 ? ": try fewer or other words" : "";
    status.textContent = typed.length === 0 ? "" : count + corrected + advice;
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
