import { OpenAPIRegistry, OpenApiGeneratorV31, type RouteConfig } from "@asteasolutions/zod-to-openapi";
import { z } from "zod";
import type { ErrorCode } from "../../domain/error-catalogue.ts";
import { IfNoneMatch } from "./conditional.ts";
import { type Description, isBodyRequired } from "./description.ts";
import type { headers } from "./document-headers.ts";
import { errorSchema, type Messages, type ResponseParts, responsesOf, withExample } from "./openapi-responses.ts";

type Head = Parameters<OpenApiGeneratorV31["generateDocument"]>[0];
type SecurityScheme = Parameters<OpenAPIRegistry["registerComponent"]>[2];

/** What all operations of an interface have in common. */
export type Interface<O> = Omit<ResponseParts, "refusals" | "errorSchema" | "messages"> & {
  head: Omit<Head, "openapi">;
  securitySchemes: Record<string, SecurityScheme>;
  /** Every error code that can leave the interface. */
  codes: string[];
  /** The headers to which its responses refer. */
  headers: Partial<typeof headers>;
  /** The headers that every operation takes. */
  requestHeaders?: z.ZodRawShape;
  /** How a request to the operation is authenticated. */
  security: (operation: O) => Record<string, string[]>[];
  /** The errors of the checks before the operation. */
  refusals: (operation: O) => ErrorCode[];
  /** The messages of errors that depend on the operation. */
  messages?: (operation: O) => Messages;
  /** A sentence to add to the operation's description, such as the scope that it needs. */
  remark?: (operation: O) => string | undefined;
};

/** Returns the OpenAPI 3.1 document of an interface. Bounds of int64 are bigints in it. */
export function openApiOf<O extends Description>(operations: readonly O[], about: Interface<O>) {
  const registry = new OpenAPIRegistry();
  for (const [name, header] of Object.entries(about.headers)) registry.registerComponent("headers", name, header);
  for (const [name, scheme] of Object.entries(about.securitySchemes)) {
    registry.registerComponent("securitySchemes", name, scheme);
  }
  const parts = { ...about, errorSchema: errorSchema(about.codes) };
  for (const operation of operations) registry.registerPath(pathOf(operation, about, parts));
  const generator = new OpenApiGeneratorV31(registry.definitions);
  const document = generator.generateDocument({ openapi: "3.1.0", ...about.head });
  // Both are empty.
  delete document.webhooks;
  delete document.components?.parameters;
  return document;
}

function pathOf<O extends Description>(
  operation: O,
  { security, refusals, messages, remark, requestHeaders }: Interface<O>,
  parts: Omit<ResponseParts, "refusals" | "messages">,
): RouteConfig {
  const { id, method, path, tag, summary, description, deprecated, additionTo } = operation;
  const text = [description, remark?.(operation)].filter((part) => part !== undefined).join(" ");
  const all = [...refusals(operation), ...refusalsOfRequest(operation), ...(operation.refusals ?? [])];
  const codes = [...new Set(all)];
  return {
    method,
    path,
    tags: [tag],
    operationId: id,
    summary,
    ...(text !== "" && { description: text }),
    ...(deprecated && { deprecated: true, "x-sunset": new Date(deprecated.removedAt).toISOString().slice(0, 10) }),
    ...(additionTo !== undefined && { "x-addition-to": additionTo }),
    security: security(operation),
    request: requestOf(operation, parts.ofReads !== undefined, requestHeaders),
    responses: responsesOf(operation, { ...parts, refusals: codes, messages: messages?.(operation) }),
  };
}

function requestOf(
  { method, request = {} }: Description,
  areReadsConditional: boolean,
  common: z.ZodRawShape = {},
): NonNullable<RouteConfig["request"]> {
  const { params, query, body, types, examples } = request;
  const ofReads = method === "get" && areReadsConditional ? { "If-None-Match": IfNoneMatch.optional() } : {};
  const headers = z.object({ ...request.headers?.shape, ...ofReads, ...common });
  const hasHeaders = Object.keys(headers.shape).length > 0;
  const parameters = { ...(params && { params }), ...(query && { query }), ...(hasHeaders && { headers }) };
  if (body === undefined && types === undefined) return parameters;
  const schema = body ?? z.string();
  const content = Object.fromEntries(
    (types ?? ["application/json"]).map((type) => [type, { schema, ...withExample(examples?.[type]) }]),
  );
  const description = schema.meta()?.description ?? "A file.";
  return { ...parameters, body: { description, required: isBodyRequired(request), content } };
}

/** The errors that the request schemas and the deprecation of an operation imply. */
function refusalsOfRequest({ request = {}, deprecated }: Description): ErrorCode[] {
  const { query, headers, body, types } = request;
  return [
    ...(deprecated ? (["operation_removed"] as const) : []),
    ...((query ?? headers) ? (["invalid_parameter"] as const) : []),
    ...((body ?? types) ? (["unsupported_media_type"] as const) : []),
    ...(body ? (["payload_too_large", "invalid_json", "validation_failed"] as const) : []),
  ];
}
