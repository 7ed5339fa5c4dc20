import { useState } from "preact/hooks";
import { IconButton } from "../components/button.tsx";
import { storedTheme, storeTheme, type Theme, themes } from "../theme.ts";

const buttons = {
  system: { icon: "system", label: "Theme: system. Switch to light" },
  light: { icon: "sun", label: "Theme: light. Switch to dark" },
  dark: { icon: "moon", label: "Theme: dark. Switch to system" },
} as const;

export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(storedTheme);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
  const change = () => {
    storeTheme(next);
    setTheme(next);
  };
  return <IconButton icon={buttons[theme].icon} label={buttons[theme].label} onClick={change} />;
}
