// Theme, copy buttons and outline of the guide's pages, which are readable without this script.

const THEME = "petstore-docs-theme";
const root = document.documentElement;
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

/** The stored theme; null if there is none, or if the browser allows no storage. */
function chosenTheme() {
  try {
    return localStorage.getItem(THEME);
  } catch {
    return null;
  }
}

// At once, before the browser paints in the other colours.
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
      // Without storage the choice lasts for this page only.
    }
    name();
  });
  prefersDark.addEventListener("change", name);
  name();
  document.querySelector("header")?.append(button);
}

/** Adds a copy button to each block of code. Of a console session it copies only the commands. */
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

/** Opens the outline if the window is wide enough, and marks the section that is being read. */
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
