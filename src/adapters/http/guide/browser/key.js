// Examples with the address under which they are read, and with the reader's key. The key stays in this tab: it is in its
// session storage, and the policy of the pages lets only the forms of the reference send, to this service.

const KEY = "petstore-docs-key";
const { root = "", deployment = "", other = "" } = document.documentElement.dataset;
const PREFIXES = { production: "pets_live_", staging: "pets_stag_" };
const NOTE = document.querySelector("section.request")
  ? "It stays in this tab until you close it. Only the requests that you send from here have it."
  : "It stays in this tab until you close it, and is sent nowhere.";
const FORM = /^pets_(live|stag)_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/;

/** How examples name the key, and what stands in the place of it once there is one: the key, or a string with it. */
const NAME = /\$KEY\b|\$\{process\.env\.KEY\}|\{os\.environ\['KEY'\]\}|pets_(?:live|stag)_…/g;
const EXPRESSION = /process\.env\.KEY \?\? ""|os\.environ\["KEY"\]|os\.Getenv\("KEY"\)/g;

/**
 * Replaces text in an element, and leaves the elements within it as they are.
 * @param {Element} element
 * @param {RegExp} pattern
 * @param {string} replacement
 */
function replaceText(element, pattern, replacement) {
  const matches = [...(element.textContent ?? "").matchAll(pattern)].reverse();
  for (const { 0: found, index } of matches) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let start = 0;
    let inserted = replacement;
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node.nodeValue ?? "";
      const [from, to] = [Math.max(index - start, 0), Math.min(index + found.length - start, text.length)];
      start += text.length;
      if (from >= to) continue;
      node.nodeValue = text.slice(0, from) + inserted + text.slice(to);
      inserted = "";
    }
  }
}

const blocks = [...document.querySelectorAll(".code code")];

/** The service may be read under another address than the one that it knows: by another name, or through a tunnel. */
function showAddress() {
  const { origin, pathname } = new URL(root);
  if (origin === location.origin || pathname !== "/") return;
  const pattern = new RegExp(`${root.replace(/[.[\]]/g, "\\$&")}(?![\\w.-])`, "g");
  for (const block of blocks) replaceText(block, pattern, location.origin);
}

showAddress();

/** The examples that name a key of this deployment, each with its content without one. */
const examples = blocks
  .filter((block) => !block.textContent?.includes(other))
  .filter((block) => [NAME, EXPRESSION].some((pattern) => block.textContent?.match(pattern)))
  .map((block) => ({ block, content: [...block.cloneNode(true).childNodes] }));

/** @param {string} key Empty for none. */
function showKey(key) {
  for (const { block, content } of examples) {
    block.replaceChildren(...content.map((node) => node.cloneNode(true)));
    if (key === "") continue;
    replaceText(block, NAME, key);
    replaceText(block, EXPRESSION, `"${key}"`);
    // Go refuses an import without a use.
    if (!/\bos\.\w/.test(block.textContent ?? "")) replaceText(block, /^(\t"os"|import os)\n/gm, "");
  }
}

/** The key of this tab; empty if there is none, or if the browser allows no storage. */
function storedKey() {
  try {
    return sessionStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

/** @param {string} key */
function store(key) {
  try {
    if (key === "") sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, key);
  } catch {
    // Without storage the key lasts for this page only.
  }
}

/**
 * What is wrong with a key; empty if nothing is.
 * @param {string} key
 */
function problemOf(key) {
  if (key === "") return "";
  if (!FORM.test(key)) return "This is not a whole API key.";
  const prefix = deployment === "staging" ? PREFIXES.staging : PREFIXES.production;
  return key.startsWith(prefix) ? "" : `This key belongs to another deployment: here, keys begin with ${prefix}.`;
}

/** Adds the field for the key before the first example that names one. */
function addField() {
  const [first] = examples;
  const place = first?.block.closest(".example") ?? first?.block.closest(".code");
  if (!place) return;
  const details = document.createElement("details");
  details.className = "key";
  details.innerHTML = `<summary>Show your key in the examples</summary>
<p><label for="key">API key</label>
<input id="key" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="key-note key-state">
<button type="button">Forget it</button></p>
<p id="key-note">${NOTE}</p>
<p id="key-state" role="status"></p>`;
  const field = /** @type {HTMLInputElement} */ (details.querySelector("input"));
  const state = /** @type {HTMLElement} */ (details.querySelector("#key-state"));
  const use = () => {
    const key = field.value.trim();
    const problem = problemOf(key);
    const shown = problem === "" ? key : "";
    state.textContent = problem || (key === "" ? "" : "The examples contain your key.");
    field.setAttribute("aria-invalid", String(problem !== ""));
    details.classList.toggle("set", shown !== "");
    store(shown);
    showKey(shown);
  };
  field.value = storedKey();
  field.addEventListener("input", use);
  details.querySelector("button")?.addEventListener("click", () => {
    field.value = "";
    use();
    field.focus();
  });
  place.before(details);
  if (field.value !== "") use();
}

addField();
