import { marked } from "marked";
import { escaped } from "./escaped.ts";

/** The changes of one version: its heading, and the day of its release (2026-12-02) if it is released. */
type Version = { title: string; anchor: string; day: string | undefined; markdown: string };

const HEADING = /^## \[?(?<title>[^\]\n]+?)\]?(?: - (?<day>\d{4}-\d{2}-\d{2}))?$/;

/** The versions in a changelog (Keep a Changelog), in its order. */
export function versionsIn(changelog: string, anchorOf: (heading: string) => string): Version[] {
  return changelog.split(/^(?=## )/m).flatMap((part) => {
    const [heading = "", ...lines] = part.split("\n");
    const { title, day } = HEADING.exec(heading)?.groups ?? {};
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
