export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const STORAGE_KEY = "petstore-console-theme";

/** Dispatches "change" when colours change: charts are drawn on a canvas, which CSS does not style. */
export const themeEvents = new EventTarget();

/** The theme that the operator chose in this browser; that of the system by default. */
export function storedTheme(): Theme {
  const stored = localStorage.getItem(STORAGE_KEY);
  return themes.find((theme) => theme === stored) ?? "system";
}

export function storeTheme(theme: Theme): void {
  localStorage.setItem(STORAGE_KEY, theme);
  applyTheme();
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = storedTheme();
  themeEvents.dispatchEvent(new Event("change"));
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
  themeEvents.dispatchEvent(new Event("change")),
);
