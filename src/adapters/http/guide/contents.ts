import { posix } from "node:path";

/** A page of the guide: the path of its Markdown file in the project, and the path of its URL. */
export type Entry = { file: string; path: string; title: string };
/** A heading of the contents with its pages. `page` is the page that introduces them: the one with the same title. */
export type Section = { title: string; page: Entry | undefined; entries: Entry[] };

/** The page that lists all other pages. */
export const CONTENTS: Entry = { file: "docs/README.md", path: "/docs", title: "Contents" };

const LINE = /^(?:## (?<section>.+)|- \[(?<title>.+?)\]\((?<target>.+?\.md)\))/gm;

/** All pages in reading order, as docs/README.md lists them: a section for each heading, a page for each item. */
export function sectionsIn(contents: string): Section[] {
  const sections: Section[] = [];
  for (const { groups: { section, title = "", target = "" } = {} } of contents.matchAll(LINE)) {
    const current = sections.at(-1);
    if (section !== undefined) sections.push({ title: section, page: undefined, entries: [] });
    else if (current !== undefined) {
      const file = posix.join("docs", target);
      const entry = { file, path: pathOf(file), title };
      if (title === current.title) current.page = entry;
      else current.entries.push(entry);
    }
  }
  return sections;
}

/** All pages in reading order. */
export function entriesOf(sections: Section[]): Entry[] {
  return [CONTENTS, ...sections.flatMap(({ page, entries }) => (page === undefined ? entries : [page, ...entries]))];
}

/** docs/limits.md is served at /docs/limits, CHANGELOG.md at /docs/changelog, client/README.md at /docs/client. */
function pathOf(file: string): string {
  const { dir, name } = posix.parse(file);
  const word = name === "README" && dir !== "" ? posix.basename(dir) : name;
  return `/docs/${word.toLowerCase()}`;
}

/** The path of a page's Markdown. */
export function markdownPathOf({ path }: Entry): string {
  return path === CONTENTS.path ? "/docs/index.md" : `${path}.md`;
}
