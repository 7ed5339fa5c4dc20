import { z } from "zod";
import type { IdempotencyKey } from "../../domain/changes.ts";
import { invalidParameters, PetstoreError, type PublicErrorCode } from "../../domain/errors.ts";
import { INT64_MAX, INT64_MIN, plainInt64, signedInt64 } from "../../domain/int64.ts";
import { SECRET_LENGTH } from "../../domain/keys/secret.ts";
import { MAX_REQUEST_ID_LENGTH } from "../../domain/requests.ts";
import { ofCreation, ref } from "./openapi-headers.ts";
import { type HttpResponse, json, MAX_HEAD, type RequestContext, type RequestHeaders, unknownName } from "./request.ts";
import { etagOf } from "./responses.ts";
import type { HeaderReferences } from "./routes.ts";

/** A schema that parses a text. `error` is the problem to report when `parse` returns undefined. */
export const parsed = <T>(parse: (text: string) => T | undefined, error: string) =>
  z.string().transform((text, context): T => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue(error);
    return z.NEVER;
  });

export const wholeNumber = (min: number, max: number) => {
  const parse = (text: string) => {
    const number = Number(plainInt64(text));
    return number >= min && number <= max ? number : undefined;
  };
  return parsed(parse, `must be an integer from ${min} to ${max}`).meta({
    type: "integer",
    format: max < 2 ** 31 ? "int32" : "int64",
    minimum: min,
    maximum: max,
  });
};

export const pageLimit = (max: number, byDefault: number) =>
  wholeNumber(1, max).default(byDefault).meta({ default: byDefault, description: "The largest number of items." });

/** An int64 of `min` or more in plain digits. */
export const int64 = (min: 0 | 1, error = `must be an integer from ${min} to ${INT64_MAX}`) => {
  const parse = (text: string) => {
    const value = plainInt64(text);
    return value !== undefined && value >= min ? value : undefined;
  };
  return parsed(parse, error).meta({ type: "integer", format: "int64", minimum: min, maximum: INT64_MAX });
};

/** Any int64 in plain digits, with a minus sign if it is negative. */
export const anyInt64 = parsed(signedInt64, `must be an integer from ${INT64_MIN} to ${INT64_MAX}`).meta({
  type: "integer",
  format: "int64",
  minimum: INT64_MIN,
  maximum: INT64_MAX,
});

/** A time in RFC 3339, read as Unix milliseconds. */
export const time = z.iso
  .datetime({ offset: true, error: "must be a time such as 2026-12-02T10:00:00Z" })
  .transform((text) => Date.parse(text))
  .meta({
    type: "string",
    format: "date-time",
    description: "A time with its zone (RFC 3339), in capital letters, without leap seconds.",
    examples: ["2026-12-02T10:00:00Z"],
  });

/** One or more of these values, separated by commas, but no more values than there are. `items`: their schema in the document, if it has a name. */
export const listOf = <const Value extends string>(
  values: readonly Value[],
  items: object = { type: "string", enum: [...values] },
) => {
  const parse = (text: string) => {
    const named = text.split(",");
    return named.length <= values.length && named.every((one) => values.some((value) => value === one))
      ? values.filter((value) => named.includes(value))
      : undefined;
  };
  return parsed(parse, `must be one or more of ${values.join(", ")}, separated by commas`).meta({
    type: "array",
    items,
    minItems: 1,
    maxItems: values.length,
    description: "Only those with one of these values, separated by commas.",
    examples: [values.slice(0, 2)],
    param: { style: "form", explode: false },
  });
};

/** What may follow the name of a list: PHP, Rails and others write one value as `ids[]` or `ids[0]`. */
const IN_LIST = /^(?:\[\d*\])?$/;

/**
 * Parses the query of a URL with a schema. A list may be repeated, also as `name[]` or `name[0]`. Unknown parameters are
 * ignored, but no known name with brackets; nothing is clamped.
 * @throws invalid_parameter, with every repeated or invalid parameter
 */
export function readQuery<S extends z.ZodObject>(schema: S, url: string): z.output<S> {
  const text = queryOf(url);
  const plain = plainValuesIn<z.output<S>>(text, parametersOf(schema));
  if (plain !== undefined) return plain;
  const values: Record<string, string> = {};
  const problems = new Map<string, string>();
  for (const [given, value] of pairsIn(text)) {
    const [name = ""] = given.split("[", 1);
    if (!Object.hasOwn(schema.shape, name)) continue;
    const known = values[name];
    if (isList(schema.shape[name])) {
      if (!IN_LIST.test(given.slice(name.length)))
        problems.set(name, `must be written ${name}, ${name}[] or ${name}[0]`);
      values[name] = known === undefined ? value : `${known},${value}`;
    } else {
      if (given !== name) problems.set(name, "must be written without brackets");
      else if (known !== undefined) problems.set(name, "must be given once");
      values[name] = value;
    }
  }
  for (const name of undecodableIn(text)) if (name in values) problems.set(name, "must be percent-encoded UTF-8");
  const result = schema.safeParse(values);
  if (result.success && problems.size === 0) return result.data;
  const found = [...problems].map(([name, message]) => ({ path: [name], message }));
  const others = (result.error?.issues ?? []).filter(({ path }) => !problems.has(path.join(".")));
  throw invalid("query", [...found, ...others]);
}

/**
 * The values in a query without escapes and brackets, whose parameters are valid and given once; undefined for any other query. To
 * read it with URLSearchParams and the schema of all parameters took a tenth of a list that is not cached.
 */
function plainValuesIn<Values>(query: string, { byName, defaults }: Parameters): Values | undefined {
  if (defaults === undefined || query.includes("%") || query.includes("+") || query.includes("[")) return undefined;
  const values: Record<string, unknown> = {};
  for (const pair of query.split("&")) {
    const equals = pair.indexOf("=");
    const name = equals === -1 ? pair : pair.slice(0, equals);
    const parameter = byName.get(name);
    if (parameter === undefined) continue;
    if (name in values) return undefined;
    const { success, data } = z.safeParse(parameter, equals === -1 ? "" : pair.slice(equals + 1));
    if (!success) return undefined;
    values[name] = data;
  }
  return { ...defaults, ...values } as Values;
}

/** The parameters whose percent-encoding is not UTF-8. URLSearchParams reads U+FFFD there, which a valid text may contain. */
function undecodableIn(query: string): string[] {
  if (!query.includes("%")) return [];
  const pairs = query.split("&").filter((pair) => !isUtf8(pair));
  return pairs.flatMap((pair) => [...pairsIn(pair).keys()]);
}

/** URLSearchParams would take a question mark off the beginning, which belongs to the first name here. */
function pairsIn(query: string): URLSearchParams {
  return new URLSearchParams(`&${query}`);
}

/** Whether the percent-encoded bytes of a text are UTF-8. A percent sign without two digits stands for itself. */
function isUtf8(text: string): boolean {
  try {
    for (const [bytes] of text.matchAll(/(?:%[\da-f]{2})+/gi)) decodeURIComponent(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The parameters of a schema by their names, and their values in an empty query; no values if the schema refuses that. */
type Parameters = {
  byName: Map<string, z.core.$ZodType>;
  defaults: Record<string, unknown> | undefined;
};
const parametersBySchema = new WeakMap<z.ZodObject, Parameters>();

/** Each request needs them: a schema is read once. @throws for a schema that compares parameters: they are parsed one by one */
function parametersOf(schema: z.ZodObject): Parameters {
  const known = parametersBySchema.get(schema);
  if (known !== undefined) return known;
  if (schema.def.checks !== undefined) throw new Error("the schema of a query must not compare its parameters");
  const byName = new Map(Object.entries(schema.shape));
  const parameters = { byName, defaults: schema.safeParse({}).data };
  parametersBySchema.set(schema, parameters);
  return parameters;
}

function isList(schema: unknown): boolean {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  return inner instanceof z.ZodType && inner.meta()?.type === "array";
}

/** Returns the query string of a URL, without the question mark. */
function queryOf(url: string): string {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start + 1);
}

/** Parses the headers that the schema names. @throws invalid_parameter, with every invalid header */
export function readHeaders<S extends z.ZodObject>(schema: S, headers: RequestHeaders): z.output<S> {
  const sent = Object.keys(schema.shape).map((name) => [name, headers.get(name) ?? undefined]);
  const result = schema.safeParse(Object.fromEntries(sent));
  if (result.success) return result.data;
  throw invalid("header", result.error.issues);
}

/** Parses the parameters of a path. @throws the error that the schema raises for an invalid id, otherwise not_found */
export function readParams<S extends z.ZodObject>(schema: S, params: Record<string, string>): z.output<S> {
  const result = schema.safeParse(params);
  if (result.success) return result.data;
  throw new PetstoreError("not_found");
}

/** The headers of a request that says what it prefers. */
export const Preferring = z.object({
  Prefer: z
    .string()
    .transform(preferencesIn)
    .meta({
      type: "string",
      maxLength: MAX_HEAD,
      description:
        "What you prefer (RFC 7240): with `handling=strict`, unknown query parameters and body fields are refused; with `count=exact` a list of pets has `Petstore-Count`. `Preference-Applied` says what was done; a preference that is not known is ignored.",
      examples: ["count=exact"],
    })
    .optional(),
});

/** A preference, up to the next one: a name, perhaps with a value, which may be in quotes, and with parameters. */
const PREFERENCE = /([\w!#$%&'*+.^`|~-]+)(?:[ \t]*=[ \t]*(?:"([^"]*)"|([^\s,;"]*)))?(?:[^,"]|"[^"]*")*/g;

/** The preferences in a header Prefer, by name. The first of several with one name counts (RFC 7240, 2). */
export function preferencesIn(header: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = "", quoted, plain = ""] of header.matchAll(PREFERENCE)) {
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, quoted ?? plain);
  }
  return found;
}

/** Whether a request wants unknown parameters and fields to be refused. */
export function isStrict({ request: { headers } }: RequestContext): boolean {
  const header = headers.get("Prefer");
  return header !== null && preferencesIn(header).get("handling") === "strict";
}

/** Whether a request wants to know how much a list has on all pages. */
export function wantsCount({ request: { headers } }: RequestContext): boolean {
  const header = headers.get("Prefer");
  return header !== null && preferencesIn(header).get("count") === "exact";
}

/** @throws invalid_parameter, with every query parameter that the schema does not name */
export function requireKnown(schema: z.ZodObject | undefined, url: string): void {
  const names = Object.keys(schema?.shape ?? {});
  const given = [
    ...new Set(
      pairsIn(queryOf(url))
        .keys()
        .map((name) => name.split("[", 1)[0] ?? ""),
    ),
  ];
  const unknown = given.filter((name) => name !== "" && !names.includes(name));
  if (unknown.length === 0) return;
  const issues = unknown.map((name) => ({ path: [name], message: unknownName([name], names) }));
  throw invalid("query", issues);
}

/** Says in the response that a preference was applied. */
export function applied({ headers }: RequestContext, preference: string): void {
  const before = headers["Preference-Applied"];
  headers["Preference-Applied"] = before === undefined ? preference : `${before}, ${preference}`;
}

type Issue = { path: PropertyKey[]; message: string };

function invalid(place: "query" | "header", issues: Issue[]): PetstoreError {
  const problems = issues.map(({ path, message }) => ({ field: path.join("."), problem: message }));
  return invalidParameters(place, problems);
}

/** A category can be created under any id, so that one that does not exist is not the reason. */
const MALFORMED_CATEGORY_ID = `The id of a category is an integer from ${INT64_MIN} to ${INT64_MAX} in plain digits.`;

/** @throws the error with this code, always */
export function notFound(code: PublicErrorCode, message?: string): never {
  throw new PetstoreError(code, message === undefined ? {} : { message });
}

type Parse = (text: string) => bigint | undefined;

/** A path parameter that is the id of a resource. @throws `code` for a text that is no valid id */
const idOf = (resource: string, parse: Parse, code: PublicErrorCode, message?: string) =>
  z
    .string()
    .transform((text) => parse(text) ?? notFound(code, message))
    .meta({
      type: "integer",
      format: "int64",
      minimum: parse === signedInt64 ? INT64_MIN : 1,
      maximum: INT64_MAX,
      description: `The id of the ${resource}. Any other text leads to 404.`,
      examples: [1],
    });

export const PetPath = z.object({ petId: idOf("pet", plainInt64, "pet_not_found") });
export const CategoryPath = z.object({
  categoryId: idOf("category", signedInt64, "category_not_found", MALFORMED_CATEGORY_ID),
});
export const OrderPath = z.object({ orderId: idOf("order", plainInt64, "order_not_found") });

const LONGEST = 255;
const PATTERN = `^[ -~]{1,${LONGEST}}$`;

const headerOf = (caller: string) =>
  z
    .string()
    .regex(new RegExp(PATTERN), { error: `must be 1 to ${LONGEST} printable ASCII characters` })
    .meta({
      minLength: 1,
      maxLength: LONGEST,
      pattern: PATTERN,
      description: `Identifies this creation among those of the ${caller}, for 24 hours. Choose a new value for each creation, for example a UUID. A repeated request with the same content gets the first response. The header is a convention of many services, not a standard.`,
      examples: ["7c0ff4d2-8a1c-4a8e-9c55-0d7c1c6f9b0e"],
    });

/** The headers of a request by which a caller creates something. */
export const idempotentRequest = (caller: "API key" | "operator") =>
  z.object({ "Idempotency-Key": headerOf(caller).optional() });

/** The same in the public interface. */
export const IdempotentRequest = idempotentRequest("API key");

export const ofReplay: HeaderReferences = { "Idempotency-Replayed": ref("IdempotencyReplayed") };

export const ofIdempotentCreation: HeaderReferences = { ...ofCreation, ...ofReplay };

/** Returns the idempotency key of a request by this API key or operator at `now` (Unix ms), if it has one. */
export function idempotencyKeyOf(
  headers: z.output<typeof IdempotentRequest>,
  keyId: string,
  now: number,
): IdempotencyKey | undefined {
  const key = headers["Idempotency-Key"];
  return key === undefined ? undefined : { keyId, key, now };
}

/** Responds to a request that created something, whose path is `location`, or that repeats one which did. */
export function createdResponse(
  context: RequestContext,
  body: unknown,
  { location, tag, isReplay = false }: { location: string; tag: string; isReplay?: boolean },
): HttpResponse {
  if (isReplay) context.headers["Idempotency-Replayed"] = "true";
  return json(context, 201, body, { Location: context.root + location, ETag: etagOf(tag) });
}

/** The problem with a field of a body: that it is missing, or else `problem`. */
export const required = (problem: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? "is required" : problem;

/** The problem with a body that is not an object. */
export const JSON_OBJECT = { error: "must be a JSON object" };

/** An integer in a request body, where `parseJson` makes every integer a bigint. */
export const integer = (min: number, max: number) => {
  const error = required(`must be an integer from ${min} to ${max}`);
  return z
    .bigint({ error })
    .min(BigInt(min), { error })
    .max(BigInt(max), { error })
    .transform(Number)
    .meta({ type: "integer", minimum: min, maximum: max });
};

/** A text in a response that has at most so many characters. */
export const text = (maxLength: number) => z.string().meta({ maxLength });

/** The `X-Request-Id` of a response. */
export const requestId = text(MAX_REQUEST_ID_LENGTH);

/** What only one response shows: the secret of a key, or the token of an operator. */
export const secret = text(SECRET_LENGTH).meta({ description: "Only this response shows it." });

/** A time in a response: RFC 3339 in UTC, to the millisecond. */
export const timestamp = z.string().meta({ format: "date-time", examples: ["2026-12-02T10:00:00.250Z"] });

export const count = z.int().min(0).meta({ type: "integer", minimum: 0 });
