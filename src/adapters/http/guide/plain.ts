import { marked } from "marked";
import { type Address, addressed, type Entry, escaped } from "./contents.ts";
import { Anchors, type HrefOf } from "./pages.ts";

/** A block of code, or a link outside of one. */
const PARTS = /^(?<block>```[\s\S]*?^```)|\[(?<text>[^\]]*)\]\((?<target>[^)\s]+)\)/gm;

/** A page as Markdown, for programs: with links that lead to what is served, and the address of this service. */
export function plainMarkdown(markdown: string, hrefOf: HrefOf, address: Address): string {
  return markdown.replace(PARTS, (part, block: string | undefined, text: string, target: string) => {
    if (block !== undefined) return addressed(block, address);
    const href = hrefOf(target);
    return href === undefined ? text : part.replace(`](${target})`, `](${href})`);
  });
}

/** The changes of one version: its heading, and the day of its release (2026-12-02) if it is released. */
type Version = { title: string; anchor: string; day: string | undefined; markdown: string };

const VERSION_HEADING = /^## \[?(?<title>[^\]\n]+?)\]?(?: - (?<day>\d{4}-\d{2}-\d{2}))?$/;

/** The versions in a changelog (Keep a Changelog), in its order. */
export function versionsIn(changelog: string, anchorOf: (heading: string) => string): Version[] {
  return changelog.split(/^(?=## )/m).flatMap((part) => {
    const [heading = "", ...lines] = part.split("\n");
    const { title, day } = VERSION_HEADING.exec(heading)?.groups ?? {};
    if (title === undefined) return [];
    return [{ title, day, anchor: anchorOf(heading.slice("## ".length)), markdown: lines.join("\n").trim() }];
  });
}

/**
 * The Atom feed (RFC 4287) of a changelog whose links are absolute: an entry per version. `root` is the address of the
 * service; `day` dates what is not released yet.
 */
export function feedOf(versions: Version[], root: string, day: string): string {
  const page = `${root}/docs/changelog`;
  const updated = versions[0]?.day ?? day;
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>${escaped(page)}</id>
<title>Changes of Petstore</title>
<updated>${updated}T00:00:00Z</updated>
<author><name>Petstore</name></author>
<link rel="self" type="application/atom+xml" href="${escaped(`${page}.atom`)}"/>
<link rel="alternate" type="text/html" href="${escaped(page)}"/>
${versions.map((version) => entryOf(version, page, day)).join("")}</feed>
`;
}

function entryOf({ title, anchor, day, markdown }: Version, page: string, today: string): string {
  const url = escaped(`${page}#${anchor}`);
  const html = marked.parse(markdown, { async: false });
  return `<entry>
<id>${url}</id>
<title>${escaped(title)}</title>
<updated>${day ?? today}T00:00:00Z</updated>
<link rel="alternate" type="text/html" href="${url}"/>
<content type="html">${escaped(html)}</content>
</entry>
`;
}

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
      const text = plain(lines.join("\n"));
      if (!first.startsWith("# ")) return [[`${path}#${anchor}`, title, heading, text]];
      // A page may be called differently in the contents: "Changes" is the "Changelog".
      return [[path, heading.includes(title) ? heading : `${title} (${heading})`, "", text]];
    });
}

function plain(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)\s]*\)/g, "$1")
    .replace(/^\|[-:| ]+\|$/gm, "")
    .replace(/[`*]/g, "")
    .replace(/\||^#+ |^- /gm, " ")
    .replace(/\s+/g, " ")
    .trim();
}
