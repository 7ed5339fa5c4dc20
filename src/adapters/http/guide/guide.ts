import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { CONTENTS, type Entry, type Section, sectionsIn } from "./contents.ts";
import { guideFiles } from "./files.ts";
import { layOut } from "./layout.ts";
import { render } from "./markdown.ts";

/** A file of the guide as it is served. The URL of a file that is not a page changes with its content. */
export type Served = { type: string; body: string | Uint8Array<ArrayBuffer>; isPage: boolean };

const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml; charset=utf-8",
};

/**
 * The documentation in docs/ as a site. Each page is rendered on its first request and cached: the files are part of the
 * program and do not change while it runs.
 */
export class Guide {
  readonly #files: Map<string, string>;
  readonly #sections: Section[];
  /** By the path of the URL. */
  readonly #pages: Map<string, Entry>;
  readonly #others: Map<string, string>;
  readonly #cache = new Map<string, Served>();

  constructor() {
    this.#files = guideFiles();
    this.#sections = sectionsIn(this.#read(CONTENTS.file));
    const entries = [CONTENTS, ...this.#sections.flatMap((section) => section.entries)];
    this.#pages = new Map(entries.map((entry) => [entry.path, entry]));
    const others = [...this.#files.keys()].filter((file) => posix.extname(file) in TYPES);
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
    if (entry !== undefined) return { type: "text/html; charset=utf-8", body: this.#page(entry), isPage: true };
    const file = this.#others.get(path);
    if (file === undefined) return undefined;
    return { type: TYPES[posix.extname(file)] ?? "", body: this.#bytesOf(file), isPage: false };
  }

  #page(entry: Entry): string {
    const rendered = render(this.#read(entry.file), (target) => this.#hrefOf(target, entry));
    const assets = { style: this.#versioned("/docs/style.css"), script: this.#versioned("/docs/script.js") };
    return layOut({ entry, rendered, sections: this.#sections, assets });
  }

  /** Returns the URL of a link in the file of `entry`; undefined if its target is not served. */
  #hrefOf(target: string, entry: Entry): string | undefined {
    if (target.startsWith("#") || /^[a-z]+:/.test(target)) return target;
    const [path = "", anchor] = target.split("#");
    const file = posix.join(posix.dirname(entry.file), path);
    const page = [...this.#pages.values()].find((other) => other.file === file);
    if (page !== undefined) return anchor === undefined ? page.path : `${page.path}#${anchor}`;
    const other = `/docs/${posix.basename(file)}`;
    return this.#others.get(other) === file ? this.#versioned(other) : undefined;
  }

  /** The path of a file that is not a page, with a hash of its content: browsers may cache it. */
  #versioned(path: string): string {
    const content = this.at(path)?.body ?? "";
    return `${path}?v=${createHash("sha256").update(content).digest("hex").slice(0, 8)}`;
  }

  #read(file: string): string {
    return Buffer.from(this.#bytesOf(file)).toString();
  }

  #bytesOf(file: string): Uint8Array<ArrayBuffer> {
    const path = this.#files.get(file);
    if (path === undefined)
      throw new Error(`${file} is listed in ${CONTENTS.file}, but not in src/adapters/http/guide/files.ts`);
    return new Uint8Array(readFileSync(path));
  }
}
