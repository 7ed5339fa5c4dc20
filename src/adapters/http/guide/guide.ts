import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { CONTENTS, type Entry, type Section, sectionsIn } from "./contents.ts";
import { guideFiles } from "./files.ts";
import { layOut } from "./layout.ts";
import { render } from "./markdown.ts";

/** A file of the guide as it is served. Pages change with the service; other files have a name of their own when they do. */
export type Served = { type: string; body: string | Uint8Array<ArrayBuffer>; isPage: boolean };

const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml; charset=utf-8",
};

/**
 * The documentation in docs/ as a site. Each page is made when it is asked for and kept: the files are part of the program
 * and do not change while it runs.
 */
export class Guide {
  readonly #files: Map<string, string>;
  readonly #sections: Section[];
  /** By the path that each is served at. */
  readonly #pages: Map<string, Entry>;
  readonly #others: Map<string, string>;
  readonly #made = new Map<string, Served>();

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

  /** What is served at this path; undefined when there is nothing. */
  at(path: string): Served | undefined {
    const known = this.#made.get(path);
    if (known !== undefined) return known;
    const served = this.#make(path);
    if (served !== undefined) this.#made.set(path, served);
    return served;
  }

  #make(path: string): Served | undefined {
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

  /** Where a link leads that stands in the file of `entry`; undefined when that is not served. */
  #hrefOf(target: string, entry: Entry): string | undefined {
    if (target.startsWith("#") || /^[a-z]+:/.test(target)) return target;
    const [path = "", anchor] = target.split("#");
    const file = posix.join(posix.dirname(entry.file), path);
    const page = [...this.#pages.values()].find((other) => other.file === file);
    if (page !== undefined) return anchor === undefined ? page.path : `${page.path}#${anchor}`;
    const other = `/docs/${posix.basename(file)}`;
    return this.#others.get(other) === file ? this.#versioned(other) : undefined;
  }

  /** The path of a file that is not a page, different whenever the file is: it may be kept for long. */
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
