import { lexer, Parser, Renderer, type Token, type Tokens } from "marked";
import { codeBlock } from "./code.ts";
import { escaped } from "./escaped.ts";

export type Heading = { depth: number; anchor: string; text: string };

/** A page rendered from Markdown. `summary` is its first paragraph without markup. */
export type Rendered = { title: string; summary: string; html: string; headings: Heading[] };

/** Returns the URL of a link, which is relative to its file; undefined if its target is not served. */
export type HrefOf = (target: string) => string | undefined;

export function render(markdown: string, hrefOf: HrefOf): Rendered {
  const tokens = lexer(markdown);
  const renderer = new PageRenderer(hrefOf);
  const html = new Parser({ renderer }).parse(tokens);
  const paragraph = tokens.find((token) => token.type === "paragraph");
  const { headings } = renderer;
  return { title: headings[0]?.text ?? "", summary: plain(paragraph === undefined ? [] : [paragraph]), html, headings };
}

/** Renders one page and collects its headings. */
class PageRenderer extends Renderer {
  readonly headings: Heading[] = [];
  readonly #hrefOf: HrefOf;

  constructor(hrefOf: HrefOf) {
    super();
    this.#hrefOf = hrefOf;
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    const text = plain(tokens);
    const anchor = this.#anchorOf(text);
    this.headings.push({ depth, anchor, text });
    const html = this.parser.parseInline(tokens);
    if (depth === 1) return `<h1 id="${anchor}">${html}</h1>\n`;
    const link = `<a class="anchor" href="#${anchor}" aria-label="Link to “${escaped(text)}”">#</a>`;
    return `<h${depth} id="${anchor}">${html} ${link}</h${depth}>\n`;
  }

  override code({ text, lang = "" }: Tokens.Code): string {
    return codeBlock(text, lang);
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

  /** As on GitHub, a repeated heading gets a number. */
  #anchorOf(text: string): string {
    const anchor = anchorOf(text);
    const before = this.headings.filter((heading) => anchorOf(heading.text) === anchor).length;
    return before === 0 ? anchor : `${anchor}-${before}`;
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

function plain(tokens: Token[]): string {
  return tokens
    .map((token) => ("tokens" in token && token.tokens ? plain(token.tokens) : "text" in token ? token.text : " "))
    .join("")
    .replace(/\s+/g, " ");
}
