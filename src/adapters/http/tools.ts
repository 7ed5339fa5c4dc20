import { z } from "zod";
import type { Deployment } from "../../domain/deployment.ts";
import { type ErrorCode, PetstoreError } from "../../domain/errors.ts";
import { signedInt64 } from "../../domain/int64.ts";
import { numberOf, parseJson, type Shape, shapeOf, toJson, withMembers } from "../../domain/json.ts";
import { SIMULATE } from "../../domain/simulation.ts";
import type { openApiDocument } from "./document.ts";
import type { AdmittedContext, PublicOperation } from "./operation.ts";
import { Preferring } from "./parameters.ts";
import { type HttpRequest, type HttpResponse, MAX_BODY_BYTES, type RequestHeaders, unknownName } from "./request.ts";
import { PREFIX } from "./routes.ts";

type Operation = Pick<PublicOperation, "id" | "method" | "path" | "scope" | "summary" | "description" | "request">;

/** An operation as a tool of the Model Context Protocol. */
export type Tool = {
  /** The scope that its call needs. */
  scope: Operation["scope"];
  /** Its description, as JSON. */
  text: string;
  /** The request that a message with its call stands for. @throws PetstoreError, ArgumentsError */
  requestOf: (message: Uint8Array, context: AdmittedContext) => HttpRequest;
};

/** The arguments of a call are no object. */
export class ArgumentsError extends Error {}

/** A tool takes the parameters of its operation, the fields of its body, and these headers, by their names in camel case. */
type Arguments = {
  path: string[];
  query: string[];
  headers: Map<string, string>;
  body: Record<string, z.ZodType> | undefined;
};

export function toolOf(operation: Operation, document: Document, deployment: Deployment): Tool {
  const { params, query, headers, body } = operation.request ?? {};
  const names = [
    ...Object.keys(headers?.shape ?? {}),
    ...(query === undefined ? [] : Object.keys(Preferring.shape)),
    ...(deployment === "staging" ? [SIMULATE] : []),
  ];
  const its: Arguments = {
    path: Object.keys(params?.shape ?? {}),
    query: Object.keys(query?.shape ?? {}),
    headers: new Map(names.map((name) => [argumentOf(name), name])),
    body: body instanceof z.ZodObject ? body.shape : undefined,
  };
  const plain = [...its.path, ...its.query, ...its.headers.keys()].map((name): [string, Shape] => [name, LIST]);
  const fields = Object.entries(its.body ?? {}).map(([name, field]): [string, Shape] => [name, shapeOf(field)]);
  const shape = withMembers([["params", withMembers([["arguments", withMembers([...plain, ...fields])]])]]);
  return {
    scope: operation.scope,
    text: toJson(describe(operation, its, document)),
    requestOf: (message, context) => requestOf(operation, its, argumentsIn(message, shape), context),
  };
}

const LIST = shapeOf(z.array(z.string()));

/** The argument for a header: `idempotencyKey` for `Idempotency-Key`, and `simulate` for `Petstore-Simulate`. */
function argumentOf(header: string): string {
  const [first = "", ...others] = header.replace("Petstore-", "").split("-");
  return first.toLowerCase() + others.join("");
}

/** The most unknown arguments that an error names. */
const MOST_UNKNOWN = 20;

/** The arguments of a call. A number stays the text that was sent. @throws validation_failed for those that the tool does not have */
function argumentsIn(message: Uint8Array, shape: Shape): Record<string, unknown> {
  const unknown: string[] = [];
  const onUnknown = ([params, within, ...path]: string[], names: readonly string[]) => {
    if (params !== "params" || within !== "arguments" || path.length === 0 || path.at(-1) === "id") return;
    if (unknown.length < MOST_UNKNOWN) unknown.push(`${path.join(".")} ${unknownName(path, names)}.`);
  };
  const { success, data } = Call.safeParse(
    parseJson(message, "The message", shape, onUnknown, (token) => JSON.rawJSON(token)),
  );
  if (!success) throw new ArgumentsError("params.arguments must be an object");
  if (unknown.length > 0) throw new PetstoreError("validation_failed", { message: unknown.join(" ") });
  return data.params.arguments;
}

const Call = z.object({ params: z.object({ arguments: z.record(z.string(), z.unknown()).default({}) }) });

/** The headers of the message that the request to the operation has as well. */
const PASSED_ON = ["Authorization", "User-Agent", "X-Forwarded-For", "traceparent", "tracestate", SIMULATE];

function requestOf(
  { method, path, request }: Operation,
  its: Arguments,
  values: Record<string, unknown>,
  { request: { headers }, requestId }: AdmittedContext,
): HttpRequest {
  const texts = new Map(Object.entries(values).map(([name, value]) => [name, textOf(value)]));
  const filled = its.path.reduce((template, name) => {
    const text = texts.get(name);
    if (!text) throw new PetstoreError("invalid_parameter", { message: `The argument ${name} is required.` });
    return template.replace(`{${name}}`, () => encodeURIComponent(text));
  }, path);
  const query = new URLSearchParams(its.query.flatMap((name) => pairOf(name, texts.get(name))));
  const body = Buffer.from(its.body === undefined ? "" : toJson(fieldsOf(its.body, values)));
  return {
    method: method.toUpperCase(),
    url: `${PREFIX}${filled}${query.size > 0 ? `?${query}` : ""}`,
    headers: headersOf([
      ...PASSED_ON.flatMap((name) => pairOf(name, headers.get(name) ?? undefined)),
      ...[...its.headers].flatMap(([argument, name]) => pairOf(name, texts.get(argument))),
      ["X-Request-Id", requestId],
      ["Content-Type", "application/json"],
    ]),
    body: body.length > (request?.maxBytes ?? MAX_BODY_BYTES) ? "too large" : body,
  };
}

function pairOf(name: string, text: string | undefined): [string, string][] {
  return text === undefined ? [] : [[name, text]];
}

/** The last of several headers with one name counts. */
function headersOf(pairs: [name: string, value: string][]): RequestHeaders {
  const values = new Map(pairs.map(([name, value]) => [name.toLowerCase(), value]));
  return {
    get: (name) => values.get(name.toLowerCase()) ?? null,
    has: (name) => values.has(name.toLowerCase()),
    [Symbol.iterator]: () => values[Symbol.iterator](),
  };
}

/** The text of an argument in a path, a query or a header; undefined for null, which models send for what they leave out. */
function textOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return value.map((item) => textOf(item) ?? "").join();
  if (!isNumber(value)) return String(value);
  const number = numberOf(value.rawJSON);
  return typeof number === "bigint" ? String(number) : value.rawJSON;
}

/** Whether an argument is a number, which JSON.rawJSON has kept. */
function isNumber(value: unknown): value is { rawJSON: string } {
  return typeof value === "object" && value !== null && JSON.isRawJSON(value);
}

function fieldsOf(fields: Record<string, z.core.$ZodType>, values: object): Record<string, unknown> {
  const given = Object.entries(values).filter(([name]) => Object.hasOwn(fields, name));
  return Object.fromEntries(given.map(([name, value]) => [name, exact(fields[name], value)]));
}

/** The value of a field, in which the digits of an integer may be a text: most clients would round it as a number. */
function exact(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  if (schema instanceof z.ZodOptional) return exact(schema.unwrap(), value);
  if (schema instanceof z.ZodBigInt && typeof value === "string") return signedInt64(value) ?? value;
  if (schema instanceof z.ZodArray && Array.isArray(value)) return value.map((item) => exact(schema.element, item));
  const isObject = typeof value === "object" && value !== null && !isNumber(value);
  return schema instanceof z.ZodObject && isObject ? fieldsOf(schema.shape, value) : value;
}

/** The headers that a result has, if the response has them. */
const SHOWN = [
  "ETag",
  "Link",
  "Location",
  "Retry-After",
  "Idempotency-Replayed",
  "Preference-Applied",
  "Petstore-Count",
  "Petstore-Position",
  "Petstore-Simulated",
];

/** The members of the result of a call, from the response of the operation. Its JSON is not parsed: integers stay exact. */
export function resultOf({ status, headers, body }: HttpResponse): string {
  const text = typeof body === "string" ? body : "";
  if (status >= 400) return errorResult(JSON.parse(text), headers);
  const shown = Object.fromEntries(SHOWN.flatMap((name) => pairOf(name, headers[name])));
  const members = text === "" ? "" : `,"body":${text}`;
  const content = `{"status":${status},"headers":${JSON.stringify(shown)}${members}}`;
  return `"content":[{"type":"text","text":${JSON.stringify(content)}}],"structuredContent":${content}`;
}

/** The members of the result of a call that failed. Models read it. */
export function errorResult({ code, message }: ErrorText, headers: Record<string, string> = {}): string {
  const seconds = headers["Retry-After"];
  const wait = seconds === undefined ? "" : ` Retry-After: ${seconds} seconds.`;
  const simulated = headers["Petstore-Simulated"] === undefined ? "" : " This was simulated.";
  const text = `${code}: ${message}${wait}${simulated}`;
  return toJson({ content: [{ type: "text", text }], isError: true }).slice(1, -1);
}

type ErrorText = { code: ErrorCode; message: string };

type Document = ReturnType<typeof openApiDocument>;

const Schema = z.record(z.string(), z.unknown());
const Content = z.record(z.string(), z.object({ schema: Schema }));
/** What the document says of an operation. */
const Described = z.object({
  parameters: z
    .array(
      z.object({ name: z.string(), required: z.boolean().default(false), description: z.string(), schema: Schema }),
    )
    .default([]),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), z.object({ content: Content.optional() })),
});

function describe({ id, method, path, summary, description }: Operation, its: Arguments, document: Document) {
  const { parameters, requestBody, responses } = Described.parse(document.paths?.[path]?.[method]);
  const schemas = Schema.parse(document.components?.schemas ?? {});
  const argumentNames = new Map([...its.headers].map(([argument, name]) => [name, argument]));
  const isTaken = ({ name }: { name: string }) => [...its.path, ...its.query, ...argumentNames.keys()].includes(name);
  const taken = parameters.filter(isTaken).map(({ name, description: text, required, schema }) => ({
    name: argumentNames.get(name) ?? name,
    required,
    schema: { ...schema, description: text },
  }));
  const body = Object.values(requestBody?.content ?? {})[0];
  const fields = Object.assign({ properties: {}, required: [] }, inlined(body?.schema ?? {}, schemas, true));
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
  const result = success?.content?.["application/json"]?.schema;
  return {
    name: id,
    title: summary,
    description: description ?? summary,
    inputSchema: {
      type: "object",
      properties: {
        ...Object.fromEntries(taken.map(({ name, schema }) => [name, inlined(schema, schemas, true)])),
        ...fields.properties,
      },
      required: [...taken.filter(({ required }) => required).map(({ name }) => name), ...fields.required],
      additionalProperties: false,
    },
    outputSchema: {
      type: "object",
      properties: {
        status: { type: "integer" },
        headers: { type: "object", additionalProperties: { type: "string" } },
        ...(result && { body: inlined(result, schemas, false) }),
      },
      required: ["status", "headers", ...(result ? ["body"] : [])],
    },
    annotations: {
      title: summary,
      readOnlyHint: method === "get",
      destructiveHint: ["put", "patch", "delete"].includes(method),
      idempotentHint: ["get", "put", "delete"].includes(method),
      openWorldHint: false,
    },
  };
}

/**
 * A schema of the document without references, examples and lists of types, which not all models take. An argument that may be any
 * int64 may be a text as well.
 */
function inlined(part: unknown, schemas: Record<string, unknown>, isArgument: boolean): unknown {
  if (Array.isArray(part)) return part.map((item) => inlined(item, schemas, isArgument));
  if (typeof part !== "object" || part === null) return part;
  const { $ref, ...own } = Schema.parse(part);
  const referred = typeof $ref === "string" ? Schema.parse(schemas[$ref.slice($ref.lastIndexOf("/") + 1)]) : {};
  const members = Object.entries({ ...referred, ...own }).filter(([name]) => name !== "examples");
  const { type, description, ...others } = Object.fromEntries(
    members.map(([name, value]) => [name, inlined(value, schemas, isArgument)]),
  );
  const isAnyInt64 = isArgument && type === "integer" && Number(others.minimum) < Number.MIN_SAFE_INTEGER;
  const [first, ...more] = isAnyInt64 ? [type, "string"] : [type].flat();
  const known = first === undefined ? others : { type: first, ...others };
  const schema = more.length === 0 ? known : { anyOf: [known, ...more.map((another) => ({ type: another }))] };
  return description === undefined ? schema : { description, ...schema };
}
