import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Operator } from "./api/responses.ts";
import { Icon, IconButton, type IconName, Logo } from "./components/button.tsx";
import { deployment } from "./deployment.ts";
import { PaletteButton } from "./palette.tsx";
import { storedTheme, storeTheme, type Theme, themes } from "./theme.ts";

const buttons = {
  system: { icon: "system", label: "Theme: system. Switch to light" },
  light: { icon: "sun", label: "Theme: light. Switch to dark" },
  dark: { icon: "moon", label: "Theme: dark. Switch to system" },
} as const;

function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(storedTheme);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
  const change = () => {
    storeTheme(next);
    setTheme(next);
  };
  return <IconButton icon={buttons[theme].icon} label={buttons[theme].label} onClick={change} />;
}

const pages: [string, string, IconName][] = [
  ["overview", "Overview", "overview"],
  ["keys", "Keys", "keys"],
  ["pets", "Pets", "pets"],
  ["categories", "Categories", "categories"],
  ["orders", "Orders", "orders"],
  ["alerts", "Alerts", "alerts"],
  ["webhooks", "Webhooks", "webhooks"],
  ["requests", "Requests", "requests"],
  ["deprecation", "Deprecation", "deprecation"],
  ["audit", "Audit log", "audit"],
  ["operators", "Operators", "operators"],
  ["backups", "Backups", "backups"],
  ["service", "Service", "service"],
];

/** The pages that viewers do not see. */
const adminPages = ["operators", "backups"];

type ShellProps = {
  /** The first segment of the path. */
  page: string;
  path: string;
  operator: Operator;
  onSignOut: () => void;
  children: ComponentChildren;
};

/** The frame of every page: navigation, the signed-in operator, the name of the deployment. */
export function Shell({ page, path, operator, onSignOut, children }: ShellProps) {
  const [isOpen, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const isFirstPage = useRef(true);
  const menu = useRef<HTMLButtonElement>(null);
  const visible = pages.filter(([name]) => !adminPages.includes(name) || operator.role === "admin");
  useEffect(() => {
    if (!isOpen) return;
    const close = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      setOpen(false);
      menu.current?.focus();
    };
    addEventListener("keydown", close);
    return () => removeEventListener("keydown", close);
  }, [isOpen]);
  useEffect(() => {
    setOpen(false);
    // The focus moves to the new page, for keyboards and screen readers.
    if (!isFirstPage.current) main.current?.focus({ preventScroll: true });
    if (!isFirstPage.current) scrollTo(0, 0);
    isFirstPage.current = false;
  }, [path]);
  return (
    <div class="shell">
      <button class="skip" type="button" onClick={() => main.current?.focus()}>
        Skip to main content
      </button>
      <header
        class="sidebar"
        onFocusOut={({ currentTarget, relatedTarget }) => {
          // The menu lies over the page.
          if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) setOpen(false);
        }}
      >
        <div class="sticky">
          <div class="head">
            <a href="#/overview" class="home">
              <Logo deployment={deployment} />
            </a>
            <PaletteButton pages={visible.map(([name, title]) => ({ href: `#/${name}`, title, kind: "page" }))} />
            <button
              ref={menu}
              class="icon-button menu"
              type="button"
              aria-expanded={isOpen}
              aria-controls="navigation"
              aria-label="Menu"
              onClick={() => setOpen(!isOpen)}
            >
              <Icon name={isOpen ? "close" : "menu"} />
            </button>
          </div>
          <div id="navigation" class={isOpen ? "navigation open" : "navigation"}>
            <nav aria-label="Pages">
              {visible.map(([name, title, icon]) => (
                <a key={name} href={`#/${name}`} aria-current={name === page ? "page" : undefined}>
                  <Icon name={icon} />
                  {title}
                </a>
              ))}
            </nav>
            <div class="account">
              <div>
                <strong>{operator.name}</strong>
                <span class="faint">{operator.role}</span>
              </div>
              <ThemeSwitch />
              <IconButton icon="sign-out" label="Sign out" onClick={onSignOut} />
            </div>
          </div>
        </div>
      </header>
      <main ref={main} tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
