/** The tables of operations, of their fields and of their errors are those of the OpenAPI documents. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { administrationDocument } from "../src/adapters/http/admin/document.ts";
import { openApiDocument } from "../src/adapters/http/document.ts";
import { anchorOf } from "../src/adapters/http/guide/pages.ts";
import { operations } from "../src/adapters/http/operations/index.ts";
import { toJson } from "../src/domain/json.ts";
import { readConfig } from "../src/wiring/config.ts";
import { cellsOf, codesIn, pages as documents, inOneLine, read, tableOf } from "./support/markdown.ts";

const production = readConfig({});

/** The part of a document that a link leads to: to the next heading of this rank. */
function sectionOf(target: string): string {
  const [path = "", anchor] = target.split("#");
  const text = read(join("docs", path === "" ? "interface.md" : path));
  if (anchor === undefined) return text;
  const parts = text.split(/^(?=## )/m);
  return parts.find((part) => anchorOf(/^## (.*)/.exec(part)?.[1] ?? "") === anchor) ?? "";
}

const document = openApiDocument(production.baseUrls);

/** The names of all properties below a part of a document, and the values that a string may have. */
function namesIn(part: unknown, of: Record<string, unknown>, seen = new Set<unknown>()): string[] {
  if (typeof part !== "object" || part === null || seen.has(part)) return [];
  seen.add(part);
  const { $ref, properties, enum: values }: { $ref?: string; properties?: object; enum?: unknown[] } = part;
  return [
    ...Object.keys(properties ?? {}),
    ...(values ?? []).map(String),
    ...($ref === undefined ? [] : namesIn(of[$ref.split("/").at(-1) ?? ""], of, seen)),
    ...Object.entries(part).flatMap(([key, value]) => (/^examples?$/.test(key) ? [] : namesIn(value, of, seen))),
  ];
}

type Property = {
  $ref?: string;
  type?: string;
  format?: string;
  enum?: string[];
  maxItems?: number;
  oneOf?: Property[];
};

/** A schema, or that which it refers to. */
const resolved = ({ $ref, ...its }: Property): Property =>
  Object($ref ? Object(document.components?.schemas)[$ref.split("/").at(-1) ?? ""] : its);

describe.each([
  ["NewPet", "interface.md", "Field | Type | Required"],
  ["Pet", "interface.md", "Field | Type |"],
  ["PetPatch", "changing-pets.md", "Field | Type |"],
  ["Category", "categories.md", "Field | Type |"],
  ["Order", "orders.md", "Field | Type |"],
  ["Error", "errors.md", "Field | Type |"],
  ["Usage", "usage.md", "Field | Type |"],
  ["Event", "events.md", "Field | Type |"],
  ["OwnKey", "your-key.md#read-your-key", "Field | Type |"],
  ["OwnRequest", "your-key.md#list-your-requests", "Field | Type |"],
  ["Rotation", "your-key.md#rotate-your-key", "Field | Type | Required"],
])("the fields of %s in docs/%s", (name, page, head) => {
  const schemas: Record<string, unknown> = { ...document.components?.schemas };
  const schema: { properties: Record<string, Property>; required?: string[] } = Object(schemas[name]);
  const rows = tableOf(sectionOf(page), head);
  const fields = rows.flatMap(([cell = "", type = "", ...cells]) => {
    const [named, types] = [codesIn(cell), type.split(", ")];
    return named.map((field, at) => ({
      field,
      cells: [(named.length > 1 && types[Math.min(at, types.length - 1)]) || type, ...cells],
    }));
  });

  test("are those of the schema", () => {
    // A pet has the fields of a new one, and its id.
    const expected = Object.keys(schema.properties).filter((field) => name !== "Pet" || field === "id");
    const listed = fields.map(({ field }) => field);
    // A row may have several.
    if (listed.length === rows.length) expect(listed).toEqual(expected);
    else expect(listed.toSorted()).toEqual(expected.toSorted());
  });

  test.each(rows.map(([cell = "", type = ""]) => ({ cell, type })))("$cell: $type, null or not", ({ cell, type }) => {
    const named = codesIn(cell);
    // One type for all names of the row, or one for each.
    const types = named.length > 1 && type.includes(", ") ? type.split(", ") : [type.replace(/, on .*/, "")];
    if (types.length > 1) expect(types).toHaveLength(named.length);
    for (const [at, text] of types.entries()) {
      const properties = (types.length > 1 ? named.slice(at, at + 1) : named).map(
        (one) => schema.properties[one] ?? {},
      );
      const mayBeNull = properties.some(({ type: kind, oneOf = [] }) =>
        [kind, ...oneOf.map((one) => one.type)].flat().includes("null"),
      );
      expect([text, / or `?null`?$/.test(text)]).toEqual([text, mayBeNull]);
      const [, length] = / of (\d+)/.exec(text) ?? [];
      if (length !== undefined) expect(properties.map(({ maxItems }) => maxItems)).toEqual([Number(length)]);
    }
  });

  test.each(fields)("$field, with its type and its values", ({ field, cells: [type = "", ...cells] }) => {
    const property = schema.properties[field] ?? {};
    const { type: kind, format, enum: values } = resolved(property);
    const types = [kind, `${kind} (${format})`, property.$ref?.split("/").at(-1)].flat();
    if (kind !== undefined) expect(types).toContain(type.split(/ or |,| of /)[0]);
    // What is null once, or until something happens.
    const all = toJson([property, schemas[property.$ref?.split("/").at(-1) ?? ""] ?? null]);
    if (/`null`(?! is refused)/.test(cells.join(" ")))
      expect([field, all]).toEqual([field, expect.stringMatching(/"null"/)]);
    if (cells.length > 1) expect(cells[0]).toBe(schema.required?.includes(field) ? "yes" : "no");
    const words = codesIn(cells.join(" ")).filter((word) => /^[\w.-]+$/.test(word));
    // "The same for `category`" stands for all types of its events.
    const group = (word: string) => values?.filter((value) => value.startsWith(`${word}.`)) ?? [];
    const stated = words.flatMap((word) => (group(word).length > 0 ? group(word) : word));
    const known = [...namesIn(schema, schemas), "null", "4xx", "other", "X-Request-Id"];
    expect(stated.filter((word) => !known.includes(word))).toEqual([]);
    if (values !== undefined && words.length > 2) expect(stated.toSorted()).toEqual(values.toSorted());
  });
});
const links = new Map(
  [...read("docs/interface.md").matchAll(/^\| \[(\w+)\]\(([^)]+)\)/gm)].map(([, id = "", target = ""]) => [id, target]),
);

test("a page names the scopes of its operations, and no others", () => {
  const found = new Map<string, string[]>();
  for (const { id, scope } of operations) {
    const page = /^[\w-]+\.md/.exec(links.get(id) ?? "")?.[0];
    if (page !== undefined && scope !== undefined) found.set(page, [...(found.get(page) ?? []), scope]);
  }
  expect(found.size).toBeGreaterThan(3);
  for (const [page, scopes] of found) {
    const named = [...read(`docs/${page}`).matchAll(/`(\w+:(?:read|write))`/g)].map(([, scope = ""]) => scope);
    if (named.length > 0)
      expect([page, [...new Set(named)].toSorted()]).toEqual([page, [...new Set(scopes)].toSorted()]);
  }
});

describe.each(operations.map(({ id, method, path }) => ({ id, method, path })))(
  "the section of $id",
  ({ id, method, path }) => {
    const section = sectionOf(links.get(id) ?? "?");
    const described = document.paths?.[path]?.[method];

    test("has every status that the document has, with its codes, and no other", () => {
      const rows = [...tableOf(section, "Status", "Body", "When"), ...tableOf(section, "Status", "Body")];
      const stated = rows.flatMap(([statuses = ""]) => statuses.split(", ").map(Number));
      const several = [...links.values()].filter((target) => target === links.get(id)).length > 1;
      const expected = Object.keys(described?.responses ?? {}).map(Number);
      expect(expected.filter((status) => !stated.includes(status))).toEqual([]);
      if (!several) expect(stated.filter((status) => !expected.includes(status))).toEqual([]);
      for (const [statuses = "", body = ""] of rows) {
        const codes = codesIn(body);
        if (codes.length === 0) continue;
        const known = statuses.split(", ").flatMap((status) => {
          const content = Object(described?.responses?.[status])?.content?.["application/json"];
          return Object.keys(content?.examples ?? {});
        });
        if (known.length > 0) expect([statuses, codes.toSorted()]).toEqual([statuses, known.toSorted()]);
      }
    });

    test("has the default and the bounds of every query parameter", () => {
      const rows = tableOf(section, "Query parameter", "Type", "Default", "Bounds");
      const parameters = (described?.parameters ?? []).map(Object).filter((one) => one.in === "query");
      // A list and one of its items have one section.
      if (parameters.length === 0) return;
      expect(rows.map(([name = ""]) => codesIn(name)[0]).toSorted()).toEqual(
        parameters.map(({ name }) => name).toSorted(),
      );
      const number = (text = "") => BigInt(text.replace("−", "-"));
      for (const { name, schema } of parameters) {
        const [, type = "", fallback = "", bounds = ""] = rows.find(([cell = ""]) => codesIn(cell)[0] === name) ?? [];
        const { type: kind, format, default: value, enum: values, items, ...its } = Object(resolved(schema));
        expect([name, type]).toEqual([
          name,
          kind === "array"
            ? `${name}, separated by commas`
            : kind === "integer"
              ? `integer${format === "int64" ? " (int64)" : ""}`
              : expect.stringMatching(new RegExp(`^(string|${schema.$ref?.split("/").at(-1)})$`)),
        ]);
        const given = schema.default ?? value;
        const ofList = rows.some(([cell]) => cell === "`ids`") && name === "limit" ? ", or all of `ids`" : "";
        expect([name, fallback]).toEqual([
          name,
          given === undefined ? "none" : `${typeof given === "string" ? `\`${given}\`` : given}${ofList}`,
        ]);
        if (values !== undefined) expect(codesIn(bounds)).toEqual(values);
        const [, least, most] = /^(−?\d+) to (\d+)/.exec(bounds) ?? [];
        const stated = least === undefined ? [] : [number(least), number(most)];
        const known = [
          [its.minimum, its.maximum],
          [its.minLength, its.maxLength],
          [its.minItems, its.maxItems],
        ].find(([bound]) => bound !== undefined);
        if (stated.length > 0) expect([name, ...stated]).toEqual([name, ...(known ?? []).map(BigInt)]);
        // The bounds of all int64.
        const [, from, to] = /each from (−?\d+) to (\d+)/.exec(bounds) ?? [];
        const all = { minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n };
        if (/any int64/.test(bounds)) expect([name, items ?? its]).toMatchObject([name, all]);
        if (from !== undefined) expect([items.minimum, items.maximum].map(BigInt)).toEqual([number(from), number(to)]);
      }
    });

    test("names the body of each answer that is no error, or says that there is none", () => {
      const schemas = Object.keys(document.components?.schemas ?? {});
      const rows = [...tableOf(section, "Status", "Body", "When"), ...tableOf(section, "Status", "Body")];
      const refOf = (its: unknown, status: string) =>
        String(Object(its).responses?.[status]?.content?.["application/json"]?.schema?.$ref ?? "none").replace(
          /.*\//,
          "",
        );
      const together = operations.filter((one) => links.get(one.id) === links.get(id));
      for (const [statuses = "", body = ""] of rows) {
        for (const status of statuses.split(", ")) {
          if (Number(status) >= 400) expect([status, body]).toEqual([status, expect.stringMatching(/^\[?Error\b/)]);
          if (Number(status) >= 400 || described?.responses?.[status] === undefined) continue;
          const ref = refOf(described, status);
          const fields = Object.keys(Object(Object(resolved({ $ref: ref })).properties));
          const isNamed =
            new RegExp(`\\b(${ref}|array of ${ref.replace(/s$/, "")})\\b`).test(body) ||
            (codesIn(body).length > 0 && Bun.deepEquals(codesIn(body), fields));
          expect([status, body, isNamed]).toEqual([status, body, true]);
          const known = together.map((one) => refOf(document.paths?.[one.path]?.[one.method], status));
          const named = (body.match(/\b[A-Z]\w+/g) ?? []).filter((word) => schemas.includes(word));
          expect(named.filter((word) => !known.includes(word) && !known.includes(`${word}s`))).toEqual([]);
        }
      }
    });
  },
);

describe("docs/administration.md on the audit log and on rehearsal has", () => {
  const { paths = {}, components } = administrationDocument("staging");
  const fieldsOf = (schema: string) => Object.keys(Object(Object(components?.schemas)[schema]).properties);
  const fieldsIn = (section: string, head: string) =>
    tableOf(sectionOf(`administration.md#${section}`), head).flatMap(([cell = ""]) => codesIn(cell));

  test.each([
    ["AuditEntry", "the-audit-log", ["id"]],
    ["NewKeySimulation", "rehearsal", []],
  ])("each field of %s", (schema, section, others) =>
    expect([...fieldsIn(section, "Field | Content"), ...others].toSorted()).toEqual(fieldsOf(schema).toSorted()),
  );

  test("each filter", () => {
    const parameters: { name: string }[] = Object(paths["/audit"]).get.parameters;
    const paging = ["before", "limit"];
    const filters = parameters.map(({ name }) => name).filter((name) => !paging.includes(name));
    expect(fieldsIn("the-audit-log", "Filter | Selects").toSorted()).toEqual(filters.toSorted());
  });
});

describe("docs/administration.md has with each call", () => {
  const { paths = {}, components } = administrationDocument("staging");
  const schemas: Record<string, unknown> = { ...components?.schemas };
  const called = tableOf(read("docs/administration.md"), "Call", "Response").map(([call = "", response = ""]) => {
    const targets = codesIn(call).filter((code) => /^[A-Z]+( \/|$)/.test(code));
    // "`GET`, `DELETE /path`" are two calls of one path.
    const path = (code: string, at: number) =>
      code.includes(" ")
        ? code
        : `${code} ${
            targets
              .slice(at)
              .find((one) => one.includes(" "))
              ?.split(" ")[1]
          }`;
    const calls = targets.map(path).map((target) => {
      const [, method = "", at = "", query = ""] = /^(\S+) \/admin\/v1([^?]*)\??(.*)/.exec(target) ?? [];
      const its = Object(Object(paths[at])[method.toLowerCase()]);
      return { name: `${method} ${at}`, query: [...query.matchAll(/(\w+)=/g)].map(([, one = ""]) => one), its };
    });
    return { call, response, calls, fields: codesIn(call).filter((code) => !targets.includes(code)) };
  });

  test("every operation, once", () => {
    const all = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(Object(methods)).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(called.flatMap(({ calls }) => calls.map(({ name }) => name)).toSorted()).toEqual(all.toSorted());
  });

  test.each(called)("$call: its parameters, its fields, and names of its response", ({ response, calls, fields }) => {
    for (const { query, its } of calls) {
      const parameters = (its.parameters ?? []).filter((one: { in: string }) => one.in === "query");
      expect(query.toSorted()).toEqual(parameters.map((one: { name: string }) => one.name).toSorted());
    }
    const bodies = calls
      .flatMap(({ its }) => Object.values(Object(its.requestBody?.content)).slice(0, 1))
      .map((content) => namesIn(Object(content).schema, schemas));
    for (const body of bodies)
      if (fields.length > 0) expect(fields.filter((field) => !body.includes(field))).toEqual([]);
    const known = calls.flatMap(({ its }) => namesIn([its.responses, its.parameters, its.requestBody], schemas));
    const words = codesIn(response)
      .filter((word) => /^[\w.]+$/.test(word))
      .map((word) => word.split(".").at(-1) ?? "");
    const names = [...known, ...calls.flatMap(({ query }) => query), "none", "true", "false", "4xx"];
    expect(words.filter((word) => !names.includes(word))).toEqual([]);
  });
});

/** When an operation answers with a code, as the pages say it beside each operation. */
const WHEN: Partial<Record<string, RegExp>> = {
  category_exists: /another category has this name/i,
  category_in_use: /A pet has this category|Pets have this category/,
  category_not_found: /There is no such category|The path has no int64/,
  idempotency_in_progress: /first request with this (key|`?Idempotency-Key`?) is still being processed/,
  idempotency_key_reused: /`?Idempotency-Key`? was sent with (another (request|pet)|other pets)/,
  invalid_transition: /status (of the pet or of the order )?cannot follow the current one/,
  operation_removed: /The operation was removed/,
  order_not_found: /There is no such order/,
  payload_too_large: /larger than \d+ KiB/,
  pet_not_available: /The pet is pending or sold/,
  pet_not_found: /There is no such pet/,
  pet_reserved: /an order holds the pet/i,
  precondition_failed:
    /has none of the ETags in `If-Match`(, or one of those|, or does not exist; or it has one of those) in `If-None-Match`/,
  unsupported_media_type:
    /of another media type|not `application\/json`, names a charset other than UTF-8|As for one pet/,
};

test.each(documents)("%s says with each code of an answer when it is sent", (name) => {
  const rows = [...read(name).matchAll(/^\| Status \| Body \| When \|\n.*\n((?:\|.*\n)*)/gm)].flatMap(
    ([, lines = ""]) => lines.trim().split("\n").map(cellsOf),
  );
  const wrong = rows.flatMap(([, body = "", when = ""]) =>
    codesIn(body)
      .filter((code) => WHEN[code] !== undefined && !WHEN[code].test(inOneLine(when)))
      .map((code) => `${code}: ${when}`),
  );
  expect(wrong).toEqual([]);
});

/** Words of the cause and of the fix of a code at the listener for operators. */
const CAUSES: Record<string, [cause: RegExp, fix: RegExp]> = {
  invalid_json: [/not valid JSON/, /Correct the body/],
  validation_failed: [/body, or a file of pets, is invalid/, /fields in `details`/],
  invalid_parameter: [/query parameter/, /parameters in `details`/],
  missing_credentials: [/neither a token nor a session/, /Sign in, or send `Authorization/],
  invalid_credentials: [/token does not exist.*session has ended/, /Sign in again/],
  insufficient_role: [/needs an admin/, /Ask an admin/],
  host_not_allowed: [/header `Host` has a name/, /`PETSTORE_ADMIN_HOSTS`/],
  cross_site_request: [/page of another site/, /token instead of the cookie/],
  not_found: [/path does not exist/, /path with this page/],
  method_not_allowed: [/not with this method/, /header `Allow`/],
  invalid_state: [/revoked or expired.*only admin.*production.*backup/, /new key, or another admin.*staging.*backup/],
  invalid_transition: [/cannot follow/, /that the message names/],
  pet_reserved: [/An order holds the pet/, /Deliver or cancel the order/],
  pet_not_available: [/pending or sold/, /another pet/],
  category_exists: [/has this name; case is ignored/, /another name/],
  category_in_use: [/Pets have this category/, /another one first/],
  idempotency_in_progress: [/in progress/, /`Retry-After`/],
  precondition_failed: [/none of the ETags in `If-Match`, or one of those in `If-None-Match`/, /Read it again/],
  payload_too_large: [/larger than/, /smaller/],
  unsupported_media_type: [/media type/, /`Content-Type`, uncompressed/],
  idempotency_key_reused: [/Another request had this/, /new one for each order/],
  rate_limit_exceeded: [/from this address/, /`Retry-After`/],
  request_header_too_large: [/headers together are larger/, /fewer headers/],
  internal_error: [/A bug in the service/, /`X-Request-Id`/],
  service_unavailable: [/database is not available/, /`Retry-After`/],
};

test("docs/administration.md has with each code its own cause and fix", () => {
  const rows = tableOf(read("docs/administration.md"), "Status", "Code", "Cause", "Fix");
  expect(rows.length).toBeGreaterThan(30);
  for (const [, cell = "", cause = "", fix = ""] of rows) {
    const [code = ""] = codesIn(cell);
    const [, thing] = /^(.+)_not_found$/.exec(code) ?? [];
    const [ofCause, ofFix] = CAUSES[code] ?? [
      new RegExp(`(no|No) (${thing}|webhook endpoint)\\b`),
      new RegExp(`list of (${thing}s|${thing?.replace(/y$/, "ies")})|the feed`),
    ];
    expect([code, cause, fix]).toEqual([code, expect.stringMatching(ofCause), expect.stringMatching(ofFix)]);
  }
});
