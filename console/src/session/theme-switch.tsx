import { useState } from "preact/hooks";
import { IconButton } from "../parts/button.tsx";
import { chooseTheme, chosenTheme, type Theme, themes } from "../theme.ts";

const looks = {
  system: { icon: "system", label: "Colours: as the system. Switch to light" },
  light: { icon: "sun", label: "Colours: light. Switch to dark" },
  dark: { icon: "moon", label: "Colours: dark. Switch to the system's" },
} as const;

export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(chosenTheme);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
  const choose = () => {
    chooseTheme(next);
    setTheme(next);
  };
  return <IconButton icon={looks[theme].icon} label={looks[theme].label} onClick={choose} />;
}
