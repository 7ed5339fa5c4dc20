/** The anchors of a page's headings. As on GitHub, a repeated heading gets a number. */
export class Anchors {
  readonly #counts = new Map<string, number>();

  /** The anchor of the next heading of the page. */
  of(heading: string): string {
    const anchor = anchorOf(heading);
    const count = this.#counts.get(anchor) ?? 0;
    this.#counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  }
}

/** Returns the anchor of a heading, in GitHub's form. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}
