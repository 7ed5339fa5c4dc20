import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

/** Nothing is here: what would be, and how it comes here. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <span class="picture">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      {children}
    </div>
  );
}
