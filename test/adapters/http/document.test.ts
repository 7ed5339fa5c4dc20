import { expect, test } from "bun:test";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { AuditFilterQuery } from "../../../src/adapters/http/admin/operations/audit.ts";
import { openApiDocument } from "../../../src/adapters/http/document.ts";
import { time } from "../../../src/adapters/http/parameters.ts";
import { toJson } from "../../../src/domain/json.ts";
import { limitsOf } from "../../../src/domain/limits/limits.ts";
import { documentText } from "../../support/document-text.ts";
import { eventually } from "../../support/eventually.ts";
import { expectKept } from "../../support/kept-copy.ts";
import { states } from "../../support/markdown.ts";
import { useKey, useOperator, useService } from "../../support/use-service.ts";

const service = useService();
const { client, key: own } = useKey(service);
const { client: admin } = useOperator(service);

type Json = { [name: string]: unknown };
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

const baseUrls = { production: "https://a.example/v1", staging: "https://b.example/v1" };
const document = JSON.parse(toJson(openApiDocument(baseUrls)));
const stagingDocument = JSON.parse(toJson(openApiDocument(baseUrls, "staging")));

/** Every object in the document with its place, from the outside in. */
function* objectsIn(value: unknown, place = ""): Generator<[string, Json]> {
  if (!isObject(value)) return;
  yield [place, value];
  for (const [name, part] of Object.entries(value)) yield* objectsIn(part, `${place}/${name}`);
}

/**
 * What distinguishes an object or an enumeration from others: its fields, with those that are required and what arrays have, or its
 * values.
 */
function formOf({ properties, required = [], enum: values }: Json): string | undefined {
  if (Array.isArray(values)) return JSON.stringify(values);
  if (!isObject(properties)) return undefined;
  const items = Object.values<Json>(properties as { [name: string]: Json }).map((field) => (field.items as Json)?.$ref);
  return `${Object.keys(properties)} ${required} ${items}`;
}

/**
 * What validators, generated forms and agents rely on and `client/src/schema.ts` leaves out: bounds, patterns, formats, forms of
 * parameters, scopes.
 */
test("the bounds and forms of the document are as they were agreed on", () => {
  const isKept = (name: string) => !/^(summary|description|tags|examples?|[45]\d\d|contact|license)$/.test(name);
  const { components, paths } = stagingDocument;
  expectKept(join(import.meta.dir, "document.txt"), documentText({ ...components, paths }, isKept));
});

/** What `client/src/schema.ts` leaves out of the texts: of the document itself, of headers, and of answers that have no code. */
test("the texts of the document are as they were agreed on", () => {
  const { info, tags, externalDocs, servers, components, paths } = stagingDocument;
  const ofPart = (part: unknown) => String((part as Json).description);
  const headers = Object.entries(components.headers).map(([name, header]) => [name, { description: ofPart(header) }]);
  const answers = operationsOf(paths).flatMap(({ operationId, responses }) =>
    Object.entries(responses)
      .filter(([status]) => /^[23]|^(404|410|431|500)$/.test(status))
      .map(([status, answer]) => [`${operationId} ${status}`, { description: ofPart(answer) }]),
  );
  const simulate = operationsOf(paths)[0]?.parameters?.find(({ name }) => name === "Petstore-Simulate");
  const texts = {
    info: { title: info.title, description: info.description },
    ...{ tags, externalDocs, servers, simulate: { description: simulate?.description } },
    ...{ headers: Object.fromEntries(headers), answers: Object.fromEntries(answers) },
    scheme: { description: components.securitySchemes.apiKey.description },
  };
  expectKept(
    join(import.meta.dir, "document-texts.txt"),
    documentText(texts, () => true),
  );
});

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
  states(
    "docs/run-it.md",
    "Put a proxy with TLS in front, and set the public address. The examples of this documentation then show it.",
  );
  states("docs/running.md", "Set both base addresses on each deployment: the documents of both name them.");
  states(
    "docs/rehearsal.md",
    "Only the document of staging has both headers. Programs that send what a document allows, such as fuzzers, would rehearse otherwise: give them that of production.",
  );
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

type Parameter = { name: string; description?: string; schema: Json };
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
  ["staging", async () => stagingDocument],
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

test.each(DOCUMENTS)("in the %s document each number of 64 bits is an integer with bounds", async (_, read) => {
  const wrong: unknown[] = [];
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { format, type, minimum, maximum }: Json = Object(value);
    const isInteger = [type].flat().includes("integer");
    if (format === "int64" && !(isInteger && minimum !== undefined && maximum !== undefined)) wrong.push(value);
    Object.values(value).forEach(look);
  };
  look(await read());
  expect(wrong).toEqual([]);
});

test.each([
  [{}, true],
  [{ owner: null, note: null, expiresAt: null }, true],
  [{ owner: { name: "Ada" } }, true],
  [{ owner: { name: null, email: "ada@example.org" } }, true],
  [{ owner: {} }, false],
  [{ owner: { name: null, email: null } }, false],
  [{ owner: { email: null } }, false],
  [{ owner: { email: `${"a".repeat(251)}@b.c` } }, false],
])("the document allows the change %j of a key if the service does: %p", async (change, isAllowed) => {
  const { components } = await administrationDocument();
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "document", components });
  expect(ajv.validate({ $ref: "document#/components/schemas/KeyChange" }, change)).toBe(isAllowed);
  for (const type of ["application/json", "application/merge-patch+json"]) {
    const { status } = await admin.request(`/admin/v1/keys/${own.id}`, {
      method: "PATCH",
      headers: { "Content-Type": type },
      body: JSON.stringify(change),
    });
    expect(status).toBe(isAllowed ? 200 : 400);
  }
});

test("texts of the administration document have the bounds that hold for them, as parameters do", async () => {
  const { paths, components } = await administrationDocument();
  const { Key, TopKey, Caller, PastRequest, IssuedKey, PetPage, RequestPage, UsageByPlan, UsageSeries } =
    components.schemas;
  expect([Key.properties.name, Key.properties.note, Key.properties.lastFour].map((text) => text.maxLength)).toEqual([
    100, 500, 4,
  ]);
  for (const { owner } of [Key.properties, TopKey.properties, Caller.properties]) {
    expect(owner.properties).toMatchObject({ name: { maxLength: 100 }, email: { maxLength: 254 } });
  }
  expect(PastRequest.properties).toMatchObject({ path: { maxLength: 200 }, requestId: { maxLength: 128 } });
  const { id, secret } = await service.createKey();
  expect(IssuedKey.properties.secret.maxLength).toBe(secret.length);
  expect(Key.properties.id.maxLength).toBeGreaterThanOrEqual(id.length);
  const lists = [PetPage.properties.pets, RequestPage.properties.requests, UsageByPlan.properties.plans];
  expect(lists.map((list) => list.maxItems)).toEqual([100, 200, 5]);
  expect(UsageSeries.properties.points.maxItems).toBe(1_500);
  const open = Object.values<Record<string, Described>>(paths).flatMap((path) =>
    Object.values(path).flatMap(({ operationId, parameters = [] }) =>
      parameters
        .filter(({ schema }) => schema.type === "string" && !(schema.maxLength ?? schema.format ?? schema.enum))
        .map(({ name }) => `${operationId}: ${name}`),
    ),
  );
  expect(open).toEqual([]);
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
  "in the %s document the limits of a key in an example are those of its plan, and what remains of one is the rest",
  async (_, read) => {
    const objects = [...objectsIn(await read())].map(([, one]) => one);
    const windows = objects.filter(({ limit, used }) => typeof limit === "number" && typeof used === "number");
    expect(windows.filter(({ limit, used, remaining }) => Number(limit) - Number(used) !== remaining)).toEqual([]);
    const keys = objects.filter(({ plan, limits, day, usage }) => typeof plan === "string" && (limits ?? day ?? usage));
    expect([windows, keys]).not.toContainEqual([]);
    for (const key of keys) {
      const { minute, day } = (key.usage ?? key) as { minute?: { limit: number }; day?: { limit: number } };
      const counted = minute && day && { perMinute: minute.limit, perDay: day.limit };
      const limits = [key.limits, counted].filter((one) => one !== undefined);
      expect({ ...key, limits }).toEqual({ ...key, limits: limits.map(() => limitsOf[key.plan as "free"]) });
    }
  },
);

type Schemas = Record<string, Json>;

/** The request bodies in JSON of a document: how to send one, its schema, and its example. */
async function bodiesIn(name: (typeof DOCUMENTS)[number][0], read: () => Promise<Json>) {
  const { paths, components } = (await read()) as {
    paths: Record<string, Record<string, Described>>;
    components: Json;
  };
  const schemas = components.schemas as Schemas;
  const [caller, root] = name === "administration" ? [admin, "/admin/v1"] : [client, "/v1"];
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, requestBody }]) => {
      const media = Object.entries(requestBody?.content ?? {}).find(([type]) => type.endsWith("json"));
      // A token that does not exist is refused as such, also one that is too long.
      if (media === undefined || operationId === "signIn") return [];
      const [type, { schema, example }] = media;
      const named = schemas[String(schema.$ref).split("/").at(-1) ?? ""];
      const send = async (body: unknown) =>
        caller.request(root + path.replace("/keys/{id}", `/keys/${own.id}`).replaceAll(/\{\w+\}/g, "4711"), {
          method: method.toUpperCase(),
          headers: { "Content-Type": type },
          body: JSON.stringify(body),
        });
      return [{ operationId, schema, schemas, example: example ?? (named?.examples as unknown[])?.[0], send }];
    }),
  );
}

/** The texts in a schema that have a longest length, with their place. */
function textsIn(schema: Json, schemas: Schemas, place: string[] = []): { place: string[]; schema: Json }[] {
  const { $ref, anyOf, oneOf, allOf, properties = {}, type, maxLength } = schema;
  const parts = [anyOf, oneOf, allOf].flatMap((some) => (Array.isArray(some) ? (some as Json[]) : []));
  const named = schemas[String($ref).split("/").at(-1) ?? ""];
  return [
    ...[...parts, ...(named === undefined ? [] : [named])].flatMap((part) => textsIn(part, schemas, place)),
    ...Object.entries(properties as Schemas).flatMap(([name, part]) => textsIn(part, schemas, [...place, name])),
    ...([type].flat().includes("string") && maxLength !== undefined ? [{ place, schema }] : []),
  ];
}

/** The value with this text at this place. */
const withText = (value: Json, [name = "", ...inner]: string[], text: string): Json => ({
  ...value,
  [name]: inner.length === 0 ? text : withText((value[name] ?? {}) as Json, inner, text),
});

/** A text of this length that has the form of the schema; undefined if only a few have it. */
function textOf({ format, pattern, examples }: Json, length: number): string | undefined {
  const [example] = (examples ?? []) as string[];
  const [begin, end] =
    format === "email" ? ["", "@example.org"] : [example?.startsWith("https:") ? `${example}/` : "", ""];
  const text = begin + "a".repeat(length - begin.length - end.length) + end;
  const isOther = /^(date-time|uuid)$/.test(String(format));
  return isOther || (pattern !== undefined && !new RegExp(String(pattern), "u").test(text)) ? undefined : text;
}

test.each([DOCUMENTS[0], DOCUMENTS[2]])(
  "the service of the %s document takes the example of each body, and each text in it up to its longest length",
  async (name, read) => {
    const bodies = await bodiesIn(name, read);
    let texts = 0;
    for (const { operationId, schema, schemas, example, send } of bodies) {
      const { status, body } = await send(example);
      expect([operationId, status === 400 && body]).toEqual([operationId, false]);
      for (const { place, schema: text } of textsIn(schema, schemas)) {
        const isRefused = async (length: number) => {
          const value = textOf(text, length);
          if (value === undefined) return undefined;
          const { status, body: answer } = await send(withText(example as Json, place, value));
          if (status >= 300 && status !== 400) return undefined;
          return ((answer?.details ?? []) as { field: string }[]).some(({ field }) => field === place.join("."));
        };
        const longest = Number(text.maxLength);
        const refused = [await isRefused(longest), await isRefused(longest + 1)];
        if (refused.includes(undefined)) continue;
        texts += 1;
        expect([operationId, place, refused]).toEqual([operationId, place, [false, true]]);
      }
    }
    expect(bodies.length).toBeGreaterThan(5);
    expect(texts).toBeGreaterThan(name === "administration" ? 8 : 1);
  },
);

test.each(DOCUMENTS.slice(0, 2))(
  "in the %s document the example of a change has what the example of its body says",
  async (_, read) => {
    const { paths, components } = await read();
    const exampleIn = ({ schema, example }: Media) =>
      example ?? components.schemas[String(schema.$ref).split("/").at(-1) ?? ""]?.examples?.[0];
    for (const path of Object.values<Record<string, Described>>(paths)) {
      const { operationId, requestBody, responses } = path.patch ?? {};
      const mediaOf = (one: Body | undefined) => Object.values(one?.content ?? {})[0];
      const [body, changed] = [mediaOf(requestBody), mediaOf(responses?.[200])];
      if (body === undefined || changed === undefined) continue;
      expect([operationId, exampleIn(changed)]).toMatchObject([operationId, exampleIn(body)]);
    }
  },
);

test("an example of a header of a deprecated operation is what it sends, and a Unix timestamp has the unit of its description", async () => {
  const { headers } = await (await service.withKey()).get("/v1/pets/1");
  const described: Record<string, { description: string; example?: string | number }> = document.components.headers;
  for (const name of ["Deprecation", "Sunset"]) expect(headers.get(name)).toBe(String(described[name]?.example));
  const units: Record<string, number> = { seconds: 1_000, milliseconds: 1 };
  const stamps = Object.entries(described).filter(([, { description }]) => description.includes("Unix timestamp"));
  expect(stamps.map(([name]) => name)).toEqual(["XRateLimitReset"]);
  for (const [, { description, example }] of stamps) {
    const unit = units[/Unix timestamp in (\w+)/.exec(description)?.[1] ?? ""] ?? Number.NaN;
    for (const value of [example, headers.get("X-RateLimit-Reset")])
      expect(new Date(Number(value) * unit).getUTCFullYear()).toBeWithin(2020, 2100);
  }
});

/**
 * What ECMA-262 (with and without `u`), PCRE (with and without /u), RE2, Java, .NET, Ruby, Rust and Python read the same: ASCII
 * letters and digits, classes of printable ASCII without escapes, set operations and negation, groups, and quantifiers.
 */
const QUANTIFIER = String.raw`(?:\{\d+(?:,\d*)?\}|[?*+])?`;
const PORTABLE = new RegExp(
  String.raw`^\^(?:(?:[A-Za-z0-9_]|\[(?!.*(?:--|&&|~~)[^\]]*\])[\w .~@:+-]+\]|\))${QUANTIFIER}|[(|])+\$$`,
);

test.each([
  "\\d",
  "[\\d]",
  "\\u0000",
  "[^a]",
  "[а-я]",
  "é",
  ".",
  "(?:a)",
  "(?=a)",
  "a*?",
  "a++",
  "\\p{L}",
  "[[:alpha:]]",
  "[a&&b]",
  "[a--b]",
  "\\w",
  "\\x00",
  "\\/",
  "(?i)a",
  "[]a]",
])("a pattern with %s is not one that every language reads the same", (part) =>
  expect(`^${part}$`).not.toMatch(PORTABLE),
);

test.each(DOCUMENTS)("every language reads the patterns of the %s document the same", async (_, read) => {
  const patterns = [...objectsIn(await read())].flatMap(([place, { pattern }]) =>
    typeof pattern === "string" ? [[place, pattern] as const] : [],
  );
  expect(patterns.length).toBeGreaterThan(0);
  for (const [place, pattern] of patterns) expect([place, pattern]).toEqual([place, expect.stringMatching(PORTABLE)]);
});

/** The objects of a part of a document, with those that it refers to. */
function* reachedFrom(part: unknown, whole: Json, seen = new Set<string>()): Generator<[string, Json]> {
  for (const [place, value] of objectsIn(part)) {
    yield [place, value];
    const { $ref } = value;
    if (typeof $ref !== "string" || seen.has($ref)) continue;
    seen.add($ref);
    const [, ...names] = $ref.split("/");
    yield* reachedFrom(
      names.reduce((found: unknown, name) => (isObject(found) ? found[name] : undefined), whole),
      whole,
      seen,
    );
  }
}

test.each(DOCUMENTS)(
  "no answer of the %s document has a pattern: a client must read what the service sends",
  async (_, read) => {
    const whole = await read();
    const answers = operationsOf(whole.paths).flatMap(({ responses }) => [...reachedFrom(responses, whole)]);
    expect(answers.length).toBeGreaterThan(100);
    expect(answers.filter(([, { pattern }]) => typeof pattern === "string")).toEqual([]);
  },
);

test.each(DOCUMENTS)("each schema of the %s document says its format and its bounds", async (_, read) => {
  const missing = [...objectsIn(await read())].flatMap(([place, schema]) => {
    // Files have any size.
    if (/\/examples?\/|\/(text\/csv|application\/(x-ndjson|vnd\.sqlite3))\//.test(`${place}/`)) return [];
    const types = [schema.type].flat();
    const needed = [
      ...(types.includes("integer") ? ["format", "minimum", "maximum"] : []),
      ...(types.includes("number") ? ["format", "minimum"] : []),
      ...(types.includes("array") ? ["items", "maxItems"] : []),
      // The parameters of a request have the bounds that the service holds to.
      ...(types.includes("string") && !("enum" in schema || "format" in schema || place.includes("/parameters/"))
        ? ["maxLength"]
        : []),
    ];
    return needed.filter((keyword) => !(keyword in schema)).map((keyword) => `${place}: ${keyword}`);
  });
  expect(missing).toEqual([]);
});

test.each(DOCUMENTS)("the format of each integer of the %s document holds its bounds", async (_, read) => {
  const integers = [...objectsIn(await read())].filter(([, { type }]) => [type].flat().includes("integer"));
  for (const [place, { format, minimum, maximum }] of integers) {
    const bits = format === "int32" ? 31 : 63;
    expect([place, Number(minimum) >= -(2 ** bits), Number(maximum) <= 2 ** bits - (bits === 31 ? 1 : 0)]).toEqual([
      place,
      true,
      true,
    ]);
    expect([place, Number(minimum) < Number(maximum)]).toEqual([place, true]);
  }
});

test.each(DOCUMENTS)("no value in the %s document is null, at which linters fail", async (_, read) => {
  const nulls = [...objectsIn(await read())].flatMap(([place, value]) =>
    Object.entries(value).flatMap(([name, part]) => (part === null ? [`${place}/${name}`] : [])),
  );
  expect(nulls).toEqual([]);
});

test.each(DOCUMENTS)(
  "what the service refuses as an empty parameter, the %s document does not allow",
  async (name, read) => {
    const whole = await read();
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: "document", components: whole.components });
    const [url, caller, key] = name === "administration" ? ["/admin/v1", admin, own.id] : ["/v1", client, ""];
    const problems: unknown[] = [];
    for (const [path, operations] of Object.entries<Record<string, Described>>(whole.paths)) {
      const parameters: (Parameter & { in: string; schema: Json })[] = JSON.parse(
        JSON.stringify(operations.get?.parameters ?? []),
      );
      for (const { name, in: place, schema } of parameters.filter((one) => one.in === "query")) {
        const answer = await caller.get(`${url}${path.replace("{id}", key)}?${name}=`);
        const isAllowed =
          schema.format !== "date-time" &&
          ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')))("");
        if ((answer.status === 200) !== isAllowed) problems.push([path, place, name, answer.status, schema]);
      }
    }
    expect(problems).toEqual([]);
  },
);

test.each(["", "Ada", "a b", "x".repeat(100), "x".repeat(101), "🐶".repeat(100), "a\u0000", "\u007f", "\u009f", "a\n"])(
  "a filter of the audit log is 1 to 100 characters, without control characters: %p",
  (text) => {
    const { operator } = AuditFilterQuery.shape;
    expect(operator.meta()).toMatchObject({ minLength: 1, maxLength: 100 });
    const isFilter = text !== "" && [...text].length <= 100 && !/[\p{Cc}]/u.test(text);
    expect(operator.safeParse(text).success).toBe(isFilter);
  },
);

test("a time is read in capital letters, with its zone, and without leap seconds", () => {
  expect(time.meta()).toMatchObject({ type: "string", format: "date-time" });
  for (const text of ["2026-12-02T10:00:00Z", "2026-12-02T10:00:00.123456789Z", "2026-12-02T10:00:00+05:30"]) {
    expect([text, time.safeParse(text).success]).toEqual([text, true]);
  }
  for (const text of [
    ...["2026-12-02T10:00:00", "2026-12-02t10:00:00z", "2026-12-02 10:00:00Z", "2026-12-02T10:00:60Z", "2026-12-02"],
    ...["2026-12-02T10:00:00+24:00", "2026-12-02T10:00:00+0100", "2026-12-02T24:00:00Z", "2026-12-02T10:00:00.Z", ""],
  ]) {
    expect([text, time.safeParse(text).success]).toEqual([text, false]);
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

/** Every list in a value with the descriptions in its schema of what it is in, from the outside in, which apply to it. */
function* listsIn(
  value: unknown,
  schema: Json,
  schemas: Schemas,
  said: string[],
  place: string,
): Generator<[string, Json[], string[]]> {
  const form = { ...schemas[String(schema.$ref).split("/").at(-1) ?? ""], ...schema } as Json;
  const about = [...said, String(form.description ?? "")];
  if (Array.isArray(value)) {
    if (isObject(value[0])) yield [place, value, about];
    for (const item of value) yield* listsIn(item, (form.items ?? {}) as Json, schemas, [], `${place}[]`);
    return;
  }
  if (!isObject(value)) return;
  const properties = (form.properties ?? {}) as Schemas;
  for (const [name, part] of Object.entries(value)) {
    yield* listsIn(part, properties[name] ?? {}, schemas, about, place === "" ? name : `${place}.${name}`);
  }
}

test("in the order in which the documents say that a list is, newest or oldest first, it is", async () => {
  for (const name of ["first", "second"]) {
    expect((await client.post("/v1/pets", { name, categoryId: 1 })).status).toBe(201);
    await service.advance({ seconds: 1 });
    await service.createKey();
    await service.withOperator("viewer");
    await admin.post("/admin/v1/webhooks", { url: `https://example.org/${name}`, description: name });
  }
  const compared = new Set<string>();
  for (const [root, caller, { paths, components }] of [
    ["/v1", client, document],
    ["/admin/v1", admin, await administrationDocument()],
  ] as const) {
    for (const [path, { get }] of Object.entries<Record<string, Described>>(paths)) {
      const media = get?.responses[200]?.content?.["application/json"];
      if (get === undefined || media === undefined) continue;
      const { status, body } = await caller.get(root + path.replace("{id}", own.id));
      if (status !== 200) continue;
      for (const [place, list, about] of listsIn(body, media.schema, components.schemas, [get.description ?? ""], "")) {
        // The order by id is that by time. It can be chosen, and an alternative comes after the default.
        const text = about.join(" ").replaceAll(/;? with `order=desc`[^.]*|; or by owner[^.]*/g, "");
        const orders = new Set(
          Array.from(text.matchAll(/(newest|oldest) first/gi), ([, order = ""]) => order.toLowerCase()),
        );
        const times = list.map(({ at, createdAt, startedAt }) => String(at ?? createdAt ?? startedAt));
        const [first = "", last = ""] = [times.at(0), times.at(-1)];
        if (orders.size === 0 || first === last) continue;
        compared.add(`${get.operationId} ${place}`);
        expect({ path, place, orders: [...orders] }).toEqual({
          path,
          place,
          orders: [first < last ? "oldest" : "newest"],
        });
      }
    }
  }
  // The requests of the history are compared if it has been written meanwhile.
  expect([...compared].filter((name) => !name.includes("Requests")).toSorted()).toEqual([
    ...["day", "hour", "live", "month"].map((part) => `getOverview ${part}.points`),
    ...["getOwnKey last30Days", "getUsage last24Hours", "getUsageByPlan plans[].points"],
    ...["getUsageOfAll points", "getUsageOfKey points", "listAuditEntries entries", "listEvents events"],
    ...["listKeys keys", "listOperators operators", "listWebhooks webhooks"],
  ]);
});

test("the filters by time include the times from and to, or not, as the document says", async () => {
  const { paths } = await administrationDocument();
  await client.get("/v1/pets");
  for (const [path, name, things] of [
    ["/audit", "entries", "changes"],
    ["/requests", "requests", "requests"],
  ] as const) {
    const list = async (query: string): Promise<Json[]> => (await admin.get(`/admin/v1${path}?${query}`)).body[name];
    await eventually(async () => (await list("limit=1")).length === 1);
    const [{ at } = {}] = await list("limit=1");
    const includes = async (bound: string) => (await list(`${bound}=${at}&limit=200`)).some((one) => one.at === at);
    const { parameters } = paths[path].get as Described;
    const said = (bound: string) => parameters?.find((one) => one.name === bound)?.description;
    expect(said("from")).toBe(`Only ${things} ${(await includes("from")) ? "at or after" : "after"} this time.`);
    expect(said("to")).toBe(`Only ${things} ${(await includes("to")) ? "at or before" : "before"} this time.`);
  }
});
