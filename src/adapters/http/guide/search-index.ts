import { Anchors } from "./anchors.ts";
import type { Entry } from "./contents.ts";

/** A part of a page below one heading: the URL, the titles of page and heading, and the text. */
type Passage = [url: string, page: string, heading: string, text: string];

/** What the script of the pages searches: a module with all passages. `read` returns the Markdown of a page. */
export function searchIndex(entries: Entry[], read: (entry: Entry) => string): string {
  return `export default ${JSON.stringify(entries.flatMap((entry) => passagesIn(read(entry), entry)))};\n`;
}

const BLOCK = /^```[\s\S]*?^```$/gm;
const HEADING = /^#{1,4} (?<heading>.+)$/;

function passagesIn(markdown: string, { path, title }: Entry): Passage[] {
  const anchors = new Anchors();
  return markdown
    .replace(BLOCK, "")
    .split(/^(?=#{1,4} )/m)
    .flatMap((part) => {
      const [first = "", ...lines] = part.split("\n");
      const heading = plain(HEADING.exec(first)?.groups?.heading ?? "");
      if (heading === "") return [];
      const anchor = anchors.of(heading);
      const isTitle = first.startsWith("# ");
      return [[isTitle ? path : `${path}#${anchor}`, title, isTitle ? "" : heading, plain(lines.join("\n"))]];
    });
}

/** The words of Markdown, without its marks, on one line. */
function plain(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)\s]*\)/g, "$1")
    .replace(/^\|[-:| ]+\|$/gm, "")
    .replace(/[`*]/g, "")
    .replace(/\||^#+ |^- /gm, " ")
    .replace(/\s+/g, " ")
    .trim();
}
