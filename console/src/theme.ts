/** How the console looks: as the reader's system does, or as they chose here. Their browser remembers it. */
export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const KEPT = "petstore-console-theme";

/** What there is to know when colours have changed: charts are drawn, not styled. */
export const themeChange = new EventTarget();

export function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEPT);
  return themes.find((theme) => theme === kept) ?? "system";
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEPT, theme);
  applyTheme();
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = chosenTheme();
  themeChange.dispatchEvent(new Event("change"));
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
  themeChange.dispatchEvent(new Event("change")),
);
