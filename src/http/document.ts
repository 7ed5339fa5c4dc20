import { OpenAPIRegistry, OpenApiGeneratorV31, type RouteConfig } from "@asteasolutions/zod-to-openapi";
import { z } from "zod";
import type { Deployment } from "../deployment.ts";
import { type ErrorCode, statusOf } from "../errors.ts";
import { INT64_MAX } from "../int64.ts";
import { MOST_IDS, PAGE } from "../pets/listing.ts";
import { NewPet, Pet, PetStatus, Pets } from "../pets/pet.ts";
import { SUNSET } from "./deprecation.ts";

const codes = Object.keys(statusOf) as [ErrorCode, ...ErrorCode[]];

/** interface.md, Resources: Error. */
const ErrorSchema = z
  .strictObject({
    code: z.enum(codes).meta({ description: "What went wrong, for programs. The list is closed." }),
    message: z.string().meta({ description: "What went wrong and what to do, for people." }),
    status: z.int().meta({ type: "integer", minimum: 400, maximum: 599, description: "The HTTP status code." }),
    details: z
      .array(z.strictObject({ in: z.enum(["body", "query"]), field: z.string(), problem: z.string() }))
      .optional()
      .meta({ description: "On 400: every single thing that is wrong." }),
  })
  .meta({ id: "Error", description: "What every refusal looks like." });

type Schema = { type: "integer" | "string"; [keyword: string]: unknown };
type Header = { description: string; required: boolean; schema: Schema; example?: string | number };

const wholeNumber: Schema = { type: "integer", minimum: 0 };
const text: Schema = { type: "string" };

const headers = {
  XRateLimitLimit: {
    description: "Requests that the window allows which has fewer remaining (on a 429: the one that refused).",
    required: true,
    schema: wholeNumber,
    example: 60,
  },
  XRateLimitRemaining: {
    description: "Requests that remain in that window.",
    required: true,
    schema: wholeNumber,
    example: 59,
  },
  XRateLimitReset: {
    description: "The moment that window ends, as a Unix timestamp in seconds.",
    required: true,
    schema: wholeNumber,
    example: 1795000060,
  },
  RateLimitPolicy: {
    description: "Both windows' limits: `q` requests in `w` seconds.",
    required: true,
    schema: text,
    example: '"minute";q=60;w=60, "day";q=1000;w=86400',
  },
  RateLimit: {
    description: "Both windows' standing: `r` requests remain, for `t` more seconds.",
    required: true,
    schema: text,
    example: '"minute";r=59;t=60, "day";r=999;t=86400',
  },
  XRequestId: {
    description:
      "Names this request in the service's log. Yours is kept when you send one of 1 to 128 characters of `A-Z a-z 0-9 . _ -`.",
    required: true,
    schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,128}$" },
  },
  RetryAfter: {
    description: "Seconds to wait before the next try.",
    required: true,
    schema: { type: "integer", minimum: 1 },
    example: 42,
  },
  WWWAuthenticate: {
    description: "How to authenticate (RFC 6750).",
    required: true,
    schema: text,
    example: 'Bearer realm="petstore"',
  },
  NextPage: {
    description: 'The next page, when there is one: `<absolute URL>; rel="next"`.',
    required: false,
    schema: text,
  },
  Location: {
    description: "The path at which the new animal can be fetched.",
    required: true,
    schema: text,
    example: "/v1/pets/1",
  },
  Deprecation: {
    description: "Since when the operation is deprecated (RFC 9745).",
    required: true,
    schema: text,
    example: "@1796083200",
  },
  Sunset: {
    description: "When the operation is removed (RFC 8594).",
    required: true,
    schema: text,
    example: new Date(SUNSET).toUTCString(),
  },
  Successor: {
    description: "What to use instead (`successor-version`) and where that is explained (`deprecation`).",
    required: true,
    schema: text,
  },
} satisfies Record<string, Header>;

type Headers = Record<string, { $ref: string }>;

function ref(name: keyof typeof headers): { $ref: string } {
  return { $ref: `#/components/headers/${name}` };
}

const everywhere: Headers = {
  "X-RateLimit-Limit": ref("XRateLimitLimit"),
  "X-RateLimit-Remaining": ref("XRateLimitRemaining"),
  "X-RateLimit-Reset": ref("XRateLimitReset"),
  "RateLimit-Policy": ref("RateLimitPolicy"),
  RateLimit: ref("RateLimit"),
  "X-Request-Id": ref("XRequestId"),
};
const deprecated: Headers = { Deprecation: ref("Deprecation"), Sunset: ref("Sunset"), Link: ref("Successor") };

const refusals: Record<number, { description: string; headers?: Headers }> = {
  400: { description: "The request contains invalid values, or lacks required ones." },
  401: { description: "The API key is missing or invalid.", headers: { "WWW-Authenticate": ref("WWWAuthenticate") } },
  403: { description: "The API key lacks the scope that this operation needs." },
  404: { description: "The animal does not exist." },
  410: { description: "The operation was removed on 5 December 2030." },
  413: { description: "The request body is larger than 64 KiB." },
  415: { description: "The request body is not application/json." },
  429: {
    description: "A limit is exceeded, or the key is banned for a while.",
    headers: { "Retry-After": ref("RetryAfter") },
  },
  500: { description: "Something went wrong in the service." },
  503: { description: "The service cannot do this right now.", headers: { "Retry-After": ref("RetryAfter") } },
};

/** The responses of an operation: its own, and these refusals, each with the headers that all of them carry. */
function responses(
  own: { status: number; description: string; schema: z.ZodType; headers?: Headers },
  statuses: number[],
  more: Headers = {},
) {
  const one = (description: string, schema: z.ZodType, extra: Headers = {}) => ({
    description,
    headers: { ...everywhere, ...more, ...extra },
    content: { "application/json": { schema } },
  });
  const result: RouteConfig["responses"] = { [own.status]: one(own.description, own.schema, own.headers) };
  for (const status of statuses) {
    const refusal = refusals[status];
    if (refusal !== undefined) result[status] = one(refusal.description, ErrorSchema, refusal.headers);
  }
  return result;
}

const query = z.object({
  limit: z.int().optional().meta({
    type: "integer",
    minimum: PAGE.min,
    maximum: PAGE.max,
    default: PAGE.default,
    description: "Maximum number of animals returned.",
  }),
  status: PetStatus.optional().meta({ description: "Only animals of this status." }),
  after: z.bigint().optional().meta({
    type: "integer",
    format: "int64",
    minimum: 0,
    maximum: INT64_MAX,
    description: "Only animals with an id above this one: the last id of the page before.",
  }),
  ids: z
    .array(z.bigint().meta({ type: "integer", format: "int64", minimum: 1, maximum: INT64_MAX }))
    .min(1)
    .max(MOST_IDS)
    .optional()
    .meta({
      param: { style: "form", explode: false },
      description: "Only animals with these ids, separated by commas.",
      examples: [[1, 2, 3]],
    }),
});

const petId = z.object({
  petId: z.bigint().meta({
    type: "integer",
    format: "int64",
    param: { name: "petId", in: "path" },
    description: "Identifier of the animal. Whatever is not the id of an animal is answered with 404.",
    examples: [1],
  }),
});

const DESCRIPTION = `A catalogue of animals: list them, add one, fetch one.

Every call needs an API key, sent as \`Authorization: Bearer <API_KEY>\`. Each key has a plan with two limits, a minute and
a day; every answer tells where you stand in both. When refused with 429, wait for the seconds in \`Retry-After\` and back
off exponentially: a key that goes on regardless is banned for a while, one that waits never is.

Integers are exact over the whole int64 range: read \`categoryId\` with a parser that keeps them so.`;

/** The OpenAPI 3.1 document of the interface, made from the schemas that validate. Bounds of int64 are bigints in it. */
export function openApiDocument(baseUrls: Record<Deployment, string>) {
  const registry = new OpenAPIRegistry();
  for (const [name, header] of Object.entries(headers)) registry.registerComponent("headers", name, header);
  registry.registerComponent("securitySchemes", "apiKey", {
    type: "http",
    scheme: "bearer",
    description: "An API key: `pets_live_…` on production, `pets_stag_…` on staging.",
  });
  const common = { security: [{ apiKey: [] }], tags: ["pets"] };

  registry.registerPath({
    ...common,
    method: "get",
    path: "/pets",
    operationId: "listPets",
    summary: "List animals",
    description:
      'Returns a page of animals, by id, ascending. Follow the `Link` with `rel="next"` for the page after it. Needs the scope `pets:read`.',
    request: { query },
    responses: responses(
      {
        status: 200,
        description: "A page of animals, perhaps empty.",
        schema: Pets,
        headers: { Link: ref("NextPage") },
      },
      [400, 401, 403, 429, 500, 503],
    ),
  });
  registry.registerPath({
    ...common,
    method: "post",
    path: "/pets",
    operationId: "createPet",
    summary: "Add an animal",
    description:
      "Adds an animal. Once it is answered with 201 the animal is on the disk. Needs the scope `pets:write`.",
    request: { body: { required: true, content: { "application/json": { schema: NewPet } } } },
    responses: responses(
      { status: 201, description: "The animal was added.", schema: Pet, headers: { Location: ref("Location") } },
      [400, 401, 403, 413, 415, 429, 500, 503],
    ),
  });
  registry.registerPath({
    ...common,
    method: "get",
    path: "/pets/{petId}",
    operationId: "getPet",
    summary: "Get one animal",
    description:
      "Use `GET /pets?ids={petId}` instead: this operation is removed on 5 December 2030. Needs the scope `pets:read`.",
    deprecated: true,
    "x-sunset": new Date(SUNSET).toISOString().slice(0, 10),
    request: { params: petId },
    responses: responses(
      { status: 200, description: "The animal.", schema: Pet },
      [401, 403, 404, 410, 429, 500, 503],
      deprecated,
    ),
  });

  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: "3.1.0",
    info: {
      title: "Pet Store Service Interface",
      version: "1.0.0",
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [
      { url: baseUrls.production, description: "Production" },
      { url: baseUrls.staging, description: "Staging" },
    ],
    tags: [{ name: "pets", description: "The catalogue of animals." }],
  });
}
