import { describe, expect, test } from "bun:test";
import { Guide } from "../../../../src/adapters/http/guide/guide.ts";
import { render } from "../../../../src/adapters/http/guide/pages.ts";
import type { Deployment } from "../../../../src/domain/deployment.ts";
import { inOneLine, read } from "../../../support/markdown.ts";

const baseUrls = { production: "https://pets.example.com/shop/v1", staging: "https://stage.example.com/pets/v1" };
const guideOf = (deployment: Deployment, hasAccount = true) => new Guide({ deployment, baseUrls, hasAccount });
const guide = guideOf("production");
const at = (path: string, from = guide) => String(from.at(path)?.body);
const markdownPathOf = (path: string) => (path === "/docs" ? "/docs/index.md" : `${path}.md`);

const ENTITIES: Record<string, string> = { "&quot;": '"', "&#x27;": "'", "&lt;": "<", "&gt;": ">", "&#39;": "'" };
/** The text of HTML. */
const textOf = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&(?:quot|#x27|lt|gt|#39);/g, (entity) => ENTITIES[entity] ?? entity)
    .replaceAll("&amp;", "&");
const part = (html: string, from: string, to: string) => html.split(from)[1]?.split(to)[0] ?? "";
/** The links in a part of a page: their texts, with where they lead. */
const linksIn = (html: string) =>
  [...html.matchAll(/<a [^>]*?href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/g)].map(([, href, text = ""]) => [
    textOf(text),
    href,
  ]);
const codeOn = (html: string) =>
  [...html.matchAll(/<pre[^>]*><code>([\s\S]*?)<\/code>/g)].map(([, code = ""]) => textOf(code));

describe.each(guide.paths)("%s", (path) => {
  const html = at(path);
  const markdown = at(markdownPathOf(path));

  test("is named in the window and in searches as it begins", () => {
    const title = textOf(
      part(html, "<main", "</h1>")
        .split("<h1")[1]
        ?.replace(/^[^>]*>/, "") ?? "",
    );
    expect(textOf(part(html, "<title>", "</title>"))).toBe(path === "/docs" ? title : `${title} · Petstore`);
    const paragraph = markdown.split(/\n{2,}/).find((one) => !/^(?:[#|<>!-]|```)/.test(one)) ?? "";
    expect(textOf(part(html, 'name="description" content="', '">'))).toBe(inOneLine(paragraph).replaceAll(/[`*]/g, ""));
  });

  test("has at its top and its bottom what the words of the links say", () => {
    const all = { ...Object.fromEntries(linksIn(part(html, "<header>", "</header>"))) };
    expect(all).toEqual({ Petstore: "/docs", Reference: "/docs/reference", Account: "/account" });
    expect(Object.fromEntries(linksIn(part(html, "<footer>", "</footer>")))).toEqual({
      "This page as Markdown": markdownPathOf(path),
      "All pages for language models": "/llms.txt",
      "in one file": "/llms-full.txt",
      "Changes as a feed": "/docs/changelog.atom",
      "Your account": "/account",
    });
    expect(html).toContain('<a class="skip" href="#content">');
    expect(html).toContain('<main id="content"');
  });

  test("has each line of code and of output that its document has", () => {
    const shown = new Set(codeOn(html).flatMap((code) => code.split("\n").map((line) => line.trim())));
    for (const [, language, block = ""] of markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)) {
      // A command of curl is broken into lines, and its programs are looked at elsewhere.
      const output = block.replaceAll(/^\$ (?:[^\\\n]|\\[\s\S])*$/gm, "");
      const lines = (language === "console" ? output : /\bcurl\b/.test(block) ? "" : block).split("\n");
      for (const line of lines.filter((one) => one.trim() !== "")) expect(shown).toContain(line.trim());
    }
  });
});

/** The sections of the contents with their pages, as the document has them. */
const listed = read("docs/README.md")
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    title: section.split("\n")[0] ?? "",
    pages: [...section.matchAll(/^- \[([^\]]+)\]\(/gm)].map(([, title = ""]) => title),
  }));

test("the list of all pages has the sections of the contents, with the reference behind what clients read", () => {
  const sections = part(at("/docs/limits"), '<nav id="navigation"', "</nav>").split(/<p /).slice(1);
  const shown = sections.map((section) => ({
    title: textOf(`<p ${section.split("</p>")[0]}`),
    links: linksIn(section).map(([text]) => text),
  }));
  const [first, ...others] = listed;
  expect(shown.map(({ title }) => title)).toEqual([
    ...[first?.title ?? "", "Reference"],
    ...others.map(({ title }) => title),
  ]);
  for (const { title, pages } of listed)
    expect([title, shown.find((one) => one.title === title)?.links]).toEqual([title, pages]);
});

test("the links to the previous and the next page have the names of these pages", () => {
  const titles = new Map(
    linksIn(part(at("/docs"), '<nav id="navigation"', "</nav>")).map(([text, path]) => [path, text]),
  );
  for (const path of guide.paths) {
    const nav = part(at(path), '<nav class="neighbours"', "</nav>");
    for (const [text = "", href = ""] of linksIn(nav)) {
      const isNext = guide.paths.indexOf(href) > guide.paths.indexOf(path);
      const title = href === "/docs" ? "Contents" : titles.get(href);
      expect([path, text]).toEqual([path, `${isNext ? "Next" : "Previous"} ${title}`]);
    }
  }
});

test("/llms-full.txt has each page as a whole, in the order of the contents", () => {
  const whole = at("/llms-full.txt");
  const titles = guide.paths.map((path) => at(markdownPathOf(path)).split("\n")[0] ?? "");
  expect(whole.length).toBeGreaterThan(guide.paths.reduce((sum, path) => sum + at(markdownPathOf(path)).length, 0));
  let end = 0;
  for (const title of titles) {
    const start = whole.indexOf(`${title}\n`, end);
    expect([title, start >= end]).toEqual([title, true]);
    end = start + 1;
  }
});

test("only the theme runs before the page is there, and only the page of a key has its script", () => {
  for (const path of ["/docs", "/docs/limits", "/account"]) {
    const scripts = [...at(path).matchAll(/<script src="\/docs\/([\w-]+)\.js[^"]*"( type="module")?>/g)];
    expect(scripts.filter(([, , type]) => type === undefined).map(([, name]) => name)).toEqual(["theme"]);
    expect(scripts.map(([, name]) => name).includes("account")).toBe(path === "/account");
  }
  expect(at("/docs", guideOf("production", false))).not.toContain("/account");
});

describe.each(["production", "staging"] as const)("on %s the examples call", (deployment) => {
  const own = guideOf(deployment);
  const root = baseUrls[deployment].replace(/\/v1$/, "");

  test("this service, by the client too, and staging where they are about it", () => {
    let clients = 0;
    for (const path of own.paths) {
      const blocks = [...at(markdownPathOf(path), own).matchAll(/^```\w+\n[\s\S]*?^```/gm)].map(([block]) => block);
      const html = at(path, own);
      for (const code of [...blocks, ...codeOn(html)]) {
        expect([path, code.match(/http:\/\/127\.0\.0\.1:80[89]0/)?.[0]]).toEqual([path, undefined]);
        for (const [, options = ""] of code.matchAll(/new PetstoreClient\(\{([^}]*…[^}]*)\}/g)) {
          const [, address] = /\bbaseUrl: "([^"]*)"/.exec(options) ?? [];
          expect([path, address?.startsWith(root) || address?.startsWith("https://stage.")]).toEqual([path, true]);
          clients += 1;
        }
      }
    }
    expect(clients).toBeGreaterThan(50);
    expect(at("/docs/client.md", own)).toContain(`baseUrl: "${root}/v1"`);
    for (const path of ["/docs/rehearsal.md", "/docs/rehearsal"])
      expect(textOf(at(path, own))).toContain(`${baseUrls.staging}/pets`);
  });

  test("it under an address that the script of the page knows, with that of the other deployment", () => {
    const other = baseUrls[deployment === "staging" ? "production" : "staging"];
    const known = `data-root="${root}" data-deployment="${deployment}" data-other="${other}"`;
    for (const path of ["/docs", "/docs/limits", "/account"]) expect(at(path, own)).toContain(known);
  });
});

test("a session has each command, whole, and below it what it prints, in its colours", () => {
  const document = `# T\n\n\`\`\`console
$ petstore keys create \\
    --name shop
{"id": 1}
{"id": 2}
$ petstore check
$ curl -i http://127.0.0.1:8080/readyz | head -1
HTTP/1.1 200 OK
Content-Type: text/plain
$ petstore version
1.0.0
\`\`\`\n`;
  const { html } = render(document, (target) => target, { deployment: "production", baseUrls });
  const blocks = [...html.matchAll(/<div class="code( output)?"[^>]*><pre[^>]*><code>([\s\S]*?)<\/code>/g)];
  expect(blocks.map(([, output, code = ""]) => [output === " output", textOf(code)])).toEqual([
    [false, "petstore keys create \\\n    --name shop"],
    [true, '{"id": 1}\n{"id": 2}'],
    [false, "petstore check"],
    [false, "curl -i https://pets.example.com/shop/readyz | head -1"],
    [true, "HTTP/1.1 200 OK\nContent-Type: text/plain"],
    [false, "petstore version"],
    [true, "1.0.0"],
  ]);
  const [, json = "", , , http = ""] = blocks.map(([, , code = ""]) => code);
  expect(json).toContain("hljs-attr");
  expect(http).toContain("hljs-attribute");
});

test("each language of programs has its colours", () => {
  for (const [language, code] of Object.entries({
    ...{ sh: "for i in 1; do echo $i; done", ts: 'const a = "b";', js: 'const a = "b";', python: 'print("a")' },
    ...{ go: "func main() {}", java: "class A {}", php: "<?php echo 1;", ruby: "def a; end", rust: "fn main() {}" },
    ...{ http: "GET / HTTP/1.1", json: '{"a": 1}', ini: "[a]\nb = 1" },
  })) {
    const document = `# T\n\n\`\`\`${language}\n${code}\n\`\`\`\n`;
    const { html } = render(document, (target) => target, { deployment: "production", baseUrls });
    expect([language, html.includes("hljs-")]).toEqual([language, true]);
  }
});
