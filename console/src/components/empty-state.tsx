import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { announce } from "../announce.ts";
import { Icon, type IconName } from "./icon.tsx";

/** What a list shows instead of items: that there are none, and how to add one. */
export function EmptyState({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) {
  useEffect(() => announce(title), [title]);
  return (
    <div class="empty-state">
      <span class="illustration">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      {children}
    </div>
  );
}
