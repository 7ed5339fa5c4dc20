import type { ComponentChildren } from "preact";

/** A region of limited height that scrolls, also with the keyboard. */
export function ScrollRegion({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
    <section class="scroll-region" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
