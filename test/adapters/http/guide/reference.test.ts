import { describe, expect, test } from "bun:test";
import { openApiDocument } from "../../../../src/adapters/http/document.ts";
import { callIn, textOf } from "../../../../src/adapters/http/guide/examples/call.ts";
import { type ReferencePage, referencePages } from "../../../../src/adapters/http/guide/reference.ts";
import { toJson } from "../../../../src/domain/json.ts";
import { BASE_URL } from "../../../support/client.ts";
import { cellsOf, tableOf } from "../../../support/markdown.ts";

type Schema = {
  $ref?: string;
  examples?: unknown[];
  description?: string;
  minLength?: number;
  maxLength?: number;
  items?: Schema;
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
};
type Media = {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: { code: string; message: string } }>;
};
type Described = { description: string; content?: Record<string, Media>; headers?: Record<string, { $ref: string }> };
type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  deprecated?: boolean;
  "x-sunset"?: string;
  parameters?: { name: string; in: string; description: string; schema: Schema }[];
  requestBody?: Described;
  responses: Record<string, Described>;
};

const baseUrls = { production: BASE_URL, staging: "http://127.0.0.1:8090/v1" };
const json = toJson(openApiDocument(baseUrls, "production"));
const document = JSON.parse(json);
const [overview, ...pages] = referencePages(json);
const described = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
);
const all = described.map((operation): [string, typeof operation, ReferencePage] => [
  operation.operationId,
  operation,
  pages.find(({ file }) => file === `docs/reference/${operation.operationId}.md`) as ReferencePage,
]);

const resolved = ({ $ref, ...own }: Schema): Schema =>
  $ref === undefined ? own : { ...document.components.schemas[$ref.split("/").at(-1) ?? ""], ...own };
/** A text as a cell of a table has it, when its row is read. */
const inCell = (text = "") => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ");
const sectionOf = ({ markdown }: ReferencePage, heading: string) =>
  markdown.split(`\n## ${heading}\n`)[1]?.split(/\n## /)[0] ?? "";
const successes = ({ responses }: Operation) => Object.entries(responses).filter(([status]) => status < "400");
/** All fields of a schema that are described, by their paths. */
function fieldsOf(schema: Schema, prefix = ""): [path: string, field: Schema][] {
  const { items, oneOf = [], properties = {} } = resolved(schema);
  const own = Object.entries(properties).flatMap(([name, field]): [string, Schema][] => {
    const path = prefix === "" ? name : `${prefix}.${name}`;
    return resolved(field).description === undefined ? [] : [[path, field], ...fieldsOf(field, path)];
  });
  const inner = items === undefined ? [] : fieldsOf(items, prefix === "" ? "" : `${prefix}[]`);
  return [...inner, ...own, ...oneOf.flatMap((one) => fieldsOf(one, prefix))];
}

test("the overview has each operation below its group, with its call", () => {
  const sections = overview?.markdown.split(/\n## /).slice(1) ?? [];
  const found = sections.flatMap((section) => {
    const [heading = ""] = section.split("\n");
    return tableOf(section, "Operation", "Call").map((cells) => [heading.toLowerCase(), ...cells]);
  });
  const expected = described.map(({ tags: [tag = ""], summary, operationId, method, path }) => [
    ...[tag, `[${summary}](reference/${operationId}.md)`, `\`${method} /v1${path}\``],
  ]);
  expect(found.toSorted()).toEqual(expected.toSorted());
  for (const { name, description } of document.tags)
    expect(sections.find((section) => section.toLowerCase().startsWith(`${name}\n`))).toContain(description);
  expect(overview?.markdown).toContain(document.info.description);
});

describe.each(all)("the page of %s", (_id, operation, page) => {
  const { method, path, summary, description = "", deprecated = false, parameters = [], requestBody } = operation;

  test("begins with its name, its call and what it does, and says whether it ends, and when", () => {
    const [head = ""] = page.markdown.split("\n## ");
    expect(head).toStartWith(`# ${summary}\n\n\`${method} /v1${path}\`\n\n${description}`);
    expect(/Deprecated\.\*\* It is removed on (\S+):/.exec(head)?.[1]).toBe(
      deprecated ? (operation["x-sunset"] ?? "a day") : undefined,
    );
    expect([page.title, page.group, page.call]).toEqual([summary, operation.tags[0] ?? "", `${method} /v1${path}`]);
    for (const text of [summary, description, operation.operationId, `${method} /v1${path}`])
      expect(page.search).toContain(text);
  });

  test("has an example that makes this call with the examples of the document, and its answer", () => {
    const [, command = "", output = ""] =
      /```console\n\$ ((?:[^\\\n]|\\\n)+)\n([\s\S]*?)\n```/.exec(sectionOf(page, "Example")) ?? [];
    const call = callIn(command, output);
    const exampleOf = (schema?: Schema) => resolved(schema ?? {}).examples?.[0];
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
      String(exampleOf(parameters.find((one) => one.name === name)?.schema)),
    );
    expect([call?.method, textOf(call?.url ?? [])]).toEqual([method, `http://127.0.0.1:8080/v1${url}`]);
    const [[type, media] = []] = Object.entries(requestBody?.content ?? {});
    expect(call?.headers.map(([name, value]) => [name, textOf(value) ?? "key"])).toEqual([
      ["Authorization", "key"],
      ...(type === undefined ? [] : [["Content-Type", type]]),
    ]);
    const sent = media?.example ?? exampleOf(media?.schema);
    expect(call?.body === undefined ? undefined : JSON.parse(textOf(call.body) ?? "")).toEqual(sent);
    const [status, response] = successes(operation)[0] ?? [];
    const [answer] = Object.values(response?.content ?? {});
    if (answer === undefined) expect([call?.shows, output]).toEqual(["response", `HTTP/1.1 ${status} No Content`]);
    else expect([call?.shows, JSON.parse(output)]).toEqual(["body", answer.example ?? exampleOf(answer.schema)]);
    expect([page.form?.method, page.form?.path]).toEqual([method, `/v1${path}`]);
    expect(page.form?.body && { ...page.form.body, example: JSON.parse(page.form.body.example) }).toEqual(
      type === undefined ? undefined : { type, example: sent },
    );
    expect(page.form?.parameters.map(({ name, in: place }) => [name, place])).toEqual(
      parameters.map(({ name, in: place }) => [name, place]),
    );
  });

  test("says of each parameter and each field what it means, and how short it may be", () => {
    const rows = tableOf(sectionOf(page, "Parameters"), "Name", "In", "Value", "Meaning");
    expect(rows.map(([name, place, , meaning]) => [name, place, meaning])).toEqual(
      parameters.map((one) => [`\`${one.name}\``, one.in, inCell(one.description)]),
    );
    const bodies = [
      { section: sectionOf(page, "Body"), content: requestBody?.content },
      ...successes(operation).map(([status, { content }]) => ({
        section: sectionOf(page, "Response").split(`\`${status}\`: `)[1] ?? "",
        content,
      })),
    ];
    for (const { section, content = {} } of bodies) {
      const [media] = Object.values(content);
      if (media === undefined) continue;
      const fields = tableOf(section, "Field", "Value", "Meaning");
      const expected = fieldsOf(media.schema);
      expect(fields.map(([name, , meaning]) => [name, meaning])).toEqual(
        expected.map(([name, field]) => [`\`${name}\``, inCell(resolved(field).description)]),
      );
      for (const [at, [name, field]] of expected.entries()) {
        const { minLength = 0, maxLength = Infinity } = resolved(field);
        const bound = minLength > 0 ? `${minLength} to ${maxLength} characters` : `at most ${maxLength} characters`;
        if (maxLength < 16_384) expect([name, fields[at]?.[1]]).toEqual([name, expect.stringContaining(bound)]);
      }
    }
  });

  test("says what its body is, which answers it has with which headers, and what each refusal says", () => {
    if (requestBody !== undefined) {
      const types = Object.keys(requestBody.content ?? {}).map((type) => `\`${type}\``);
      expect(sectionOf(page, "Body")).toContain(
        `${requestBody.description} Its media type is ${types.join(" or ")}.\n`,
      );
    }
    const section = sectionOf(page, "Response");
    const shown = [...section.matchAll(/^`(\d+)`: (.*)$/gm)].map(([, status, text]) => [status, text]);
    expect(shown).toEqual(successes(operation).map(([status, response]) => [status, response.description]));
    const [, response] = successes(operation)[0] ?? [];
    expect(tableOf(section, "Header", "Meaning")).toEqual(
      Object.entries(response?.headers ?? {}).map(([name, { $ref }]) => [
        ...[`\`${name}\``, inCell(document.components.headers[$ref.split("/").at(-1) ?? ""].description)],
      ]),
    );
    const refusals = Object.entries(operation.responses).filter(([status]) => status >= "400");
    const rows = sectionOf(page, "Errors")
      .split("\n")
      .filter((line) => line.startsWith("| [`"))
      .map(cellsOf);
    const media = refusals.flatMap(([, { content = {} }]) => Object.values(content));
    expect(rows).toEqual(
      media.flatMap(({ examples = {} }) =>
        Object.values(examples).map(({ value: { code, message } }) => [
          ...[`[\`${code}\`](../errors.md#${code})`, inCell(message)],
        ]),
      ),
    );
  });
});
