// What the pages of the guide can do beyond standing there. Without it they can be read all the same.

const THEME = "petstore-docs-theme";
const root = document.documentElement;
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

/** What was chosen here before; null also where the browser keeps nothing. */
function chosenTheme() {
  try {
    return localStorage.getItem(THEME);
  } catch {
    return null;
  }
}

// At once, before anything is painted in the other colours.
const chosen = chosenTheme();
if (chosen !== null) root.dataset.theme = chosen;

function isDark() {
  return root.dataset.theme === undefined ? prefersDark.matches : root.dataset.theme === "dark";
}

/** @param {string} className */
function buttonOf(className) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = className;
  return button;
}

function addThemeButton() {
  const button = buttonOf("theme");
  const name = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.title = isDark() ? "Show in light colours" : "Show in dark colours";
  };
  button.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    root.dataset.theme = theme;
    try {
      localStorage.setItem(THEME, theme);
    } catch {
      // It holds for this page alone, then.
    }
    name();
  });
  prefersDark.addEventListener("change", name);
  name();
  document.querySelector("header")?.append(button);
}

/** Each block of code gets a button that copies it: of a console session the commands, without prompt and answers. */
function addCopyButtons() {
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll(".code")) {
    const button = buttonOf("copy");
    button.textContent = "Copy";
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", async () => {
      const text = block.getAttribute("data-copy") ?? block.querySelector("code")?.textContent ?? "";
      const isCopied = await navigator.clipboard.writeText(text.trimEnd()).then(
        () => true,
        () => false,
      );
      button.textContent = isCopied ? "Copied" : "Not copied";
      setTimeout(() => {
        button.textContent = "Copy";
      }, 2000);
    });
    block.append(button);
  }
}

/** Beside the text there is room for what is on the page; and what is being read is marked in it. */
function followOutline() {
  const details = document.querySelector(".outline details");
  if (details === null) return;
  const isWide = matchMedia("(min-width: 76rem)");
  const fit = () => details.toggleAttribute("open", isWide.matches);
  isWide.addEventListener("change", fit);
  fit();

  const links = [...details.querySelectorAll("a")];
  const headings = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
  const mark = () => {
    const passed = headings.filter((heading) => heading !== null && heading.getBoundingClientRect().top < 120).length;
    for (const [i, link] of links.entries()) {
      if (i === passed - 1) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    }
  };
  addEventListener("scroll", mark, { passive: true });
  mark();
}

document.addEventListener("DOMContentLoaded", () => {
  addThemeButton();
  addCopyButtons();
  followOutline();
});
