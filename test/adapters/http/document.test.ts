import { expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { AuditFilterQuery } from "../../../src/adapters/http/admin/operations/audit.ts";
import { openApiDocument } from "../../../src/adapters/http/document.ts";
import { time } from "../../../src/adapters/http/parameters.ts";
import { toJson } from "../../../src/domain/json.ts";
import { useService } from "../../support/use-service.ts";

const service = useService();

type Json = { [name: string]: unknown };
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

const document = JSON.parse(
  toJson(openApiDocument({ production: "https://a.example/v1", staging: "https://b.example/v1" })),
);

/** Every object in the document with its place, from the outside in. */
function* objectsIn(value: unknown, place = ""): Generator<[string, Json]> {
  if (!isObject(value)) return;
  yield [place, value];
  for (const [name, part] of Object.entries(value)) yield* objectsIn(part, `${place}/${name}`);
}

/** What distinguishes an object or an enumeration from others: its fields, with those that are required, or its values. */
function formOf({ properties, required = [], enum: values }: Json): string | undefined {
  if (Array.isArray(values)) return JSON.stringify(values);
  return isObject(properties) ? `${Object.keys(properties)} ${required}` : undefined;
}

test("no schema is a copy of a named one", () => {
  const named = new Map<string | undefined, string>();
  for (const [name, schema] of Object.entries<Json>(document.components.schemas)) {
    if (formOf(schema) !== undefined) named.set(formOf(schema), `/components/schemas/${name}`);
  }
  expect([...named.values()]).toContain("/components/schemas/PetStatus");
  const copies = [...objectsIn(document)].filter(([place, schema]) => {
    const name = named.get(formOf(schema));
    return name !== undefined && name !== place;
  });
  expect(copies.map(([place]) => place)).toEqual([]);
});

test("every object and enumeration has a name, so that generators make one type for it", () => {
  const nameless = [...objectsIn(document)].filter(
    ([place, { type, enum: values }]) =>
      (type === "object" || (type === "string" && Array.isArray(values))) &&
      !/^\/components\/(schemas\/\w+|headers\/\w+\/schema)$/.test(place),
  );
  expect(nameless.map(([place]) => place)).toEqual([]);
});

test("a pet without a status is available, in the document too", () => {
  expect(document.components.schemas.NewPet.properties.status).toEqual({
    $ref: "#/components/schemas/PetStatus",
    default: "available",
  });
});

test("the 403 of each operation names its scope", () => {
  const messageOf = (path: string, method: string) =>
    document.paths[path][method].responses[403].content["application/json"].examples.insufficient_scope.value.message;
  expect(messageOf("/pets", "get")).toContain("the scope pets:read.");
  expect(messageOf("/pets/{petId}", "get")).toContain("the scope pets:read.");
  expect(messageOf("/pets", "post")).toContain("the scope pets:write.");
});

test("the deployment that serves the document comes first in it, with its own documentation", async () => {
  const baseUrls = { production: "https://a.example/v1", staging: "https://b.example/v1" };
  const shown = openApiDocument(baseUrls, "staging");
  expect(shown.servers).toEqual([
    { url: "https://b.example/v1", description: "Staging" },
    { url: "https://a.example/v1", description: "Production" },
  ]);
  expect([shown.info.contact?.url, shown.externalDocs?.url]).toEqual(Array(2).fill("https://b.example/docs"));
  expect(shown.info.description).toContain("(https://b.example/docs)");
  expect(document.servers.map(({ url }: Json) => url)).toEqual(["https://a.example/v1", "https://b.example/v1"]);
  expect((await administrationDocument()).servers[0].url).toBe("/admin/v1");
});

test("the document has contact, and no part that is empty", () => {
  expect(document.info.contact).toEqual({ name: "Pet Store Service", url: "https://a.example/docs" });
  const empty = [...objectsIn(document)].filter(([, value]) => Object.keys(value).length === 0);
  // The scopes of a bearer scheme, and the headers of the runtime's own response.
  expect([...new Set(empty.map(([place]) => place.replace(/.*\//, "")))]).toEqual(["apiKey", "headers"]);
});

type Parameter = { name: string; description?: string };
type Media = { schema: Json; example?: unknown; examples?: Record<string, { value: unknown }> };
type Body = { description?: string; headers?: Json; content?: Record<string, Media> };
type Described = {
  operationId: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: Body;
  responses: Record<string, Body>;
  tags: string[];
};

const operationsOf = (paths: Record<string, Record<string, Described>>) =>
  Object.values(paths).flatMap((path) => Object.values(path));
const administrationDocument = async () => (await fetch(`${service.adminUrl}/admin/openapi.json`)).json();

const DOCUMENTS = [
  ["public", async () => document],
  ["administration", administrationDocument],
] as const;

test.each(DOCUMENTS)("in the %s document every operation, parameter, body and answer is described", async (_, read) => {
  const { paths } = await read();
  const missing = operationsOf(paths).flatMap(
    ({ operationId, description, parameters = [], requestBody, responses }) => [
      ...(description ? [] : [operationId]),
      ...parameters.filter((one) => !one.description).map(({ name }) => `${operationId}: ${name}`),
      ...(requestBody?.description === "" ? [`${operationId}: body`] : []),
      ...Object.entries(responses).flatMap(([status, answer]) =>
        answer.description ? [] : [`${operationId}: ${status}`],
      ),
    ],
  );
  expect(missing).toEqual([]);
});

test.each(DOCUMENTS)("in the %s document every tag of an operation is described, and no other", async (_, read) => {
  const { paths, tags } = await read();
  const used = new Set(operationsOf(paths).flatMap((operation) => operation.tags));
  expect(new Set(tags.map(({ name }: { name: string }) => name))).toEqual(used);
});

test.each(DOCUMENTS)("in the %s document each body has examples, which its schema allows", async (_, read) => {
  const { paths, components } = await read();
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: "document", components });
  const examplesOf = ({ schema, example, examples }: Media): unknown[] => {
    if (example !== undefined) return [example];
    if (examples !== undefined) return Object.values(examples).map(({ value }) => value);
    return components.schemas[String(schema.$ref).split("/").at(-1) ?? ""]?.examples ?? [];
  };
  const problemsOf = (media: Media) => {
    const examples = examplesOf(media);
    const validate = ajv.compile(JSON.parse(JSON.stringify(media.schema).replaceAll('"#/', '"document#/')));
    return examples.length === 0 ? ["no example"] : examples.flatMap((one) => (validate(one) ? [] : [validate.errors]));
  };
  const problems = operationsOf(paths).flatMap(({ operationId, requestBody, responses }) =>
    Object.entries({ request: requestBody ?? {}, ...responses }).flatMap(([name, { content = {} }]) =>
      Object.values(content).flatMap((media) => problemsOf(media).map((problem) => [operationId, name, problem])),
    ),
  );
  expect(problems).toEqual([]);
});

test.each(DOCUMENTS)(
  "in the %s document each pattern is a regular expression, without the slashes of a literal",
  async (_, read) => {
    const patterns = [...objectsIn(await read())].flatMap(([place, { pattern }]) =>
      typeof pattern === "string" ? [[place, pattern] as const] : [],
    );
    expect(patterns.length).toBeGreaterThan(0);
    for (const [place, pattern] of patterns) {
      expect(() => new RegExp(pattern, "u")).not.toThrow();
      expect([place, pattern]).toEqual([place, expect.not.stringMatching(/^\/|\/[a-z]*$/)]);
    }
  },
);

test("the filters of the audit log have the same form in the document as in the service", () => {
  const { operator } = AuditFilterQuery.shape;
  const { pattern = "" } = operator.meta() ?? {};
  const isFilter = new RegExp(String(pattern), "u");
  for (const text of [
    "",
    "Ada",
    "a b",
    "x".repeat(100),
    "x".repeat(101),
    "🐶".repeat(100),
    "a\u0000",
    "\u007f",
    "\u009f",
    "a\n",
  ]) {
    expect([text, isFilter.test(text)]).toEqual([text, operator.safeParse(text).success]);
  }
});

test("times have the same form in the documents as in the service", () => {
  const { pattern = "" } = time.meta() ?? {};
  const isTime = new RegExp(String(pattern), "u");
  for (const text of [
    ...["2026-12-02T10:00:00Z", "2026-12-02T10:00:00.123456789Z", "2026-12-02T10:00:00+05:30", "2026-12-02T10:00:00"],
    ...["2026-12-02t10:00:00z", "2026-12-02 10:00:00Z", "2026-12-02T10:00Z", "2026-12-02T10:00:60Z", "2026-12-02"],
    ...["2026-12-02T10:00:00+24:00", "2026-12-02T10:00:00+0100", "2026-12-02T24:00:00Z", "2026-12-02T10:00:00.Z", ""],
  ]) {
    expect([text, isTime.test(text)]).toEqual([text, time.safeParse(text).success]);
  }
});

test("each addition to version 1.0.0 is marked as such, and no operation of that version", () => {
  const operations: Json[] = operationsOf(document.paths);
  const original = operations.filter((operation) => operation["x-addition-to"] === undefined);
  expect(original.map(({ operationId }) => operationId)).toEqual(["listPets", "createPet", "getPet"]);
  for (const operation of operations.filter((one) => !original.includes(one)))
    expect(operation["x-addition-to"]).toBe("1.0.0");
});

test("a 304 has the headers of the 200, with the link to the next page", () => {
  const reads = operationsOf(document.paths).filter(({ responses }) => responses[304] !== undefined);
  for (const { operationId, responses } of reads) {
    expect([operationId, responses[304]?.headers]).toEqual([operationId, responses[200]?.headers]);
  }
  const pages = reads.filter(({ responses }) => responses[304]?.headers?.Link !== undefined);
  expect(pages.map(({ operationId }) => operationId)).toContain("listPets");
});

test("each answer of the public document has a schema with a name", () => {
  const schemas = operationsOf(document.paths).flatMap(({ operationId, responses }) =>
    Object.values(responses).flatMap(({ content = {} }) =>
      Object.values(content).map(({ schema }) => [operationId, schema.$ref]),
    ),
  );
  expect(schemas.length).toBeGreaterThan(100);
  expect(schemas.filter(([, name]) => name === undefined)).toEqual([]);
});
