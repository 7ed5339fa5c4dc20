import { describe, expect, test } from "bun:test";
import { Guide } from "../../../../src/adapters/http/guide/guide.ts";
import { operations } from "../../../../src/adapters/http/operations/index.ts";
import { BASE_URL } from "../../../support/client.ts";
import { states } from "../../../support/markdown.ts";
import { startService } from "../../../support/service.ts";
import { useService } from "../../../support/use-service.ts";

const service = useService();

const { paths } = new Guide({
  deployment: "production",
  baseUrls: { production: BASE_URL, staging: "http://127.0.0.1:8090/v1" },
});
const get = (path: string) => service.anonymous().get(path);
/** The targets of the links on a page. */
const linksIn = (html: string) => [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = ""]) => href);

test("every page has its own path, and each operation a page", () => {
  states("docs/interface.md", "`/docs/reference` | The reference: a page for each operation,");
  expect(paths).toEqual([...new Set(paths)]);
  const pages = paths.filter((path) => path.startsWith("/docs/reference/"));
  expect(pages.map((path) => path.slice("/docs/reference/".length)).sort()).toEqual(
    operations.map(({ id }) => id).sort(),
  );
});

describe.each(paths)("%s", (path) => {
  test("has a policy that allows nothing from elsewhere, and no inline scripts", async () => {
    states("README.md", "Both work without a network.");
    states(
      "SECURITY.md",
      "A content security policy without inline scripts, inline styles or `eval`, with content from the service only, and without framing.",
    );
    states(
      "SECURITY.md",
      "Pages have `X-Content-Type-Options: nosniff`.",
      "`/docs` | A content security policy without inline scripts, inline styles or `eval`, with content from the service only",
    );
    const page = await get(path);
    expect(page.status).toBe(200);
    expect(page.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(page.headers.get("Referrer-Policy")).toBe("no-referrer");
    const policy = page.headers.get("Content-Security-Policy") ?? "";
    expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; ");
    expect(policy).not.toContain("unsafe");
    expect(page.text).not.toMatch(/ style="| on[a-z]+="|<style|<script>/);
  });

  test("has one title, and each anchor once", async () => {
    const { text } = await get(path);
    expect(text.match(/<h1 /g)).toHaveLength(1);
    const anchors = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(anchors).toEqual([...new Set(anchors)]);
  });

  test("has no empty block of code, paragraph or heading", async () => {
    const { text } = await get(path);
    expect(text.match(/<(code|pre|p|h[1-6])( [^>]*)?>\s*<\/\1>/g)).toBeNull();
  });

  test("has an outline with each heading below the title, down to the third level", async () => {
    const { text } = await get(path);
    const headings = [...text.matchAll(/<h[23] id="([^"]*)"/g)].map(([, id]) => `#${id}`);
    const outline = /<nav class="outline"[\s\S]*?<\/nav>/.exec(text)?.[0] ?? "";
    expect(linksIn(outline)).toEqual(headings.length < 2 ? [] : headings);
  });

  test("is marked in the list of all pages, for the eye and the ear, and no other page is", async () => {
    const [list = ""] = /<nav id="navigation"[\s\S]*?<\/nav>/.exec((await get(path)).text) ?? [];
    const marked = [...list.matchAll(/<a href="([^"]*)" aria-current="page">/g)].map(([, href = ""]) => href);
    // The name of the service leads to the first page, which is not in the list.
    expect(marked).toEqual(path === "/docs" ? [] : [path]);
    expect(linksIn(list).filter((link) => link === path)).toEqual(marked);
  });

  test("has of each image the text that the document has", async () => {
    const markdown = (await get(path === "/docs" ? "/docs/index.md" : `${path}.md`)).text;
    const texts = [...markdown.replace(/^```[\s\S]*?^```/gm, "").matchAll(/!\[([^\]]*)\]\(/g)].map(
      ([, text = ""]) => text,
    );
    const main = (await get(path)).text.split("<main")[1] ?? "";
    const images = [...main.matchAll(/<img [^>]*alt="([^"]*)"/g)].map(([, text = ""]) =>
      text.replaceAll("&quot;", '"'),
    );
    expect(images).toEqual(texts);
    expect(texts).not.toContain("");
  });

  test("has no broken links", async () => {
    const { text } = await get(path);
    const own = linksIn(text).filter((href) => !/^[a-z]+:/.test(href));
    expect(own.length).toBeGreaterThan(paths.length);
    for (const href of new Set(own)) {
      const [target = "", anchor] = href.split("#");
      const answer = await get(target === "" ? path : target);
      expect({ href, status: answer.status }).toEqual({ href, status: 200 });
      if (anchor !== undefined) expect(answer.text).toContain(` id="${anchor}"`);
    }
    for (const [, source = ""] of text.matchAll(/ src="([^"]*)"/g)) {
      const answer = await get(source);
      expect({ source, status: answer.status }).toEqual({ source, status: 200 });
      expect(answer.headers.get("Cache-Control")).toBe("public, max-age=86400");
    }
  });
});

test("the reference has of each parameter where it is, whether it is required, its default and its values", async () => {
  type Parameter = { name: string; in: string; required?: boolean; schema: { default?: unknown; enum?: string[] } };
  type Described = { operationId: string; parameters?: Parameter[] };
  const { paths: described } = (await get("/openapi.json")).body;
  const all = Object.values<object>(described).flatMap((methods): Described[] => Object.values(methods));
  for (const { operationId, parameters = [] } of all) {
    const { text } = await get(`/docs/reference/${operationId}.md`);
    for (const { name, in: place, required, schema } of parameters) {
      const row = text.split("\n").find((line) => line.startsWith(`| \`${name}\` | ${place} |`)) ?? "";
      const value = row.split("|")[3] ?? "";
      expect([operationId, name, / required /.test(value)]).toEqual([operationId, name, required === true]);
      expect([name, /default `([^`]*)`/.exec(value)?.[1]]).toEqual([
        name,
        schema.default === undefined ? undefined : String(schema.default),
      ]);
      for (const one of schema.enum ?? []) expect(value).toContain(`\`${one}\``);
    }
  }
});

test("the reference has of each field of a body and a response what its schema allows", async () => {
  type Schema = {
    $ref?: string;
    type?: string | string[];
    format?: string;
    enum?: string[];
    items?: Schema;
    maxLength?: number;
    maxItems?: number;
    maximum?: number;
    minimum?: number;
    description?: string;
    required?: string[];
    properties?: Record<string, Schema>;
  };
  type Body = { content?: Record<string, { schema: Schema }> };
  type Described = { operationId: string; requestBody?: Body; responses: Record<string, Body> };
  const { paths: described, components } = (await get("/openapi.json")).body;
  const resolved = ({ $ref, ...own }: Schema): Schema =>
    $ref === undefined ? own : { ...components.schemas[$ref.replace(/.*\//, "")], ...own };
  /** Nothing that the service stores is so long: a larger bound says nothing. */
  const UNBOUNDED = 16_384;
  /** What the value of a field must say. */
  const partsOf = (schema: Schema): string[] => {
    const { type = [], format, enum: values = [], items, maxLength, maxItems, minimum, maximum } = resolved(schema);
    const largest = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? " or more" : ` to ${maximum}`;
    const types = [type].flat().map((one) => (one === "integer" && format === "int64" ? "int64" : one));
    return [
      ...(values.length > 0 ? values.map((value) => `\`${value}\``) : items === undefined ? types : partsOf(items)),
      ...(format === "date-time" ? ["RFC 3339"] : []),
      ...(maxLength !== undefined && maxLength < UNBOUNDED ? [`${maxLength} characters`] : []),
      ...(maxItems !== undefined && maxItems <= UNBOUNDED ? [`at most ${maxItems}`] : []),
      ...([type].flat().includes("integer") && minimum !== undefined && minimum >= -Number.MAX_SAFE_INTEGER
        ? [`${minimum}${largest}`]
        : []),
    ];
  };
  const all = Object.values<object>(described).flatMap((methods): Described[] => Object.values(methods));
  let seen = 0;
  for (const { operationId, requestBody, responses } of all) {
    const { text } = await get(`/docs/reference/${operationId}.md`);
    const successes = Object.entries(responses).flatMap(([status, response]) => (status < "400" ? [response] : []));
    for (const { content = {} } of [requestBody ?? {}, ...successes]) {
      const [media] = Object.values(content);
      const whole = resolved(media?.schema ?? {});
      const { properties = {}, required = [] } = resolved(whole.items ?? whole);
      const rows = text.split("\n");
      for (const [name, schema] of Object.entries(properties)) {
        if (resolved(schema).description === undefined) continue;
        const wanted = [...partsOf(schema), ...(required.includes(name) ? [] : ["optional"])];
        const values = rows.filter((line) => line.startsWith(`| \`${name}\` | `)).map((row) => row.split("|")[2] ?? "");
        const fits = values.some(
          (value) =>
            wanted.every((part) => value.includes(part)) && value.includes("optional") === wanted.includes("optional"),
        );
        expect([operationId, name, wanted, values, fits]).toEqual([operationId, name, wanted, values, true]);
        seen += 1;
      }
    }
  }
  expect(seen).toBeGreaterThan(100);
});

test("the reference has of each operation each refusal, with its codes and what explains them", async () => {
  type Media = { examples?: Record<string, { value: { code: string; message: string } }> };
  type Described = { operationId: string; responses: Record<string, { content?: Record<string, Media> }> };
  const { paths: described } = (await get("/openapi.json")).body;
  const all = Object.values<object>(described).flatMap((methods): Described[] => Object.values(methods));
  for (const { operationId, responses } of all) {
    const { text } = await get(`/docs/reference/${operationId}`);
    const errors = text.slice(text.indexOf('<h2 id="errors">'));
    const refusals = Object.entries(responses).filter(([status]) => /^[45]/.test(status));
    const shown = [...errors.matchAll(/<summary>(\d+) /g)].map(([, status]) => status);
    expect([operationId, shown]).toEqual([operationId, refusals.map(([status]) => status)]);
    const media = refusals.flatMap(([, { content = {} }]) => Object.values(content));
    for (const { code } of media.flatMap(({ examples = {} }) => Object.values(examples).map(({ value }) => value)))
      expect(linksIn(errors)).toContain(`/docs/errors#${code}`);
  }
});

test("each page but the last links to the next, and each but the first to the previous one", async () => {
  for (const [i, path] of paths.entries()) {
    const { text } = await get(path);
    expect(/<a rel="prev" href="([^"]*)"/.exec(text)?.[1]).toBe(paths[i - 1]);
    expect(/<a rel="next" href="([^"]*)"/.exec(text)?.[1]).toBe(paths[i + 1]);
  }
});

test("the documentation link of a deprecated response leads to a page", async () => {
  const { headers } = await (await service.withKey()).get("/v1/pets/1");
  const explained = /<([^>]*)>; rel="deprecation"/.exec(headers.get("Link") ?? "")?.[1] ?? "";
  expect(paths).toContain(new URL(explained).pathname);
});

test("HEAD of a page has no body", async () => {
  const answer = await service.anonymous().request("/docs/limits", { method: "HEAD" });
  expect(answer).toMatchObject({ status: 200, text: "" });
});

test("concurrent first requests are all answered", async () => {
  await using fresh = await startService();
  const answers = await Promise.all(paths.map((path) => fresh.anonymous().get(path)));
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
});
