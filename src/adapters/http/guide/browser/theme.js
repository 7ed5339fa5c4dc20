// The theme of the pages, which are readable without this script.

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

function addThemeButton() {
  const button = document.createElement("button");
  button.type = "button";
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

document.addEventListener("DOMContentLoaded", addThemeButton);
