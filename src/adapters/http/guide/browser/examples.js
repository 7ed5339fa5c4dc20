// Tabs for examples that are there in several languages: the chosen one is shown on all pages.

const LANGUAGE = "petstore-docs-language";

/** The stored language; null if there is none, or if the browser allows no storage. */
function chosenLanguage() {
  try {
    return localStorage.getItem(LANGUAGE);
  } catch {
    return null;
  }
}

/** The tabs of all examples, with the block that each shows. @type {{ tab: HTMLButtonElement, block: HTMLElement }[]} */
const tabs = [];

/**
 * Shows every example in this language; one that is not there in it stays as it is.
 * @param {string} language
 */
function show(language) {
  for (const example of document.querySelectorAll(".example")) {
    const own = tabs.filter(({ tab }) => example.contains(tab));
    if (own.every(({ block }) => block.dataset.language !== language)) continue;
    for (const { tab, block } of own) {
      const isShown = block.dataset.language === language;
      tab.setAttribute("aria-selected", String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      block.hidden = !isShown;
    }
  }
}

/**
 * Shows the language of a tab, and keeps the tab where it is on the screen while examples above it grow or shrink.
 * @param {HTMLButtonElement} tab
 */
function choose(tab) {
  const language = tab.textContent ?? "";
  const before = tab.getBoundingClientRect().top;
  show(language);
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: "instant" });
  try {
    localStorage.setItem(LANGUAGE, language);
  } catch {
    // Without storage the choice lasts for this page only.
  }
}

/** @type {Record<string, (at: number, count: number) => number>} */
const MOVES = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
};

/**
 * Adds the tabs of an example.
 * @param {HTMLElement} example
 * @param {number} number
 */
function addTabs(example, number) {
  const list = document.createElement("div");
  list.className = "tabs";
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Language of the example");
  const own = [...example.querySelectorAll(".code")].map((element, at) => {
    const block = /** @type {HTMLElement} */ (element);
    const tab = document.createElement("button");
    tab.type = "button";
    tab.textContent = block.dataset.language ?? "";
    tab.setAttribute("role", "tab");
    tab.id = `tab-${number}-${at}`;
    block.id = `example-${number}-${at}`;
    block.setAttribute("role", "tabpanel");
    block.setAttribute("aria-labelledby", tab.id);
    tab.setAttribute("aria-controls", block.id);
    tab.setAttribute("aria-selected", String(!block.hidden));
    tab.tabIndex = block.hidden ? -1 : 0;
    tab.addEventListener("click", () => choose(tab));
    list.append(tab);
    return { tab, block };
  });
  list.addEventListener("keydown", (event) => {
    const at = own.findIndex(({ tab }) => tab === document.activeElement);
    const next = MOVES[event.key]?.(at, own.length);
    if (next === undefined) return;
    event.preventDefault();
    const tab = own[next]?.tab;
    tab?.focus();
    tab?.click();
  });
  tabs.push(...own);
  example.prepend(list);
}

for (const [number, example] of document.querySelectorAll(".example").entries()) {
  addTabs(/** @type {HTMLElement} */ (example), number);
}
show(chosenLanguage() ?? "");
