import { posix } from "node:path";

/** A page of the guide: the path of its Markdown file in the project, and the path of its URL. */
export type Entry = { file: string; path: string; title: string };
export type Section = { title: string; entries: Entry[] };

/** The page that lists all other pages. */
export const CONTENTS: Entry = { file: "docs/README.md", path: "/docs", title: "Contents" };

const LINE = /^(?:## (?<section>.+)|- \[(?<title>.+?)\]\((?<target>.+?\.md)\))/gm;

/** All pages in reading order, as docs/README.md lists them: a section for each heading, a page for each item. */
export function sectionsIn(contents: string): Section[] {
  const sections: Section[] = [];
  for (const { groups: { section, title = "", target = "" } = {} } of contents.matchAll(LINE)) {
    const file = posix.join("docs", target);
    if (section !== undefined) sections.push({ title: section, entries: [] });
    else sections.at(-1)?.entries.push({ file, path: pathOf(file), title });
  }
  return sections;
}

/** docs/limits.md is served at /docs/limits, CHANGELOG.md at /docs/changelog, client/README.md at /docs/client. */
function pathOf(file: string): string {
  const { dir, name } = posix.parse(file);
  const word = name === "README" && dir !== "" ? posix.basename(dir) : name;
  return `/docs/${word.toLowerCase()}`;
}
