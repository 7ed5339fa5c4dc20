import { OpenAPIRegistry, OpenApiGeneratorV31, type RouteConfig } from "@asteasolutions/zod-to-openapi";
import { z } from "zod";
import { type ErrorCode, errorCatalogue } from "../../domain/errors.ts";
import { type headers, ref } from "./openapi-headers.ts";
import { type ErrorBody, IfNoneMatch, statusOf } from "./responses.ts";
import { type Answer, type Description, type HeaderReferences, isBodyRequired } from "./routes.ts";

type Responses = RouteConfig["responses"];

const ErrorDetail = z
  .strictObject({
    in: z.enum(["body", "query", "header"]).meta({ id: "RequestPart", description: "The part of the request." }),
    field: z.string().meta({ description: "The field, the parameter or the header.", examples: ["limit"] }),
    problem: z.string().meta({ description: "What it must be.", examples: ["must be an integer from 1 to 100"] }),
  })
  .meta({ id: "ErrorDetail", description: "A problem of a request." });

/** The schema of errors with these codes. Source: docs/errors.md, Error. */
const errorSchema = (codes: string[]) =>
  z
    .strictObject({
      code: z.enum(codes).meta({ id: "ErrorCode", description: "What went wrong, for programs. The list is closed." }),
      message: z.string().meta({ description: "What went wrong and what to do, for people." }),
      status: z.int().meta({ type: "integer", minimum: 400, maximum: 599, description: "The HTTP status code." }),
      details: z
        .array(ErrorDetail)
        .optional()
        .meta({
          description: "On 400: every problem of the request.",
          examples: [[{ in: "query", field: "limit", problem: "must be an integer from 1 to 100" }]],
        }),
    })
    .meta({
      id: "Error",
      description: "The body of every error response.",
      examples: [bodyOf("service_unavailable")],
    });

type Messages = Partial<Record<ErrorCode, string>>;

const NOT_MODIFIED: Answer = { description: "You have the current representation: its ETag is in If-None-Match." };

type ResponseParts = {
  errorSchema: z.ZodType;
  /** The errors that the operation may return. */
  refusals: readonly ErrorCode[];
  /** The messages of errors that depend on the operation. The others have the message of the catalogue. */
  messages?: Messages | undefined;
  everywhere: HeaderReferences;
  ofDeprecated?: HeaderReferences;
  /** Further headers of the successful responses of a read, which may be conditional. */
  ofReads?: HeaderReferences | undefined;
  /** Responses that every operation has in addition to its own. */
  others?: Responses;
};

/** The responses of an operation: its answers, and one response per error status. */
function responsesOf({ method, answers, deprecated }: Description, parts: ResponseParts): Responses {
  const headers = { ...parts.everywhere, ...(deprecated && parts.ofDeprecated) };
  const ofReads = method === "get" ? parts.ofReads : undefined;
  const responses: Responses = {
    ...parts.others,
    ...(ofReads && { 304: answerOf(NOT_MODIFIED, { ...headers, ...ofReads, ...headersOf(answers[200]) }) }),
  };
  for (const [status, answer] of Object.entries(answers)) {
    responses[status] = answerOf(typeof answer === "string" ? { description: answer } : answer, {
      ...headers,
      ...ofReads,
    });
  }
  for (const [status, codes = []] of Object.entries(Object.groupBy(parts.refusals, statusOf))) {
    responses[status] = refusalOf(codes, parts, headers);
  }
  return responses;
}

/** The example of a media type, if there is one. */
const withExample = (example: unknown) => example !== undefined && { example };

function headersOf(answer: Answer | string | undefined): HeaderReferences | undefined {
  return typeof answer === "object" ? answer.headers : undefined;
}

function answerOf(
  { description, schema, example, headers, types, examples, otherForms }: Answer,
  everywhere: HeaderReferences,
): Responses[string] {
  const response = { description, headers: { ...everywhere, ...headers } };
  if (schema === undefined && types === undefined) return response;
  const mediaOf = (type: string) => ({
    schema: schema ?? { type: "string" as const },
    ...withExample(example ?? examples?.[type]),
  });
  return {
    ...response,
    content: {
      ...Object.fromEntries((types ?? ["application/json"]).map((type) => [type, mediaOf(type)])),
      ...otherForms,
    },
  };
}

/** One response for all errors of one status. Each code with its message is an example. */
function refusalOf(
  codes: ErrorCode[],
  { errorSchema: schema, messages = {} }: ResponseParts,
  everywhere: HeaderReferences,
): Responses[string] {
  const bodies = codes.map((code) => bodyOf(code, messages));
  const retried = codes.filter((code) => errorCatalogue[code].retryAfter !== undefined || isLimit(code));
  const retryAfter = ref(retried.length === codes.length ? "RetryAfter" : "RetryAfterInProgress");
  const challenged = codes.every((code) => isChallenged(code));
  return {
    description: descriptionOf(bodies),
    headers: {
      ...everywhere,
      ...(retried.length > 0 && { "Retry-After": retryAfter }),
      ...(challenged && { "WWW-Authenticate": ref("WWWAuthenticate") }),
    },
    content: {
      "application/json": { schema, examples: Object.fromEntries(bodies.map((value) => [value.code, { value }])) },
    },
  };
}

function isChallenged(code: ErrorCode): boolean {
  return errorCatalogue[code].kind === "unauthenticated" || code === "insufficient_scope";
}

function isLimit(code: ErrorCode): boolean {
  return errorCatalogue[code].kind === "limited";
}

export function bodyOf(code: ErrorCode, messages: Messages = {}): ErrorBody {
  return { code, message: messages[code] ?? errorCatalogue[code].message, status: statusOf(code) };
}

function descriptionOf(bodies: ErrorBody[]): string {
  if (bodies.length > 1) return bodies.map(({ code, message }) => `\`${code}\`: ${message}`).join("\n\n");
  return bodies.map(({ message }) => message).join();
}

type Head = Parameters<OpenApiGeneratorV31["generateDocument"]>[0];

type SecurityScheme = Parameters<OpenAPIRegistry["registerComponent"]>[2];

type Interface<O> = Omit<ResponseParts, "refusals" | "errorSchema" | "messages"> & {
  head: Omit<Head, "openapi">;
  securitySchemes: Record<string, SecurityScheme>;
  codes: string[];
  headers: Partial<typeof headers>;
  /** The headers that every operation takes. */
  requestHeaders?: z.ZodRawShape;
  /** How a request to the operation is authenticated. */
  security: (operation: O) => Record<string, string[]>[];
  refusals: (operation: O) => ErrorCode[];
  messages?: (operation: O) => Messages;
  /** The version of the interface to which the operation was added later. */
  additionTo?: (operation: O) => string | undefined;
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
  const document = structuredClone(generator.generateDocument({ openapi: "3.1.0", ...about.head }));
  addBounds(document);
  // Both are empty.
  delete document.webhooks;
  delete document.components?.parameters;
  return document;
}

const MAX_INT32 = 2 ** 31 - 1;
/** No list in a body has more items, and no text more characters, where the schema does not say less. */
const MAX_ITEMS = 100_000;
const MAX_TEXT = 65_536;

/** Parts of a document that have no schemas; and parameters, whose schemas say every bound themselves. */
const VALUES = ["example", "examples", "default", "enum", "required", "parameters"];
const FILE = /^\w+\/(?!json$|.*\+json$)/;

/**
 * Adds the bounds and formats that hold for every value to the schemas within `part` that do not say them: linters ask for
 * them, and a generator that knows the range of an integer gives it a type that holds it.
 */
function addBounds(part: unknown): void {
  if (typeof part !== "object" || part === null) return;
  for (const [name, value] of Object.entries(part)) if (!VALUES.includes(name) && !FILE.test(name)) addBounds(value);
  if ("type" in part) Object.assign(part, boundsOf(part, [part.type].flat()));
}

function boundsOf(schema: object, types: unknown[]): object {
  if (types.includes("integer")) {
    const { minimum, maximum } = { minimum: undefined, maximum: Number.MAX_SAFE_INTEGER, ...schema };
    const isShort = Number(minimum) >= -MAX_INT32 && Number(maximum) <= MAX_INT32;
    return { format: isShort ? "int32" : "int64", maximum, ...schema };
  }
  if (types.includes("number")) return { format: "double", ...schema };
  if (types.includes("array")) return { maxItems: MAX_ITEMS, ...schema };
  const isOpen = types.includes("string") && !("enum" in schema || "format" in schema);
  return isOpen ? { maxLength: MAX_TEXT, ...schema } : {};
}

function pathOf<O extends Description>(
  operation: O,
  { security, refusals, messages, additionTo, remark, requestHeaders }: Interface<O>,
  parts: Omit<ResponseParts, "refusals" | "messages">,
): RouteConfig {
  const { id, method, path, tag, summary, description, deprecated } = operation;
  const addedTo = additionTo?.(operation);
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
    ...(addedTo !== undefined && { "x-addition-to": addedTo }),
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
