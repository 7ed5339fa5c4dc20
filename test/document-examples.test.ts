/** Each example in JSON that a document shows of the service is one that the service could send. */
import { expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { administrationDocument } from "../src/adapters/http/admin/document.ts";
import { openApiDocument } from "../src/adapters/http/document.ts";
import { toJson } from "../src/domain/json.ts";
import { readConfig, variables } from "../src/wiring/config.ts";
import { documents, pages, read, withoutBlocks } from "./support/markdown.ts";

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

/** Settings that others need beside them. */
const BESIDE: Record<string, Record<string, string>> = {
  OIDC: { PETSTORE_OIDC_ISSUER: "https://login.example.com/realms/staff", PETSTORE_OIDC_CLIENT_ID: "petstore" },
  S3: { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" },
  REPLICA: { DATABASE_URL: "postgres://a/petstore", DATABASE_REPLICA_URL: "postgres://b/petstore" },
};

/** The settings that a text sets, `NAME=value`, with a value that a shell does not compute. */
const settingsIn = (text: string) =>
  [...text.matchAll(/(?<![\w$])([A-Z][A-Z0-9_]+)=([^\s`'"$;|]+)/g)]
    .map(([, name = "", value = ""]) => ({ name, value: value.replaceAll("…", "x").replace(/[.,)]+$/, "") }))
    .filter(({ name }) => variables.some((one) => one.name === name));

const given = documents.flatMap((page) => {
  const blocks = [...read(page).matchAll(/^ *```\w*\n([\s\S]*?)^ *```$/gm)].map(([, block = ""]) => settingsIn(block));
  const alone = settingsIn(withoutBlocks(read(page)).replaceAll(/`[^`]*` is refused/g, "")).map((setting) => [setting]);
  return [...blocks, ...alone].filter((settings) => settings.length > 0).map((settings) => ({ page, settings }));
});

test("the service accepts the settings of each example", () => {
  expect(given.length).toBeGreaterThan(20);
  const refused = given.flatMap(({ page, settings }) => {
    // A database and another deployment's are often one after the other.
    const each = Map.groupBy(settings, ({ name }) => name);
    const most = Math.max(...[...each.values()].map((values) => values.length));
    return Array.from({ length: most }, (_, at) => {
      const environment = Object.fromEntries(
        [...each].map(([name, values]) => [name, (values[at] ?? values[0])?.value]),
      );
      const beside = Object.entries(BESIDE).filter(([part]) =>
        Object.keys(environment).some((name) => name.includes(part)),
      );
      try {
        readConfig({ ...Object.assign({}, ...beside.map(([, others]) => others)), ...environment });
        return [];
      } catch (error) {
        return [`${page}: ${error}`];
      }
    }).flat();
  });
  expect(refused).toEqual([]);
});
