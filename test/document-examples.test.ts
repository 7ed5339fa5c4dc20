/** Each example in JSON that a document shows of the service is one that the service could send. */
import { expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { administrationDocument } from "../src/adapters/http/admin/document.ts";
import { openApiDocument } from "../src/adapters/http/document.ts";
import { toJson } from "../src/domain/json.ts";
import { readConfig } from "../src/wiring/config.ts";
import { pages, read } from "./support/markdown.ts";

type Schemas = Record<string, object>;

/** A schema with all that it refers to, none of whose objects may have a field that it does not name. */
function strict(schemas: Schemas, name: string): object {
  const text = JSON.stringify({ $ref: `#/$defs/${name}`, $defs: schemas }).replaceAll(
    "#/components/schemas/",
    "#/$defs/",
  );
  return JSON.parse(text, (_, value) => (value?.properties ? { additionalProperties: false, ...value } : value));
}

const schemasOf = (document: unknown): Schemas => JSON.parse(toJson(document)).components.schemas;
const ofClients = schemasOf(openApiDocument(readConfig({}).baseUrls));
const ofOperators = schemasOf(administrationDocument("production"));

/** What a webhook delivers. */
const delivered = (name: string) => ({
  type: "object",
  required: ["type", "timestamp", "data"],
  additionalProperties: false,
  properties: {
    type: { type: "string" },
    timestamp: { type: "string" },
    data: { $ref: `#/components/schemas/${name}` },
  },
});

const examples: [page: string, schema: object][] = [
  ["docs/events.md", strict(ofClients, "Events")],
  ["docs/orders.md", strict(ofClients, "Order")],
  ["docs/quick-start.md", strict(ofClients, "Order")],
  ["docs/usage.md", strict(ofClients, "Usage")],
  ["docs/webhooks.md", strict({ ...ofOperators, Delivered: delivered("Alert") }, "Delivered")],
  ["docs/webhooks.md", strict({ ...ofClients, Delivered: delivered("Event") }, "Delivered")],
];

const shown = pages.flatMap((page) =>
  [...read(page).matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, json = ""]) => ({ page, json })),
);
/** The settings of other programs, which have the address of the service. */
const isOwn = ({ page }: { page: string }) => page !== "docs/agents.md";

test("each example in JSON has a schema", () => {
  expect(shown.filter(isOwn).map(({ page }) => page)).toEqual(examples.map(([page]) => page));
});

test.each(examples.map(([page, schema], at) => ({ page, schema, json: shown.filter(isOwn)[at]?.json ?? "" })))(
  "the example in $page is valid",
  ({ schema, json }) => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    // Its hours are cut after the first.
    const example = JSON.parse(json, (name, value) => (name === "last24Hours" ? Array(24).fill(value[0]) : value));
    ajv.validate(schema, example);
    expect(ajv.errors ?? []).toEqual([]);
  },
);
