import { type Address, otherBaseUrl, rootOf } from "./address.ts";
import { CONTENTS, type Entry, entriesOf, markdownPathOf, type Section } from "./contents.ts";
import { escaped } from "./escaped.ts";
import type { Heading, Rendered } from "./markdown.ts";

type Placed = {
  entry: Entry;
  rendered: Rendered;
  sections: Section[];
  address: Address;
  /** URLs. */
  assets: { styles: string[]; scripts: string[] };
};

/** Returns the HTML of a page, with the navigation to other pages and an outline of this one. */
export function layOut({ entry, rendered, sections, address, assets }: Placed): string {
  const title = entry === CONTENTS ? rendered.title : `${rendered.title} · Petstore`;
  return `<!doctype html>
<html lang="en" data-root="${escaped(rootOf(address))}" data-deployment="${address.deployment}" data-other="${escaped(otherBaseUrl(address))}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escaped(rendered.summary)}">
<title>${escaped(title)}</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="alternate" href="${markdownPathOf(entry)}" type="text/markdown" title="This page as Markdown">
<link rel="alternate" href="/docs/changelog.atom" type="application/atom+xml" title="Changes of Petstore">
${assets.styles.map((style) => `<link rel="stylesheet" href="${style}">`).join("\n")}
${assets.scripts.map(scriptElement).join("\n")}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<button type="button" class="menu" popovertarget="navigation">Menu</button>
<a class="brand" href="/docs"><img src="/docs/icon.svg" alt="" width="24" height="24"><span>Petstore</span></a>
<a href="/docs/reference">Reference</a>
</header>
<div class="frame">
<nav id="navigation" aria-label="All pages" popover>
${sections.map((section) => sectionList(section, entry)).join("")}</nav>
<div class="middle">
${outline(rendered.headings)}<main id="content" tabindex="-1">
${rendered.html}</main>
${neighbours(entry, sections)}<footer>
<a href="${markdownPathOf(entry)}">This page as Markdown</a>
<a href="/llms.txt">All pages for language models</a>
<a href="/docs/changelog.atom">Changes as a feed</a>
</footer>
</div>
</div>
</body>
</html>
`;
}

/** The theme is there before the browser paints; all else waits for the page. */
function scriptElement(url: string): string {
  return `<script src="${url}"${url.includes("/theme.js") ? "" : ' type="module"'}></script>`;
}

function sectionList({ title, page, entries }: Section, current: Entry): string {
  const id = `in-${title.toLowerCase().replace(/\W+/g, "-")}`;
  const link = (entry: Entry) => {
    const mark = entry.path === current.path ? ' aria-current="page"' : "";
    return `<a href="${entry.path}"${mark}>${escaped(entry.title)}</a>`;
  };
  const heading = page === undefined ? escaped(title) : link(page);
  const items = entries.map((entry) => `<li>${link(entry)}</li>\n`);
  return `<p id="${id}">${heading}</p>\n<ul aria-labelledby="${id}">\n${items.join("")}</ul>\n`;
}

/** The outline of a page; empty if the page has fewer than two headings. */
function outline(headings: Heading[]): string {
  const listed = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (listed.length < 2) return "";
  const items = listed.map(
    ({ depth, anchor, text }) => `<li class="depth-${depth}"><a href="#${anchor}">${escaped(text)}</a></li>\n`,
  );
  const list = `<details>\n<summary>On this page</summary>\n<ul>\n${items.join("")}</ul>\n</details>`;
  return `<nav class="outline" aria-label="On this page">\n${list}\n</nav>\n`;
}

function neighbours(entry: Entry, sections: Section[]): string {
  const all = entriesOf(sections);
  const place = all.findIndex(({ path }) => path === entry.path);
  const link = (to: Entry | undefined, rel: "prev" | "next", word: string) =>
    to === undefined ? "" : `<a rel="${rel}" href="${to.path}"><span>${word}</span> ${escaped(to.title)}</a>\n`;
  const links = link(all[place - 1], "prev", "Previous") + link(all[place + 1], "next", "Next");
  return `<nav class="neighbours" aria-label="Previous and next page">\n${links}</nav>\n`;
}
