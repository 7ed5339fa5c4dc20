import { posix } from "node:path";
import { type Deployment, rootOf } from "../../../domain/deployment.ts";

/** A page of the guide: the path of its Markdown file in the project, and the path of its URL. */
export type Entry = { file: string; path: string; title: string };
/** A heading of the contents with its pages. `page` is the page that introduces them: the one with the same title. */
export type Section = { title: string; page: Entry | undefined; entries: Entry[] };

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

/**
 * docs/limits.md is served at /docs/limits, CHANGELOG.md at /docs/changelog, client/README.md at /docs/client, and a page of the
 * reference below it.
 */
function pathOf(file: string): string {
  const { dir, name } = posix.parse(file);
  if (dir === "docs/reference") return `/docs/reference/${name}`;
  const word = name === "README" && dir !== "" ? posix.basename(dir) : name;
  return `/docs/${word.toLowerCase()}`;
}

export function markdownPathOf({ path }: Entry): string {
  return path === CONTENTS.path ? "/docs/index.md" : `${path}.md`;
}

/**
 * Where clients call this service: its deployment, and the base addresses of both, which end in /v1. `command`: how its
 * operators run the program, if not as in a checkout. `adminPort`: where they reach its administration listener, if not on
 * the port of the examples. `hasAccount`: whether there is the page of a key.
 */
export type Address = {
  deployment: Deployment;
  baseUrls: Record<Deployment, string>;
  command?: string | undefined;
  adminPort?: () => number;
  hasAccount?: boolean;
};

/** What the examples in the documents contain: a local production service, the key that it prints, and staging beside it. */
const SHOWN = { root: "http://127.0.0.1:8080", key: "pets_live_…", staging: "http://127.0.0.1:8090" };
/** A request to its administration listener, and the tunnel to it. */
const SHOWN_ADMIN = /(?<=http:\/\/127\.0\.0\.1:)8081(?=\/admin)|(?<=ssh -L )8081(:127\.0\.0\.1:)8081/g;
const SHOWN_COMMAND = /(PETSTORE_DEPLOYMENT=staging )?npx --no petstore /g;
const CHECKOUT = "npx --no petstore";

/** The address of the service, without /v1. */
export function ownRoot({ deployment, baseUrls }: Address): string {
  return rootOf(baseUrls[deployment]);
}

export function otherBaseUrl({ deployment, baseUrls }: Address): string {
  return baseUrls[deployment === "staging" ? "production" : "staging"];
}

/** A document with the commands as operators of this service run them, on staging with its name, and with its own listener. */
export function forOperators(text: string, { deployment, command = CHECKOUT, adminPort }: Address): string {
  const own = deployment === "staging" ? "PETSTORE_DEPLOYMENT=staging " : "";
  const named = text.replaceAll(SHOWN_COMMAND, (_, staging = "") => `${own || staging}${command} `);
  if (adminPort === undefined) return named;
  return named.replaceAll(SHOWN_ADMIN, (_, between) => [adminPort(), between, between && adminPort()].join(""));
}

/** An example with the address of this service, and the form of its keys. */
export function addressed(code: string, address: Address): string {
  const key = address.deployment === "staging" ? "pets_stag_…" : SHOWN.key;
  return withBaseUrl(code)
    .replaceAll(SHOWN.staging, rootOf(address.baseUrls.staging))
    .replaceAll(SHOWN.root, ownRoot(address))
    .replaceAll(SHOWN.key, key);
}

/** Options of the client, by themselves in braces or each on a line. */
const OPTIONS = /\{ (?<key>apiKey: "pets_live_…"),? ?(?<others>[^}]*?) \}/g;
const OPTION = /^(?<indent> +)apiKey: "pets_live_…",$/gm;

/** A program with the client, which in the documents calls the service on the reader's machine, with the address that it calls. */
function withBaseUrl(code: string): string {
  const option = `baseUrl: "${SHOWN.root}/v1",`;
  if (code.includes(option.slice(0, -1))) return code;
  return code
    .replace(OPTION, `$&\n$<indent>${option}`)
    .replace(OPTIONS, (_all, key: string, others: string) =>
      ["{", `  ${key},`, `  ${option}`, ...(others === "" ? [] : [`  ${others},`]), "}"].join("\n"),
    );
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes a text for HTML, between tags or in double quotes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
