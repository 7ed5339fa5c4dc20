import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Operator, ServiceState } from "./api/answers.ts";
import { useLoaded } from "./api/loaded.ts";
import { IconButton } from "./parts/button.tsx";
import { Icon, type IconName } from "./parts/icon.tsx";
import { Mark } from "./parts/mark.tsx";
import { ThemeSwitch } from "./session/theme-switch.tsx";

const places: [string, string, IconName][] = [
  ["overview", "Overview", "overview"],
  ["keys", "Keys", "keys"],
  ["pets", "Pets", "pets"],
  ["deprecation", "Deprecation", "deprecation"],
  ["audit", "Audit log", "audit"],
  ["operators", "Operators", "operators"],
  ["service", "Service", "service"],
];

type ShellProps = {
  place: string;
  address: string;
  operator: Operator;
  onSignOut: () => void;
  children: ComponentChildren;
};

/** What stands around every page: where one may go, who one is, which deployment this is. */
export function Shell({ place, address, operator, onSignOut, children }: ShellProps) {
  const [isOpen, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const { value: state } = useLoaded<ServiceState>("/state");
  const isArrival = useRef(true);
  useEffect(() => {
    setOpen(false);
    // Who came with keys or a screen reader goes on in the new page, not at the link that led there.
    if (!isArrival.current) main.current?.focus({ preventScroll: true });
    if (!isArrival.current) scrollTo(0, 0);
    isArrival.current = false;
  }, [address]);
  return (
    <div class="shell">
      <button class="skip" type="button" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <header class="side">
        <div class="stay">
          <div class="head">
            <a href="#/overview" class="home">
              <Mark deployment={state?.deployment} />
            </a>
            <button
              class="icon-button menu"
              type="button"
              aria-expanded={isOpen}
              aria-controls="places"
              aria-label="Menu"
              onClick={() => setOpen(!isOpen)}
            >
              <Icon name={isOpen ? "close" : "menu"} />
            </button>
          </div>
          <div id="places" class={isOpen ? "places open" : "places"}>
            <nav aria-label="Pages of the console">
              {places
                .filter(([path]) => path !== "operators" || operator.role === "admin")
                .map(([path, name, icon]) => (
                  <a key={path} href={`#/${path}`} aria-current={path === place ? "page" : undefined}>
                    <Icon name={icon} />
                    {name}
                  </a>
                ))}
            </nav>
            <div class="who">
              <div>
                <strong>{operator.name}</strong>
                <span class="faint">{operator.role}</span>
              </div>
              <ThemeSwitch />
              <IconButton icon="out" label="Sign out" onClick={onSignOut} />
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
