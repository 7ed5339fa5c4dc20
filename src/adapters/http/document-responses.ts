import type { RouteConfig } from "@asteasolutions/zod-to-openapi";
import { z } from "zod";
import { type ErrorCode, publicErrors } from "../../domain/errors.ts";
import type { HeaderReferences } from "./description.ts";
import { everywhere, ref } from "./document-headers.ts";
import type { ErrorBody } from "./errors.ts";

/** interface.md, Resources: Error, with the codes that an interface has. */
export const errorSchema = (codes: string[]) =>
  z
    .strictObject({
      code: z.enum(codes).meta({ description: "What went wrong, for programs. The list is closed." }),
      message: z.string().meta({ description: "What went wrong and what to do, for people." }),
      status: z.int().meta({ type: "integer", minimum: 400, maximum: 599, description: "The HTTP status code." }),
      details: z
        .array(z.strictObject({ in: z.enum(["body", "query", "header"]), field: z.string(), problem: z.string() }))
        .optional()
        .meta({ description: "On 400: every single thing that is wrong." }),
    })
    .meta({ id: "Error", description: "What every refusal looks like." });

const ErrorSchema = errorSchema(Object.keys(publicErrors));

type Refusal = {
  description: string;
  headers?: HeaderReferences;
  code: ErrorCode;
  message: string;
  details?: ErrorBody["details"];
};

/** What a request is refused with, by status: its commonest code serves as the example. */
const refusals: Record<number, Refusal> = {
  400: {
    description: "The request contains invalid values, or lacks required ones.",
    code: "invalid_parameter",
    message: "Query parameter limit must be an integer from 1 to 100.",
    details: [{ in: "query", field: "limit", problem: "must be an integer from 1 to 100" }],
  },
  401: {
    description: "The API key is missing or invalid.",
    headers: { "WWW-Authenticate": ref("WWWAuthenticate") },
    code: "missing_api_key",
    message: "This needs an API key. Send it in the header Authorization: Bearer <API_KEY>.",
  },
  403: {
    description: "The API key lacks the scope that this operation needs.",
    code: "insufficient_scope",
    message: "This API key lacks the scope pets:write. Ask for a key that has it.",
  },
  404: {
    description: "The pet does not exist.",
    code: "pet_not_found",
    message: "There is no pet with this id.",
  },
  409: {
    description: "The first request with this Idempotency-Key is not answered yet.",
    headers: { "Retry-After": ref("RetryAfter") },
    code: "idempotency_in_progress",
    message: "The first request with this Idempotency-Key is not answered yet. Ask again in a second.",
  },
  410: {
    description: "The operation was removed on 5 December 2030.",
    code: "operation_removed",
    message: "This operation was removed on 5 December 2030. Use GET https://api.example.com/v1/pets?ids=1 instead.",
  },
  413: {
    description: "The request body is larger than 64 KiB.",
    code: "payload_too_large",
    message: "The request body must not be larger than 65536 bytes.",
  },
  415: {
    description: "The request body is not application/json.",
    code: "unsupported_media_type",
    message: "Send the body as JSON in UTF-8, uncompressed, with Content-Type: application/json.",
  },
  422: {
    description: "This Idempotency-Key was sent with another pet before.",
    code: "idempotency_key_reused",
    message:
      "This Idempotency-Key was sent with another pet before. Send a new one with each new pet, and the same one only to ask again.",
  },
  429: {
    description: "A limit is exceeded, or the key is banned for a while.",
    headers: { "Retry-After": ref("RetryAfter") },
    code: "rate_limit_exceeded",
    message: "Too many requests this minute. Wait for the seconds in Retry-After, and back off exponentially.",
  },
  500: {
    description: "Something went wrong in the service.",
    code: "internal_error",
    message: "Something went wrong on our side. The X-Request-Id of this answer names it in our log.",
  },
  503: {
    description: "The service cannot do this right now.",
    headers: { "Retry-After": ref("RetryAfter") },
    code: "service_unavailable",
    message: "The service cannot do this right now. Try again in a second.",
  },
};

/** The runtime's answer, given before there is a request that the service could answer. */
const oversized = {
  description:
    "The request's line and headers are together larger than 16 KiB. They are not read: this has neither a body nor the headers of the other answers.",
  headers: {},
};

type Success = { status: number; description: string; schema: z.ZodType; example: unknown; headers?: HeaderReferences };

/** The responses of an operation: its own, these refusals, each with the headers that all of them carry, and 431. */
export function responses(own: Success, statuses: number[], more: HeaderReferences = {}): RouteConfig["responses"] {
  const one = (description: string, schema: z.ZodType, example: unknown, extra: HeaderReferences = {}) => ({
    description,
    headers: { ...everywhere, ...more, ...extra },
    content: { "application/json": { schema, example } },
  });
  const result: RouteConfig["responses"] = {
    [own.status]: one(own.description, own.schema, own.example, own.headers),
    431: oversized,
  };
  for (const status of statuses) {
    const refusal = refusals[status];
    if (refusal === undefined) continue;
    const { description, headers, ...body } = refusal;
    result[status] = one(
      description,
      ErrorSchema,
      { code: body.code, message: body.message, status, ...(body.details && { details: body.details }) },
      headers,
    );
  }
  return result;
}
