import { lexer, Parser, Renderer, type Token, type Tokens } from "marked";
import { type Address, addressed } from "./address.ts";
import { Anchors } from "./anchors.ts";
import { codeBlock, programs } from "./code.ts";
import { escaped } from "./escaped.ts";
import { LANGUAGES } from "./examples/languages.ts";

export type Heading = { depth: number; anchor: string; text: string };

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

/** Renders one page and collects its headings. */
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
