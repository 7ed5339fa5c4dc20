import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { administrationDocument } from "../src/adapters/http/admin/document.ts";
import { clientAddress, parseRanges } from "../src/adapters/http/client-address.ts";
import { openApiDocument } from "../src/adapters/http/document.ts";
import { anchorOf } from "../src/adapters/http/guide/pages.ts";
import { type Malformation, malformedResponse } from "../src/adapters/http/malformed.ts";
import { operations } from "../src/adapters/http/operations/index.ts";
import { statusOf } from "../src/adapters/http/responses.ts";
import { Metrics } from "../src/adapters/prometheus/metrics.ts";
import { kinds } from "../src/adapters/sql/retention.ts";
import { petstoreCommand } from "../src/commands/petstore.ts";
import type { AlertType } from "../src/domain/alerts.ts";
import { type ErrorCode, errorCatalogue } from "../src/domain/errors.ts";
import { toJson } from "../src/domain/json.ts";
import { defaultScopes, scopes } from "../src/domain/keys/key.ts";
import { checksumOf, formOf } from "../src/domain/keys/secret.ts";
import { limitsOf, plans } from "../src/domain/limits/limits.ts";
import { identityOf } from "../src/domain/operators.ts";
import { readSimulation } from "../src/domain/simulation.ts";
import { orderTransitions, petTransitions } from "../src/domain/transitions.ts";
import { deliveryOf, type Endpoint } from "../src/domain/webhooks.ts";
import { NEEDED_NODE } from "../src/testing/needed-runtime.ts";
import { readConfig, variables } from "../src/wiring/config.ts";
import { cellsOf, codesIn, pages as documents, ROOT, read } from "./support/markdown.ts";

/** The cells of the rows below the head of the table in this text that begins so. */
function tableOf(text: string, ...head: string[]): string[][] {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${head.join(" | ")} |`));
  if (start === -1) return [];
  const end = lines.findIndex((line, at) => at > start && !line.startsWith("|"));
  return lines.slice(start + 2, end === -1 ? undefined : end).map(cellsOf);
}

/** The part of a document that a link leads to: to the next heading of this rank. */
function sectionOf(target: string): string {
  const [path = "", anchor] = target.split("#");
  const text = read(join("docs", path === "" ? "interface.md" : path));
  if (anchor === undefined) return text;
  const parts = text.split(/^(?=## )/m);
  return parts.find((part) => anchorOf(/^## (.*)/.exec(part)?.[1] ?? "") === anchor) ?? "";
}

const filesIn = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`);

/** A value as it stands in a table: one word, with or without the signs of code. */
const valueIn = (cell: string) => /^`?([\w./-]+)`?$/.exec(cell)?.[1];
const production = readConfig({});
const staging = readConfig({ PETSTORE_DEPLOYMENT: "staging" });

test.each(documents)("%s has no row twice in a table, and no word twice in a list of words of code", (name) => {
  const twice: string[] = [];
  let before: string[] = [];
  for (const line of read(name).split("\n")) {
    const [first = "", ...others] = line.startsWith("|") ? line.split(/(?<!\\)\|/).slice(1, -1) : [];
    // Statuses have several codes.
    if (before.includes(first) && !/^ \d{3} $/.test(first)) twice.push(first);
    before = line.startsWith("|") ? [...before, first] : [];
    for (const [list] of [first, ...others].join("|").matchAll(/`[^`]+`(?:, `[^`]+`)*(?:,? (?:and|or) `[^`]+`)?/g)) {
      const words = codesIn(list);
      if (new Set(words).size < words.length) twice.push(list);
    }
  }
  expect(twice).toEqual([]);
});

test.each(documents)("%s puts before an error code no status of another code", (name) => {
  const statuses = new Map(
    (Object.keys(errorCatalogue) as ErrorCode[]).map((code): [string, number] => [code, statusOf(code)]),
  );
  // What is no request is 408 or 505, which no code has.
  const known = new Set(statuses.values());
  const wrong = [...read(name).matchAll(/(?<!, )\b([1-5]\d\d)(?: \| Error,)? \[?`([a-z_]+)`/g)].filter(
    ([, status, code = ""]) => known.has(Number(status)) && (statuses.get(code) ?? Number(status)) !== Number(status),
  );
  expect(wrong.map(([text]) => text)).toEqual([]);
});

test("a table of settings names settings, and each address in the documents is one of this or an example", () => {
  const names = [...variables.map(({ name }) => name), "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];
  const { port, admin } = production;
  // Grafana, Prometheus, a collector, and the proxy of an example.
  const ports = [port, admin?.port, staging.port, staging.admin?.port, 3000, 9090, 4318, 5000].map(String);
  for (const name of documents) {
    const text = read(name);
    for (const [setting = ""] of [...tableOf(text, "Setting"), ...tableOf(text, "Variable")]) {
      expect(codesIn(setting).filter((code) => !names.includes(code))).toEqual([]);
    }
    const addresses = [...text.matchAll(/\b(\d+)\.\d+\.\d+\.\d+(?::(\d+))?\b/g)];
    const others = addresses.filter(
      ([address, first = "", at]) =>
        !/^(0|10|127\.0\.0\.1|192|198|203)\b/.test(address) ||
        (first === "127" && at !== undefined && !ports.includes(at)),
    );
    expect(others.map(([address]) => address)).toEqual([]);
  }
});

test("a setting has the same default on each page", () => {
  const defaultIn = (rows: string[][]) =>
    rows.map(([setting = "", value = ""]) => [codesIn(setting)[0], valueIn(value)] as const);
  const all = new Map(defaultIn(tableOf(read("docs/settings.md"), "Variable", "Default")));
  const others = documents.flatMap((name) => defaultIn(tableOf(read(name), "Setting", "Default")));
  expect(others.length).toBeGreaterThan(3);
  for (const [setting, value] of others)
    if (value !== undefined && all.get(setting) !== undefined)
      expect([setting, value]).toEqual([setting, all.get(setting)]);
});

test("docs/data.md has beside what is deleted the setting whose text names it", () => {
  const rows = tableOf(read("docs/data.md"), "What is deleted", "Setting");
  const settings = rows.map(([, setting = ""]) => codesIn(setting)[0]);
  expect(new Set(settings)).toEqual(new Set(["PETSTORE_ORDERS_DAYS", "PETSTORE_KEYS_DAYS", "PETSTORE_AUDIT_DAYS"]));
  for (const [what = "", setting = ""] of rows) {
    const [noun = ""] = /audit log|^\w+?(?=s\b)/.exec(what) ?? [];
    const naming = variables.filter(({ name, text }) => /_DAYS$/.test(name) && text?.includes(noun));
    expect([what, ...naming.map(({ name }) => name)]).toEqual([what, codesIn(setting)[0] ?? ""]);
  }
});

test("docs/authentication.md has the form of a key: from its parts, an example becomes one", () => {
  const parts = new Map(
    tableOf(read("docs/authentication.md"), "Part", "Value").map(([part = "", value = ""]) => [part, value]),
  );
  const [live = "", staged = ""] = codesIn(parts.get("Prefix") ?? "");
  const separator = codesIn(parts.get("Separator") ?? "")[0] ?? "";
  const [, length] = /^(\d+) random characters/.exec(parts.get("Secret") ?? "") ?? [];
  const [, digits, rule] =
    /^(\d+) characters: the CRC-32 of everything before it, the separator (\w+),/.exec(parts.get("Checksum") ?? "") ??
    [];
  for (const [prefix, deployment] of [
    [live, "production"],
    [staged, "staging"],
  ] as const) {
    const secret = prefix + "aZ09".repeat(Number(length) / 4);
    const checksum = checksumOf(rule === "included" ? secret + separator : secret);
    expect(checksum).toHaveLength(Number(digits));
    expect(formOf(secret + separator + checksum, deployment)).toBe("genuine");
  }
});

/** The objects in a value, and in what it contains. */
function objectsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inside : [{ ...value }, ...inside];
}

/** Pairs of times of which the first is not after the second. */
const IN_ORDER = [
  ["createdAt", "updatedAt"],
  ["createdAt", "lastUsedAt"],
  ["createdAt", "expiresAt"],
  ["raisedAt", "acknowledgedAt"],
  ["raisedAt", "endedAt"],
  ["from", "to"],
] as const;

/** What of an example contradicts itself: what is left of a window, the parts of a sum, and the order of times. */
function contradictionsIn(example: unknown): object[] {
  const sum = (counts: unknown) =>
    Object.values(counts ?? {}).reduce((total: number, count) => total + Number(count), 0);
  return objectsIn(example).filter(
    ({ limit, used, remaining, requests, byClass, byOperation, minute, day, ...others }) => {
      const time = (name: string) => Date.parse(String(others[name]));
      if (IN_ORDER.some(([first, second]) => time(first) > time(second))) return true;
      // One request opened both windows, unless the one of a minute is another one of this day.
      const [soon, late] = [minute, day].map((one) => Date.parse(Object(one).resetAt));
      if (soon !== undefined && late !== undefined && Number(Object(minute).used) === Number(Object(day).used))
        if (late - soon !== 86_400_000 - 60_000) return true;
      const isWindow = typeof used === "number" && typeof limit === "number";
      if (isWindow && remaining !== limit - used) return true;
      return [byClass, byOperation].some((counts) => counts !== undefined && sum(counts) !== requests);
    },
  );
}

test.each(documents)("no example in JSON in %s contradicts itself", (name) => {
  for (const [, text = ""] of read(name).matchAll(/^```json\n([\s\S]*?)^```$/gm))
    expect(contradictionsIn(JSON.parse(text))).toEqual([]);
});

test("no example in the OpenAPI documents contradicts itself", () => {
  const all = [openApiDocument(production.baseUrls), administrationDocument("production")].map((one) =>
    JSON.parse(toJson(one)),
  );
  const examples = objectsIn(all).flatMap(({ example, examples }) => [example, examples]);
  expect(examples.flatMap(contradictionsIn)).toEqual([]);
});

test("docs/running.md has the defaults of the options of petstore demo", async () => {
  const demo = (await petstoreCommand("demo")).commands.find((command) => command.name() === "demo");
  const rows = tableOf(read("docs/running.md"), "Option", "Default");
  const stated = rows.map(([option = "", value = ""]) => [codesIn(option)[0], valueIn(value)]);
  const options = demo?.options.filter(({ defaultValue }) => defaultValue !== undefined) ?? [];
  expect(options.map(({ long }) => long)).toContainAllValues(["--pets", "--seed"]);
  for (const { long, defaultValue } of options) expect(stated).toContainEqual([long, String(defaultValue)]);
});

test("the OpenAPI documents say which statuses may follow each other", () => {
  const { available, pending, sold } = petTransitions;
  const either = (statuses: readonly string[]) => statuses.join(" or ");
  expect(openApiDocument(production.baseUrls).paths?.["/pets/{petId}"]?.patch?.description).toContain(
    `An available pet can become ${either(available)}, a pending one ${either(pending)}, a sold one ${either(sold)}.`,
  );
  const { placed, approved, ...final } = orderTransitions;
  expect([placed.toSorted(), approved.toSorted(), final]).toEqual([
    ["approved", "cancelled"],
    ["cancelled", "delivered"],
    { delivered: [], cancelled: [] },
  ]);
  const ofClients = openApiDocument(production.baseUrls).paths?.["/store/orders/{orderId}"]?.patch?.description;
  expect(ofClients).toContain("a placed order can become approved, an approved one delivered, and both cancelled.");
  expect(ofClients).toContain("it is sold when its order is delivered, and available when it is cancelled.");
  const ofOperators = administrationDocument("production").paths?.["/orders/{orderId}"]?.patch?.description;
  expect(ofOperators).toContain(
    "A placed order can be approved, an approved one delivered, and both can be cancelled.",
  );
  expect(ofOperators).toContain("A delivered order makes its pet sold, a cancelled one available.");
});

test("docs/errors.md has the answers to what is not valid HTTP, and to a request with a wrong body or method", () => {
  const malformed = (malformation: Malformation) => {
    const { status, body } = malformedResponse(malformation);
    return `${status} \`${JSON.parse(String(body)).code}\``;
  };
  const refused = (code: ErrorCode) => `${statusOf(code)} \`${code}\``;
  const expected: [what: RegExp, answer: string][] = [
    [/^malformed request line or headers/, malformed("syntax")],
    [/^another version of HTTP/, malformed("version")],
    [/^request line and headers over/, malformed("headers")],
    [/^request line and headers that take/, malformed("timeout")],
    [/^unknown method/, refused("method_not_allowed")],
    [/^body that is malformed, incomplete/, refused("invalid_json")],
    [/^file that is imported or uploaded/, refused("validation_failed")],
    [/^body over .* that the operation does not take/, refused("invalid_parameter")],
    [/^trailer fields/, "ignored"],
  ];
  const tables = read("docs/errors.md")
    .split(/^(?=\| What arrives )/m)
    .slice(1);
  const rows = tables.flatMap((text) => tableOf(text, "What arrives", "Answer"));
  expect(rows).toHaveLength(expected.length);
  for (const [at, [what, answer]] of expected.entries()) {
    expect(rows[at]?.[0]).toMatch(what);
    expect(rows[at]?.[1]).toStartWith(answer);
  }
});

test("docs/limits.md has the limits of each plan", () => {
  const rows = tableOf(read("docs/limits.md"), "Plan", "Requests per minute", "Requests per day");
  expect(rows).toEqual(
    plans.map((plan) => {
      const name = plan.replace(/^./, (letter) => letter.toUpperCase());
      if (plan === "enterprise") return [name, "set for the key", "set for the key"];
      const { perMinute, perDay } = limitsOf[plan];
      return [name, perMinute.toLocaleString("en"), perDay.toLocaleString("en")];
    }),
  );
});

test("docs/changing-pets.md and docs/orders.md have the statuses that may follow each other, and what becomes of the pet", () => {
  const pets = tableOf(read("docs/changing-pets.md"), "From", "To").map(([from = "", to = ""]) => [
    codesIn(from)[0],
    codesIn(to),
  ]);
  expect(Object.fromEntries(pets)).toEqual(petTransitions);
  const found: Record<string, string[]> = { placed: [], approved: [], delivered: [], cancelled: [] };
  const rows = tableOf(read("docs/orders.md"), "From", "To", "The pet becomes");
  for (const [from = "", to = ""] of rows) for (const status of codesIn(from)) found[status]?.push(...codesIn(to));
  const sorted = (statuses: readonly string[]) => statuses.toSorted();
  const bySource = Object.entries(orderTransitions).map(([from, to]): [string, string[]] => [from, sorted(to)]);
  expect(Object.entries(found).map(([from, to]): [string, string[]] => [from, sorted(to)])).toEqual(bySource);
  expect(Object.fromEntries(rows.map(([, to = "", pet = ""]) => [codesIn(to)[0], codesIn(pet)[0] ?? null]))).toEqual({
    approved: null,
    cancelled: "available",
    delivered: "sold",
  });
});

test("docs/data.md has what each retention deletes, and since when it is old", () => {
  const names: Record<string, string> = {
    audit: "entries of the audit log",
    orders: "orders",
    keys: "keys",
    secrets: "secrets",
    deprecated_calls: "callers of deprecated operations",
  };
  const moments: Record<string, string> = {
    at: "they were made",
    updated_at: "their last change",
    revoked_at: "they were revoked",
    expires_at: "the end of their grace period",
    last_called_at: "their last call",
  };
  const rows = tableOf(read("docs/data.md"), "What is deleted", "Setting", "Old since");
  const stated = rows.map(([what = "", setting = "", since = ""]) => [
    Object.values(names).find((name) => what.startsWith(name)),
    codesIn(setting)[0],
    since,
  ]);
  const bySource = Object.entries(kinds).flatMap(([kind, all]) =>
    all.map(({ table, ended }) => [names[table], `PETSTORE_${kind.toUpperCase()}_DAYS`, moments[ended]].join(" | ")),
  );
  expect(stated.map((row) => row.join(" | ")).toSorted()).toEqual([...new Set(bySource)].toSorted());
});

test("docs/settings.md has the ports of both deployments", () => {
  const text = read("docs/settings.md");
  for (const deployment of ["production", "staging"]) {
    const { port, admin } = readConfig({ PETSTORE_DEPLOYMENT: deployment });
    for (const value of [port, admin?.port])
      expect([deployment, value, text.includes(`${value}`)]).toEqual([deployment, value, true]);
  }
});

const document = openApiDocument(production.baseUrls);
const stagingText = toJson(openApiDocument(production.baseUrls, "staging"));

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

type Property = { $ref?: string; type?: string; format?: string; enum?: string[] };

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
  const resolved = ({ $ref, ...its }: Property): Property => Object($ref ? schemas[$ref.split("/").at(-1) ?? ""] : its);
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

test.each(documents)("%s has each path with the port that answers it, and no unknown header of the service", (name) => {
  const text = read(name);
  const of = (listener: { production: unknown; staging: unknown }) =>
    [listener.production, listener.staging].map(String);
  const ports = {
    public: of({ production: production.port, staging: staging.port }),
    admin: of({ production: production.admin?.port, staging: staging.admin?.port }),
  };
  for (const [address, port = "", path = ""] of text.matchAll(/127\.0\.0\.1:(\d+)\/(\w+)/g)) {
    const expected = /^(console|admin|metrics)$/.test(path)
      ? ports.admin
      : /^(v1|docs|openapi|mcp|account)$/.test(path)
        ? ports.public
        : undefined;
    if (expected !== undefined) expect([address, expected.includes(port)]).toEqual([address, true]);
  }
  // What is for operators is not published to other machines.
  for (const [published, from, port = ""] of text.matchAll(/--publish (?:([\d.]+):)?\d+:(\d+)/g)) {
    if (ports.admin.includes(port)) expect([published, from]).toEqual([published, "127.0.0.1"]);
  }
  for (const [forwarded, port = ""] of text.matchAll(/port-forward [^\n`]*?\b(\d{4,5})\b/g))
    expect([forwarded, ports.admin.includes(port)]).toEqual([forwarded, true]);
  const own = text.match(/(?<=`)(X-R|RateLimit(?!Error)|Petstore-|Idempotency-)[A-Za-z-]*(?=[`:])/g) ?? [];
  expect(own.filter((header) => !stagingText.includes(`"${header}"`))).toEqual([]);
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
      for (const { name, schema } of parameters) {
        const [, , fallback = "", bounds = ""] = rows.find(([cell = ""]) => codesIn(cell)[0] === name) ?? [];
        if (schema.default !== undefined) expect(fallback).toContain(String(schema.default));
        if (schema.enum !== undefined) expect(codesIn(bounds)).toEqual(schema.enum);
        const [, least, most] = /^(−?\d+) to (\d+)/.exec(bounds) ?? [];
        const number = (text = "") => BigInt(text.replace("−", "-"));
        if (schema.minimum !== undefined && least !== undefined) {
          expect([name, number(least), number(most)]).toEqual([name, BigInt(schema.minimum), BigInt(schema.maximum)]);
        }
      }
    });
  },
);

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

describe("docs/monitoring.md has", () => {
  const operations = read("docs/monitoring.md");
  const sources = filesIn("src").map(read);

  test("the messages of the log, with their levels", () => {
    const rows = tableOf(operations, "`msg`", "Level", "When").slice(0, -1);
    expect(rows.length).toBeGreaterThan(20);
    for (const [messages = "", levels = ""] of rows) {
      for (const message of codesIn(messages)) {
        const [longest = ""] = message
          .split(/…|\d+ s|^(?:Redis|The parent process)(?= fails| works)|(?<=: )set PETSTORE_BASE_URL/)
          .toSorted((a, b) => b.length - a.length);
        const text = new RegExp(`${longest === message ? `(?<=["'\`])` : ""}${RegExp.escape(longest.trim())}`, "g");
        const before = sources.flatMap((source) =>
          [...source.matchAll(text)].map(({ index }) => source.slice(0, index)),
        );
        expect([message, before.length > 0]).toEqual([message, true]);
        const calls = before.flatMap((code) => /[\s\S]*\b(warn|error|info)\(/.exec(code.slice(-300))?.[1] ?? []);
        if (calls.length > 0) expect([message, calls.some((call) => levels.includes(call))]).toEqual([message, true]);
      }
    }
  });

  test("the background tasks, at the metric and at the message", () => {
    const tasks = sources.flatMap((source) =>
      [...source.matchAll(/\bname: "([a-z_]+)",\s*(?:saves: "[^"]*",\s*)?every\b/g)].map(([, name = ""]) => name),
    );
    const ofMetric =
      tableOf(operations, "Metric", "Type")
        .find(([metric]) => metric?.includes("task_runs"))
        ?.at(-1) ?? "";
    expect(codesIn(ofMetric).toSorted()).toEqual(tasks.toSorted());
    const ofMessage = operations.split("\n").find((line) => line.startsWith("| `a background task failed")) ?? "";
    const stated = codesIn(ofMessage).filter((code) => /^[a-z]+_[a-z_]+$/.test(code));
    // A backup that fails is logged by itself.
    expect([...stated, "back_up"].toSorted()).toEqual(tasks.toSorted());
  });
});

test("docs/monitoring.md says what becomes of the metrics of several processes", async () => {
  const stats = { cpu: () => ({ user: 2, system: 1 }), memory: () => 1_000, startedAt: 7 };
  const metrics = new Metrics({ version: "1.0.0", runtime: "test", deployment: "production" }, stats);
  metrics.add({
    keyCache: { hits: 0, misses: 0 },
    fallbacks: { total: 0, requests: 0, isActive: false },
    damage: { isDamaged: false },
    clocks: { seconds: 0 },
    mayEvict: () => false,
  });
  const aggregators = new Map((await metrics.snapshot()).map(({ name, aggregator }) => [name, String(aggregator)]));
  const all = (prefix: RegExp) => [...aggregators].filter(([name]) => prefix.test(name)).map(([, one]) => one);
  expect(all(/^process_(cpu|resident|open|max)/).filter((one) => one !== "sum")).toEqual([]);
  const ages: Record<string, string> = { min: "oldest", max: "newest" };
  const workers: Record<string, string> = { min: "all workers count", max: "any worker counts" };
  const [text = ""] = /^\*\*Several processes\.\*\*[\s\S]*?\n\n/m.exec(read("docs/monitoring.md")) ?? [];
  expect(text.replaceAll(/\s+/g, " ")).toInclude(
    `Processor time, memory and file descriptors are sums; \`process_start_time_seconds\` is that of the ${
      ages[aggregators.get("process_start_time_seconds") ?? ""]
    } worker; \`petstore_limiter_fallback_active\` is 1 if ${
      workers[aggregators.get("petstore_limiter_fallback_active") ?? ""]
    } alone.`,
  );
});

/** Words for groups of paths: the first parts of paths of the administration interface. */
const groups = (text: string) => text.split(/,? and |, /).map((one) => one.replace(/^the /, ""));

test("the documents and the OpenAPI document of the administration interface say what a viewer may not read", () => {
  const { paths = {}, info } = administrationDocument("production");
  const withheld = Object.entries(paths)
    .filter(([, methods]) => Object(methods).get?.description?.includes("Needs the role admin."))
    .map(([path]) => path.split("/")[1] ?? "");
  const expected = [...new Set(withheld)].toSorted();
  const [, inDocument = ""] = /can read everything except\s+([^;]*);/.exec(info.description ?? "") ?? [];
  expect(groups(inDocument).toSorted()).toEqual(expected);
  const [, row = ""] = tableOf(read("docs/administration.md"), "Role", "May").find(([role]) => role === "viewer") ?? [];
  expect(groups(/^Read everything except (.*)\.$/.exec(row)?.[1] ?? "").toSorted()).toEqual(expected);
  const [, inConsole = ""] = /A viewer \(.*?\) reads all of it except ([^,]*),/.exec(read("docs/console.md")) ?? [];
  expect(groups(inConsole).toSorted()).toEqual(expected);
});

test("docs/idempotency.md names every operation that takes an Idempotency-Key", () => {
  const [, listed = ""] = /Send each `POST` \(([^)]*)\)/.exec(read("docs/idempotency.md")) ?? [];
  const posts = operations.filter(({ method }) => method === "post").map(({ id }) => id);
  expect(listed.split(", ").toSorted()).toEqual(posts.toSorted());
});

test("docs/rehearsal.md says which values of Petstore-Simulate go with each other", () => {
  const values = ["quota_exceeded", "delay=1", "disconnect", "lost-answer", "now=2030-12-05T00:00:00Z"];
  const name = (value: string) => value.replace(/=.*/, "");
  const [, one = "", other = "", another = ""] =
    /`(\w+)` goes with each of the others, and `([\w-]+)` with `(\w+)`:/.exec(read("docs/rehearsal.md")) ?? [];
  for (const [at, first] of values.entries()) {
    for (const second of values.slice(at + 1)) {
      const pair = [name(first), name(second)];
      const isSaid = pair.includes(one) || (pair.includes(other) && pair.includes(another));
      expect([...pair, !("problem" in readSimulation(`${first}, ${second}`))]).toEqual([...pair, isSaid]);
    }
  }
});

test("docs/webhooks.md says how a signature is written", () => {
  const [, version = "", encoding = "", hash = ""] =
    /each `(\w+),` and the (\w+)(?: digits)? of an HMAC-(\w+)\./.exec(read("docs/webhooks.md")) ?? [];
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const endpoint = { id: "whe_1", secrets: [{ secret }] } as unknown as Endpoint;
  const event = { id: 1, at: 0, type: "pet.created", subject: "pets/1", text: "{}" } as const;
  const { headers, body } = deliveryOf(endpoint, event, 1_795_000_000_000);
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const mac = createHmac(hash.replace("SHA", "sha"), Buffer.from(secret.slice(6), "base64")).update(signed);
  expect(headers["webhook-signature"]).toBe(`${version},${mac.digest(encoding as "base64")}`);
});

test("docs/monitoring.md has each type of alert with its subjects", () => {
  const subjects: Record<AlertType, string[]> = {
    "alert.key_banned": ["keys/key_…"],
    "alert.backup_failed": ["backups"],
    "alert.file_damaged": ["database", "backups/"],
    "alert.disk_full": ["disks/database", "disks/backups"],
    "alert.error_rate": ["requests"],
    "alert.webhook_disabled": ["webhooks/whe_…"],
  };
  const rows = tableOf(read("docs/monitoring.md"), "Type", "Subject", "Raised", "Ends");
  expect(rows.map(([type = "", subject = ""]) => [codesIn(type)[0], codesIn(subject)])).toEqual(
    Object.entries(subjects),
  );
});

test("the pages name only parameters that an address has", () => {
  const parametersOf = (paths: object, prefix: string) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(Object(methods)).map(([method, its]): [string, string[]] => [
        `${method.toUpperCase()} ${prefix}${path}`,
        (Object(its).parameters ?? []).map(({ name }: { name: string }) => name),
      ]),
    );
  const known = new Map([
    ...parametersOf(document.paths ?? {}, ""),
    ...parametersOf(administrationDocument("staging").paths ?? {}, "/admin/v1"),
  ]);
  for (const page of documents) {
    for (const [target, method = "", path = "", query = ""] of read(page).matchAll(
      /(?<=`)([A-Z]+) (\/[\w/{}-]+)\?([^`\s]*)(?=`)/g,
    )) {
      const given = [...query.matchAll(/(?:^|&)(\w+)=/g)].map(([, one = ""]) => one);
      expect([target, given.filter((one) => !known.get(`${method} ${path}`)?.includes(one))]).toEqual([target, []]);
    }
  }
});

test("workflows in the documents take a Node that the package runs on", () => {
  const versions = documents.flatMap((page) =>
    [...read(page).matchAll(/node-version: (\d+)/g)].map(([, at]) => Number(at)),
  );
  expect(versions.length).toBeGreaterThan(0);
  for (const version of versions) expect(version).toBeGreaterThan(Number.parseInt(NEEDED_NODE, 10));
});

test("docs/authentication.md has the scopes that a key gets by default", () => {
  const [, without = ""] = /Default: all but `([^`]+)`\./.exec(read("docs/authentication.md")) ?? [];
  expect(defaultScopes).toEqual(scopes.filter((scope) => scope !== without));
});

test("docs/orders.md says which statuses of an order are final", () => {
  const [, ...final] = /`(\w+)` and `(\w+)` are final\./.exec(read("docs/orders.md")) ?? [];
  const last = Object.entries(orderTransitions).filter(([, following]) => following.length === 0);
  expect(final.toSorted()).toEqual(last.map(([status]) => status).toSorted());
});

test("docs/running.md has the signals that stop the service, as its help has them", async () => {
  const serve = (await petstoreCommand("serve")).commands.find((command) => command.name() === "serve");
  const signals = (text = "") => (text.match(/SIG[A-Z]+/g) ?? []).toSorted();
  const [, stated] = /^On (SIG[^a-z]*or SIG[A-Z]+)/m.exec(read("docs/running.md")) ?? [];
  expect(signals(serve?.description()).length).toBeGreaterThan(1);
  expect(signals(stated)).toEqual(signals(serve?.description()));
});

test("docs/running.md says which address of X-Forwarded-For is the client's", () => {
  const forwarded = "203.0.113.1, 203.0.113.2, 10.0.0.2";
  const client = clientAddress("10.0.0.1", forwarded, parseRanges(["10.0.0.0/8"]));
  const which: Record<string, string> = { "203.0.113.1": "first", "203.0.113.2": "nearest", "10.0.0.2": "last" };
  expect(read("docs/running.md").replaceAll(/\s+/g, " ")).toInclude(
    `the client is the ${which[client]} address in the header that is not a trusted proxy`,
  );
});

test("docs/administration.md says what gives a role, and what both values give", () => {
  const rule = { claim: "roles", admins: ["a"], viewers: ["v"] };
  const roleOf = (roles: unknown) => identityOf({ iss: "https://login.example.com", sub: "1", roles }, rule).role;
  const page = read("docs/administration.md").replaceAll(/\s+/g, " ");
  expect(page).toInclude(`The values that make an ${roleOf("a")} or a ${roleOf("v")}, by default`);
  expect(page).toInclude(`Who has both is an ${roleOf(["v", "a"])}.`);
  expect(page).toInclude(
    `Values are compared ${(() => {
      try {
        return roleOf("A");
      } catch {
        return "letter by letter";
      }
    })()}.`,
  );
});
