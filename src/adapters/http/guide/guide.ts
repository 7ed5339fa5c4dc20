import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { posix } from "node:path";
import { toJson } from "../../../domain/json.ts";
import { openApiDocument } from "../document.ts";
import { mediaTypeOf } from "../site.ts";
import { guideFiles } from "../site-files.ts";
import {
  type Address,
  CONTENTS,
  type Entry,
  entriesOf,
  forOperators,
  markdownPathOf,
  ownRoot,
  type Section,
  sectionsIn,
} from "./contents.ts";
import { httpFile, postmanCollection } from "./downloads.ts";
import { accountPage, anchorOf, layOut, type Rendered, render, withForm } from "./pages.ts";
import { feedOf, plainMarkdown, searchIndex, versionsIn } from "./plain.ts";
import { contentsOf, type ReferencePage, referencePages } from "./reference.ts";

/** A file of the guide as it is served. Browsers may keep it if its URL changes with its content. */
type Served = { type: string; body: string | Uint8Array<ArrayBuffer>; isVersioned: boolean };

const MARKDOWN = "text/markdown; charset=utf-8";
const ATOM = "application/atom+xml; charset=utf-8";
const PLAIN = "text/plain; charset=utf-8";

/** All requests of the reference as a file for other programs, by its path. */
const DOWNLOADS: Record<string, typeof httpFile | undefined> = {
  "/docs/petstore.postman_collection.json": postmanCollection,
  "/docs/petstore.http": httpFile,
};

const CHANGELOG = "CHANGELOG.md";
/** The page of a key, and the page of the documentation in whose frame it is; its script loads there alone. */
const ACCOUNT = { path: "/account", file: "docs/your-key.md", script: "/docs/account.js" };

/** The reference is in the contents before this. */
const BEHIND_REFERENCE = /^(?=## Run it$)/m;

/**
 * The documentation in docs/ and the reference as a site. Each page is rendered on its first request and cached: the files are
 * part of the program and do not change while it runs.
 */
export class Guide {
  readonly #files = guideFiles();
  readonly #address: Address;
  readonly #sections: Section[];
  /** By the name of the Markdown file that a page has for links to it. */
  readonly #reference: Map<string, ReferencePage>;
  /** By the path of the URL: pages, the same as Markdown, and files that are served as they are. */
  readonly #pages: Map<string, Entry>;
  readonly #sources: Map<string, Entry>;
  readonly #others: Map<string, string>;
  readonly #cache = new Map<string, Served>();

  constructor(address: Address) {
    this.#address = address;
    const reference = referencePages(toJson(openApiDocument(address.baseUrls, address.deployment)));
    this.#reference = new Map(reference.map((page) => [page.file, page]));
    this.#sections = sectionsIn(this.#read(CONTENTS.file));
    const entries = entriesOf(this.#sections);
    this.#pages = new Map(entries.map((entry) => [entry.path, entry]));
    this.#sources = new Map(entries.map((entry) => [markdownPathOf(entry), entry]));
    const others = [...this.#files.keys()].filter((file) => posix.extname(file) !== ".md");
    this.#others = new Map(others.map((file) => [`/docs/${posix.basename(file)}`, file]));
  }

  /** The paths of all pages, in reading order. */
  get paths(): string[] {
    return [...this.#pages.keys()];
  }

  /** Returns the file at this path; undefined if there is none. */
  at(path: string): Served | undefined {
    const known = this.#cache.get(path);
    if (known !== undefined) return known;
    const served = this.#build(path);
    if (served !== undefined) this.#cache.set(path, served);
    return served;
  }

  #build(path: string): Served | undefined {
    const entry = this.#pages.get(path);
    if (entry !== undefined) return { type: mediaTypeOf("page.html"), body: this.#page(entry), isVersioned: false };
    if (path === ACCOUNT.path) return { type: mediaTypeOf("page.html"), body: this.#account(), isVersioned: false };
    const source = this.#sources.get(path);
    if (source !== undefined) return { type: MARKDOWN, body: this.#markdownOf(source.file), isVersioned: false };
    const root = ownRoot(this.#address);
    if (path === "/llms.txt")
      return { type: MARKDOWN, body: this.#markdownOf(CONTENTS.file, root), isVersioned: false };
    if (path === "/llms-full.txt") return { type: MARKDOWN, body: this.#all(root), isVersioned: false };
    if (path === "/docs/changelog.atom") return { type: ATOM, body: this.#feed(root), isVersioned: false };
    const download = DOWNLOADS[path];
    if (download !== undefined) {
      const text = download([...this.#reference.values()], this.#address.baseUrls[this.#address.deployment]);
      return { type: path.endsWith(".json") ? mediaTypeOf(path) : PLAIN, body: text, isVersioned: false };
    }
    if (path === "/docs/search-index.js")
      return { type: mediaTypeOf(path), body: this.#searchIndex(), isVersioned: false };
    const file = this.#others.get(path);
    if (file === undefined) return undefined;
    return { type: mediaTypeOf(file), body: this.#bytesOf(file), isVersioned: true };
  }

  #page(entry: Entry): string {
    const rendered = render(this.#read(entry.file), (target) => this.#hrefOf(target, entry.file), this.#address);
    const form = this.#reference.get(entry.file)?.form;
    if (form !== undefined) rendered.html = withForm(rendered.html, form);
    return this.#laidOut(entry, rendered);
  }

  #account(): string {
    const entry = [...this.#pages.values()].find(({ file }) => file === ACCOUNT.file) ?? CONTENTS;
    return this.#laidOut(entry, accountPage(entry), [ACCOUNT.script]);
  }

  #laidOut(entry: Entry, rendered: Rendered, own: string[] = []): string {
    const scripts = [...this.#versionedAll(".js"), ...own.map((path) => this.#versioned(path))];
    const assets = { styles: this.#versionedAll(".css"), scripts };
    return layOut({ entry, rendered, sections: this.#sections, address: this.#address, assets });
  }

  /** A page as Markdown. Its links lead to pages as Markdown; they begin with `root`. */
  #markdownOf(file: string, root = ""): string {
    const hrefOf = (target: string) => this.#hrefOf(target, file, { pathOf: markdownPathOf, root });
    return plainMarkdown(this.#read(file), hrefOf, this.#address);
  }

  /** All pages as Markdown, in reading order. */
  #all(root: string): string {
    return [...this.#pages.values()].map(({ file }) => this.#markdownOf(file, root)).join("\n");
  }

  #feed(root: string): string {
    const hrefOf = (target: string) => this.#hrefOf(target, CHANGELOG, { root });
    const changelog = plainMarkdown(this.#read(CHANGELOG), hrefOf, this.#address);
    // What is not released yet is as old as the file; within an executable files have no age.
    const { mtimeMs } = statSync(this.#locationOf(CHANGELOG));
    const day = new Date(mtimeMs || Date.now()).toISOString().slice(0, "2026-12-02".length);
    return feedOf(versionsIn(changelog, anchorOf), root, day);
  }

  #searchIndex(): string {
    const entries = [...this.#pages.values()].filter((entry) => entry !== CONTENTS);
    return searchIndex(entries, ({ file }) => this.#reference.get(file)?.search ?? this.#read(file));
  }

  /** Returns the URL of a link in a file; undefined if its target is not served. */
  #hrefOf(target: string, from: string, { pathOf = ({ path }: Entry) => path, root = "" } = {}): string | undefined {
    if (target.startsWith("#") || /^[a-z]+:/.test(target)) return target;
    if (target.startsWith("/")) return root + target;
    const [path = "", anchor] = target.split("#");
    const file = posix.join(posix.dirname(from), path);
    const page = [...this.#pages.values()].find((other) => other.file === file);
    if (page !== undefined) return `${root}${pathOf(page)}${anchor === undefined ? "" : `#${anchor}`}`;
    const other = `/docs/${posix.basename(file)}`;
    return this.#others.get(other) === file ? root + this.#versioned(other) : undefined;
  }

  #versionedAll(extension: string): string[] {
    const shared = [...this.#others.keys()].filter((path) => path.endsWith(extension) && path !== ACCOUNT.script);
    return shared.map((path) => this.#versioned(path));
  }

  /** The path of a file that is not a page, with a hash of its content: browsers may cache it. */
  #versioned(path: string): string {
    const content = this.at(path)?.body ?? "";
    return `${path}?v=${createHash("sha256").update(content).digest("hex").slice(0, 8)}`;
  }

  #read(file: string): string {
    const page = this.#reference.get(file);
    if (page !== undefined) return page.markdown;
    const text = forOperators(Buffer.from(this.#bytesOf(file)).toString(), this.#address);
    return file === CONTENTS.file ? text.replace(BEHIND_REFERENCE, () => contentsOf(this.#reference.values())) : text;
  }

  #bytesOf(file: string): Uint8Array<ArrayBuffer> {
    return new Uint8Array(readFileSync(this.#locationOf(file)));
  }

  #locationOf(file: string): string {
    const path = this.#files.get(file);
    if (path === undefined)
      throw new Error(`${file} is listed in ${CONTENTS.file}, but not in src/adapters/http/site-files.ts`);
    return path;
  }
}
