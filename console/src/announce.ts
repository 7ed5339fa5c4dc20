import { showBidiControls } from "../../src/domain/text.ts";

/** Has screen readers say `text`. The region is a part of the page from the start: most ignore one that appears with its text. */
export function announce(text: string): void {
  const region = document.getElementById("announcement");
  if (region !== null) region.textContent = showBidiControls(text);
}
