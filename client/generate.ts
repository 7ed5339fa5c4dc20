/** The types of the service's OpenAPI document, as build.ts writes them to src/schema.ts. */
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import ts from "typescript";
import { openApiDocument } from "../src/adapters/http/document.ts";
import { toJson } from "../src/domain/json.ts";

/** The document contains these addresses, the types do not. */
const addresses = { production: "http://127.0.0.1:8080/v1", staging: "http://127.0.0.1:8090/v1" };

const HEAD = `// Generated from the service's OpenAPI document: \`npm run build\` in client/. A test fails when they differ.

/** An int64: a number where that is exact, a bigint where it is not. */
export type Int64 = number | bigint;

`;

/** Returns the text of src/schema.ts for the current document. */
export async function generated(): Promise<string> {
  const int64 = ts.factory.createTypeReferenceNode("Int64");
  const nodes = await openapiTS(parts(JSON.parse(toJson(openApiDocument(addresses)))), {
    transform: (schema) => ("format" in schema && schema.format === "int64" && !isCount(schema) ? int64 : undefined),
    // A field with a default is optional.
    defaultNonNullable: false,
  });
  return HEAD + astToString(nodes);
}

/** Whether a number holds each value: a count is never so large that it is rounded. */
function isCount(schema: object): boolean {
  const hasBounds = "minimum" in schema && "maximum" in schema;
  return hasBounds && schema.minimum === 0 && schema.maximum === Number.MAX_SAFE_INTEGER;
}

type Document = OpenAPI3 & { paths: Record<string, Record<string, { responses: unknown }>> };

/** The document without the responses: they repeat the schemas Pet and Error for each status. */
function parts(document: Document): Document {
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path)))
    operation.responses = {};
  return { ...document, components: { schemas: document.components?.schemas ?? {} } };
}
