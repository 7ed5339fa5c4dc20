/** What the two OpenAPI documents say of their operations, parameters, schemas, fields and headers. */
import { expect } from "bun:test";
import { administrationDocument } from "../../src/adapters/http/admin/document.ts";
import { openApiDocument } from "../../src/adapters/http/document.ts";
import { toJson } from "../../src/domain/json.ts";
import { readConfig } from "../../src/wiring/config.ts";
import { inOneLine, says } from "./markdown.ts";

/** Both, of staging, as they are published. */
export const openApi = {
  clients: JSON.parse(toJson(openApiDocument(readConfig({}).baseUrls, "staging"))),
  operators: JSON.parse(toJson(administrationDocument("staging"))),
};

type Described = {
  description?: string;
  properties?: Record<string, Described>;
  items?: Described;
  name?: string;
  operationId?: string;
  schema?: Described;
  parameters?: Described[];
  responses?: Record<string, Described>;
};

const described = new Map<string, Set<string>>();

function add(name: string, { description }: Described): void {
  if (description !== undefined)
    described.set(name, (described.get(name) ?? new Set()).add(inOneLine(description).trim()));
}

/** A schema under its name, its fields under `Schema.field`, those of an object in it under `Schema.field.field`. */
function addSchema(name: string, schema: Described): void {
  add(name, schema);
  for (const [field, value] of Object.entries(schema.properties ?? {})) addSchema(`${name}.${field}`, value);
  if (schema.items !== undefined) addSchema(name, schema.items);
}

function addAll(): void {
  for (const { paths, components } of Object.values(openApi)) {
    for (const [name, schema] of Object.entries<Described>(components.schemas)) addSchema(name, schema);
    for (const [name, header] of Object.entries<Described>(components.headers)) add(name, header);
    for (const operation of Object.values<Record<string, Described>>(paths).flatMap(Object.values<Described>)) {
      const { operationId = "", parameters = [], responses = {} } = operation;
      add(operationId, operation);
      for (const one of parameters) add(`${operationId}.${one.name}`, { ...one.schema, ...one });
      for (const [status, answer] of Object.entries(responses)) add(`${operationId} ${status}`, answer);
    }
  }
}

/**
 * Expects these sentences in the description of an operation (`getPet`), a parameter of it (`listPets.after`), one of its
 * answers (`listPets 200`), a schema (`Pet`), a field (`Pet.name`) or a header by its name in the document: the test that
 * calls this shows that they are true.
 */
export function describes(name: string, ...sentences: string[]): void {
  if (described.size === 0) addAll();
  const texts = described.get(name);
  expect(texts === undefined ? `${name} has no description` : name).toBe(name);
  for (const sentence of sentences) says([...(texts ?? [])].join("\n"), sentence);
}
