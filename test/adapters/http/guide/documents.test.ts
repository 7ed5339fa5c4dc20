import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { forOperators } from "../../../../src/adapters/http/guide/contents.ts";
import { Guide } from "../../../../src/adapters/http/guide/guide.ts";
import { Anchors, anchorOf } from "../../../../src/adapters/http/guide/pages.ts";
import { feedOf, versionsIn } from "../../../../src/adapters/http/guide/plain.ts";
import type { Deployment } from "../../../../src/domain/deployment.ts";
import { BASE_URL } from "../../../support/client.ts";
import { states } from "../../../support/markdown.ts";
import { useService } from "../../../support/use-service.ts";

const ROOT = join(import.meta.dir, "../../../..");
const service = useService();
const staging = useService({
  env: { PETSTORE_DEPLOYMENT: "staging", PETSTORE_STAGING_BASE_URL: "https://stage.example.com/pets/v1" },
});

const { paths } = new Guide({
  deployment: "production",
  baseUrls: { production: BASE_URL, staging: "http://127.0.0.1:8090/v1" },
});
const markdownPathOf = (path: string) => (path === "/docs" ? "/docs/index.md" : `${path}.md`);
const get = (path: string) => service.anonymous().get(path);
const blocksOf = (markdown: string) => [...markdown.matchAll(/^```[\s\S]*?^```/gm)].join("\n");

test("a command of operators names staging where the document does, and on staging always", () => {
  const shown = "npx --no petstore keys list\nPETSTORE_DEPLOYMENT=staging npx --no petstore serve\n";
  const baseUrls = { production: BASE_URL, staging: "http://127.0.0.1:8090/v1" };
  const commands = (deployment: Deployment) => forOperators(shown, { deployment, baseUrls, command: "petstore" });
  const ofStaging = "PETSTORE_DEPLOYMENT=staging petstore";
  expect(commands("production")).toBe(`petstore keys list\n${ofStaging} serve\n`);
  expect(commands("staging")).toBe(`${ofStaging} keys list\n${ofStaging} serve\n`);
});

describe("as Markdown,", () => {
  test.each(paths)("%s has links that lead somewhere, and is named by its page", async (path) => {
    const own = markdownPathOf(path);
    const { status, headers, text } = await get(own);
    expect(status).toBe(200);
    expect(headers.get("Content-Type")).toBe("text/markdown; charset=utf-8");
    expect(headers.get("Cache-Control")).toBe("no-cache");
    expect(text).toStartWith("# ");
    expect((await get(path)).text).toContain(`<link rel="alternate" href="${own}" type="text/markdown"`);
    const prose = text.replace(/^```[\s\S]*?^```|`[^`\n]*`/gm, "");
    for (const [, target = ""] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?:|#)/.test(target)) continue;
      expect({ target, status: (await get(target.split("#")[0] ?? "")).status }).toEqual({ target, status: 200 });
    }
  });

  test("a page is sent compressed, and only if it has changed", async () => {
    const url = `${service.url}/docs/limits.md`;
    const first = await fetch(url, { headers: { "Accept-Encoding": "br" } });
    expect(first.headers.get("Content-Encoding")).toBe("br");
    const headers = { "Accept-Encoding": "br", "If-None-Match": first.headers.get("ETag") ?? "" };
    expect((await fetch(url, { headers })).status).toBe(304);
  });

  test("what does not exist is 404", async () => {
    for (const path of ["/docs/nothing.md", "/docs/.md", "/docs/index", "/docs/limits.md.md", "/llms.txt/", "/llms"])
      expect({ path, status: (await get(path)).status }).toEqual({ path, status: 404 });
  });
});

test("/llms.txt links to every page as Markdown, with the address of the service", async () => {
  states("docs/README.md", "a list for programs at `/llms.txt`");
  const { status, text } = await get("/llms.txt");
  expect(status).toBe(200);
  expect(text).toStartWith("# Petstore documentation\n");
  const listed = [...text.matchAll(/^- \[[^\]]+\]\((\S+)\): ./gm)].map(([, url]) => url);
  expect(listed).toEqual(paths.slice(1).map((path) => `http://petstore.test${path}.md`));
  expect(text).toContain("curl -s http://petstore.test/openapi.json\n");
});

test("/llms-full.txt has every page as Markdown, with absolute links", async () => {
  states("docs/README.md", "and all pages in one file at `/llms-full.txt`");
  const { status, text } = await get("/llms-full.txt");
  expect(status).toBe(200);
  for (const heading of ["# Limits and bans", "# Backups", "# Add a pet"]) expect(text).toContain(`\n${heading}\n`);
  const targets = [...text.replace(/^```[\s\S]*?^```/gm, "").matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, target = ""]) => target,
  );
  expect(targets.filter((target) => !/^([a-z]+:|#)/.test(target))).toEqual([]);
});

describe("examples show the address of the service that serves them:", () => {
  test.each(paths)("%s on staging", async (path) => {
    states("docs/call-it.md", "Examples call the address under which you read them.");
    const markdown = (await staging.anonymous().get(markdownPathOf(path))).text;
    const html = (await staging.anonymous().get(path)).text;
    const code = [...html.matchAll(/<pre[^>]*><code>[\s\S]*?<\/code>/g)].join("\n").replace(/<[^>]*>/g, "");
    for (const text of [blocksOf(markdown), code]) {
      expect(text).not.toContain("http://127.0.0.1:8080");
      expect(text).not.toContain("pets_live_…");
    }
    for (const text of [markdown, html])
      expect(text).not.toMatch(/http:\/\/127\.0\.0\.1:80[89]1\/admin|ssh -L 80[89]1|-L \d+:127\.0\.0\.1:80[89]1/);
    expect(html).toContain('data-root="https://stage.example.com/pets" data-deployment="staging"');
  });

  test("the port of its administration listener", async () => {
    const { port } = new URL(staging.adminUrl);
    const { text } = await staging.anonymous().get("/docs/administration.md");
    expect(text).toContain(`curl -s http://127.0.0.1:${port}/admin/v1/keys -H`);
    expect(text).toContain(`ssh -L ${port}:127.0.0.1:${port} machine`);
  });

  test("its base address, and the form of its keys", async () => {
    const { text } = await staging.anonymous().get("/docs/quick-start.md");
    expect(text).toContain("curl -s https://stage.example.com/pets/v1/pets -H");
    expect(text).toContain("export KEY=pets_stag_…");
  });
});

describe("the feed of changes", () => {
  test("has an entry for each version in the changelog, with absolute addresses", async () => {
    states("docs/call-it.md", "the site has them as a feed at `/docs/changelog.atom`");
    const { status, headers, text } = await get("/docs/changelog.atom");
    expect(status).toBe(200);
    expect(headers.get("Content-Type")).toBe("application/atom+xml; charset=utf-8");
    const versions = [...readFileSync(join(ROOT, "CHANGELOG.md"), "utf8").matchAll(/^## \[(.+?)\]/gm)];
    expect(text.match(/<entry>/g)).toHaveLength(versions.length);
    for (const [, version = ""] of versions) expect(text).toContain(`<title>${version}</title>`);
    expect(text).toContain(
      '<link rel="self" type="application/atom+xml" href="http://petstore.test/docs/changelog.atom"/>',
    );
    for (const [, href = ""] of text.matchAll(/href=(?:"|&quot;)(.*?)(?:"|&quot;)/g))
      expect(href).toMatch(/^https?:\/\//);
    for (const [, date = ""] of text.matchAll(/<updated>(.*?)<\/updated>/g))
      expect(Date.parse(date)).toBeGreaterThan(Date.UTC(2026));
    const [, anchor = ""] = /<id>http:\/\/petstore\.test\/docs\/changelog#(.*?)<\/id>/.exec(text) ?? [];
    expect((await get("/docs/changelog")).text).toContain(` id="${anchor}"`);
  });

  test.each(["## [Unreleased]\n\n- C\n\n", ""])("has changed when its newest version has: %p", (unreleased) => {
    const changelog = `# Changelog\n\n${unreleased}## [1.1.0] - 2026-12-02\n\n- B\n\n## [1.0.0] - 2026-11-01\n\n- A\n`;
    const feed = feedOf(versionsIn(changelog, anchorOf), "http://petstore.test", "2027-01-05");
    const [own, ...ofEntries] = [...feed.matchAll(/<updated>(.*?)<\/updated>/g)].map(([, at]) => at);
    expect(ofEntries.map((at) => at?.slice(0, 10))).toEqual([
      ...(unreleased === "" ? [] : ["2027-01-05"]),
      ...["2026-12-02", "2026-11-01"],
    ]);
    expect(own).toBe(ofEntries[0]);
    const entries = feed.split("<entry>").slice(1);
    expect(entries.map((entry) => /<title>(.*)<\/title>/.exec(entry)?.[1])).toEqual([
      ...(unreleased === "" ? [] : ["Unreleased"]),
      ...["1.1.0", "1.0.0"],
    ]);
    for (const [at, change] of [...(unreleased === "" ? [] : ["C"]), "B", "A"].entries()) {
      const [id, url] = [/<id>(.*)<\/id>/, /rel="alternate" type="text\/html" href="(.*)"/].map((one) =>
        one.exec(entries[at] ?? "")?.at(1),
      );
      expect([id, entries[at]?.includes(`&lt;li&gt;${change}&lt;/li&gt;`)]).toEqual([url, true]);
    }
  });

  test("dates a version by its heading, and what is not released by none", () => {
    const changelog = "# Changelog\n\nText.\n\n## [Unreleased]\n\n- B\n\n## [1.1.0] - 2026-12-02\n\n### Added\n\n- A\n";
    expect(versionsIn(changelog, anchorOf)).toEqual([
      { title: "Unreleased", day: undefined, anchor: "unreleased", markdown: "- B" },
      { title: "1.1.0", day: "2026-12-02", anchor: "110---2026-12-02", markdown: "### Added\n\n- A" },
    ]);
  });
});

test("what may change under the same address is asked for again, and anything with a hash in its address is kept", async () => {
  const fixed = ["/docs/search-index.js", "/docs/petstore.http", "/docs/petstore.postman_collection.json", "/account"];
  const texts = ["/llms.txt", "/llms-full.txt", "/docs/changelog.atom"];
  for (const path of [...paths, ...paths.map(markdownPathOf), ...fixed, ...texts])
    expect([path, (await get(path)).headers.get("Cache-Control")]).toEqual([path, "no-cache"]);
  const { text } = await get("/account");
  const hashed = [...text.matchAll(/ (?:src|href)="([^"]*\?v=[0-9a-f]{8})"/g)].map(([, path = ""]) => path);
  expect(hashed.length).toBeGreaterThan(5);
  for (const path of hashed)
    expect([path, (await get(path)).headers.get("Cache-Control")]).toEqual([path, "public, max-age=86400"]);
});

test("the search index has every heading of every page but the contents, under its anchor", async () => {
  const { text, headers } = await get("/docs/search-index.js");
  expect(headers.get("Content-Type")).toBe("text/javascript; charset=utf-8");
  const passages: [string, string, string, string][] = JSON.parse(text.slice("export default ".length, -2));
  const urls = new Set(passages.map(([url]) => url));
  expect(urls.size).toBe(passages.length);
  for (const path of paths.slice(1)) {
    const page = (await get(path)).text;
    // The sections of all operations have the same headings: the search has such a page as one passage.
    const headings = path.startsWith("/docs/reference") ? [] : [...page.matchAll(/<h[234] id="([^"]*)"/g)];
    const anchors = headings.map(([, anchor]) => `${path}#${anchor}`);
    expect([...urls].filter((url) => url.startsWith(`${path}#`)).sort()).toEqual(anchors.sort());
    expect(urls.has(path)).toBe(true);
  }
  expect(passages.find(([url]) => url === "/docs/limits#how-to-wait")?.[3]).toContain("Retry-After");
});

test("a repeated heading has an anchor of its own, as on GitHub", () => {
  const anchors = new Anchors();
  const headings = ["How to wait", "`pet_reserved`", "How to wait", "How to wait"];
  expect(headings.map((heading) => anchors.of(heading))).toEqual([
    "how-to-wait",
    "pet_reserved",
    "how-to-wait-1",
    "how-to-wait-2",
  ]);
});
