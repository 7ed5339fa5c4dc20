import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import go from "highlight.js/lib/languages/go";
import http from "highlight.js/lib/languages/http";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import json from "highlight.js/lib/languages/json";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import typescript from "highlight.js/lib/languages/typescript";
import { lexer, Parser, Renderer, type Token, type Tokens } from "marked";
import {
  type Address,
  addressed,
  CONTENTS,
  type Entry,
  entriesOf,
  escaped,
  markdownPathOf,
  otherBaseUrl,
  ownRoot,
  type Section,
} from "./contents.ts";
import { LANGUAGES, type Variant, variantsOf } from "./examples/languages.ts";
import type { RequestForm } from "./reference.ts";

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

for (const [name, language] of Object.entries({
  bash,
  go,
  http,
  ini,
  java,
  json,
  php,
  python,
  ruby,
  rust,
  typescript,
})) {
  hljs.registerLanguage(name, language);
}
hljs.registerAliases("js", { languageName: "typescript" });

type Block = { language: string; text: string };

/** A block of code with syntax highlighting. An example that is a single request has programs in other languages. */
function codeBlock({ language, text }: Block): string {
  if (language === "console") return session(text);
  const variants = language === "sh" ? variantsOf(text, "") : undefined;
  return variants === undefined ? `${figure(text, language)}\n` : tabs(variants);
}

/** Blocks with the same program in several languages: the script of the page makes tabs of them. */
function programs(blocks: Block[]): string {
  return tabs(blocks.map(({ language, text }) => ({ name: LANGUAGES[language] ?? language, language, text })));
}

function tabs(variants: Variant[]): string {
  const [first, ...others] = variants.map(({ name, language, text }) => figure(text, language, name));
  return `<div class="example">\n${first}\n${others.join("\n").replaceAll("<div", "<div hidden")}\n</div>\n`;
}

function figure(text: string, language: string, name = ""): string {
  const kind = language === "text" ? " output" : "";
  const tab = name === "" ? "" : ` data-language="${name}"`;
  return `<div class="code${kind}"${tab}><pre tabindex="0"><code>${highlighted(text, language)}</code></pre></div>`;
}

function highlighted(text: string, language: string): string {
  return hljs.getLanguage(language) === undefined ? escaped(text) : hljs.highlight(text, { language }).value;
}

/** The commands of a console session: what follows `$ `, continued after `\`. */
const COMMAND = /^\$ ((?:[^\\\n]|\\[\s\S])*)\n?/gm;

/** A console session: each command, and what it prints. */
function session(text: string): string {
  const commands = [...text.matchAll(COMMAND)];
  return commands
    .map(({ 0: { length }, 1: command = "", index }, at) => {
      const output = text.slice(index + length, commands[at + 1]?.index).trimEnd();
      const variants = variantsOf(command, output);
      const shown = variants === undefined ? `${figure(command, "bash")}\n` : tabs(variants);
      return output === "" ? shown : `${shown}${outputOf(output)}`;
    })
    .join("");
}

function outputOf(text: string): string {
  const language = text.startsWith("HTTP/") ? "http" : /^[[{]/.test(text) ? "json" : "text";
  return `<div class="code output"><pre tabindex="0"><code>${highlighted(text, language)}</code></pre></div>\n`;
}

type Heading = { depth: number; anchor: string; text: string };

/** A page rendered from Markdown. `summary` is its first paragraph without markup. */
export type Rendered = { title: string; summary: string; html: string; headings: Heading[] };

/** Returns the URL of a link, which is relative to its file; undefined if its target is not served. */
export type HrefOf = (target: string) => string | undefined;

/** The page whose examples call the service at this address. */
export function render(markdown: string, hrefOf: HrefOf, address: Address): Rendered {
  const tokens = lexer(markdown);
  const groups = groupsIn(tokens);
  const renderer = new PageRenderer(hrefOf, address, groups);
  const later = new Set<Token>(groups.values().flatMap((group) => group.slice(1)));
  const html = new Parser({ renderer }).parse(tokens.filter((token) => !later.has(token)));
  const paragraph = tokens.find((token) => token.type === "paragraph");
  const { headings } = renderer;
  return { title: headings[0]?.text ?? "", summary: plain(paragraph === undefined ? [] : [paragraph]), html, headings };
}

/** Blocks that follow each other and have the same program in several languages, by the first of them. */
function groupsIn(tokens: Token[]): Map<Token, Tokens.Code[]> {
  const groups = new Map<Token, Tokens.Code[]>();
  let group: Tokens.Code[] = [];
  for (const token of tokens) {
    if (token.type === "space") continue;
    const isProgram = token.type === "code" && token.lang in LANGUAGES;
    if (isProgram && group.every(({ lang }) => lang !== token.lang)) group.push(token as Tokens.Code);
    else group = isProgram ? [token as Tokens.Code] : [];
    if (group[0] !== undefined && group.length > 1) groups.set(group[0], group);
  }
  return groups;
}

class PageRenderer extends Renderer {
  readonly headings: Heading[] = [];
  readonly #anchors = new Anchors();
  readonly #hrefOf: HrefOf;
  readonly #address: Address;
  readonly #groups: Map<Token, Tokens.Code[]>;

  constructor(hrefOf: HrefOf, address: Address, groups: Map<Token, Tokens.Code[]>) {
    super();
    this.#hrefOf = hrefOf;
    this.#address = address;
    this.#groups = groups;
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    const text = plain(tokens);
    const anchor = this.#anchors.of(text);
    this.headings.push({ depth, anchor, text });
    const html = this.parser.parseInline(tokens);
    if (depth === 1) return `<h1 id="${anchor}">${html}</h1>\n`;
    const link = `<a class="anchor" href="#${anchor}" aria-label="Link to “${escaped(text)}”">#</a>`;
    return `<h${depth} id="${anchor}">${html} ${link}</h${depth}>\n`;
  }

  override code(token: Tokens.Code): string {
    const blocks = (this.#groups.get(token) ?? [token]).map(({ text, lang = "" }) => ({
      language: lang,
      text: addressed(text, this.#address),
    }));
    const [block] = blocks;
    return block !== undefined && blocks.length === 1 ? codeBlock(block) : programs(blocks);
  }

  /** A link to a file that is not served becomes its text. */
  override link({ href, tokens }: Tokens.Link): string {
    const target = this.#hrefOf(href);
    const html = this.parser.parseInline(tokens);
    return target === undefined ? html : `<a href="${escaped(target)}">${html}</a>`;
  }

  override image({ href, text }: Tokens.Image): string {
    return `<img src="${escaped(this.#hrefOf(href) ?? href)}" alt="${escaped(text)}" loading="lazy">`;
  }

  /** A wide table scrolls within itself, also with the keyboard. */
  override table(token: Tokens.Table): string {
    const name = escaped(this.headings.at(-1)?.text ?? "");
    return `<div class="table" role="group" tabindex="0" aria-label="Table: ${name}">${super.table(token)}</div>\n`;
  }

  override tablecell({ tokens, header, align }: Tokens.TableCell): string {
    const html = this.parser.parseInline(tokens);
    // An empty cell is not a header.
    const name = header && html !== "" ? "th" : "td";
    return `<${name}${align === "right" ? ' class="number"' : ""}>${html}</${name}>`;
  }
}

function plain(tokens: Token[]): string {
  return tokens
    .map((token) => ("tokens" in token && token.tokens ? plain(token.tokens) : "text" in token ? token.text : " "))
    .join("")
    .replace(/\s+/g, " ");
}

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
<html lang="en" data-root="${escaped(ownRoot(address))}" data-deployment="${address.deployment}" data-other="${escaped(otherBaseUrl(address))}">
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
${address.hasAccount ? '<a class="account-link" href="/account">Account</a>\n' : ""}</header>
<div class="frame">
<nav id="navigation" aria-label="All pages" popover>
${sections.map((section) => sectionList(section, entry)).join("")}</nav>
<div class="middle">
${outline(rendered.headings)}<main id="content" tabindex="-1">
${rendered.html}</main>
${neighbours(entry, sections)}<footer>
<a href="${markdownPathOf(entry)}">This page as Markdown</a>
<a href="/llms.txt">All pages for language models</a>
<a href="/llms-full.txt">in one file</a>
<a href="/docs/changelog.atom">Changes as a feed</a>
${address.hasAccount ? '<a class="account-link" href="/account">Your account</a>\n' : ""}</footer>
</div>
</div>
</body>
</html>
`;
}

/** A page of the reference with the data of its form, which the script of the page builds in front of the response. */
export function withForm(html: string, form: RequestForm): string {
  const place = `<section class="request" data-form="${escaped(JSON.stringify(form))}"></section>\n`;
  return html.replace('<h2 id="response">', (heading) => place + heading);
}

/** The page of a key, which its script fills. `docs` describes the operations behind it. */
export function accountPage(docs: Entry): Rendered {
  const summary = "What your API key may do, what it has used, and which of its requests were refused.";
  const html = `<h1>Your account</h1>
<p>${summary} Paste the key: it stays in the memory of this page until you leave or reload it, is stored nowhere and goes to this service alone.</p>
<noscript><p>This page needs JavaScript. Without it, call <code>GET /v1/key</code>, <code>GET /v1/usage</code> and <code>GET /v1/key/requests</code>: <a href="${docs.path}">${escaped(docs.title)}</a> describes them.</p></noscript>
<section id="account"></section>
`;
  return { title: "Your account", summary, html, headings: [] };
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
