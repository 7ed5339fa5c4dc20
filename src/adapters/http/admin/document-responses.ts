import type { RouteConfig } from "@asteasolutions/zod-to-openapi";
import type { z } from "zod";
import { administrationErrors } from "../../../domain/errors.ts";
import { ref } from "../document-headers.ts";
import { errorSchema } from "../openapi-responses.ts";

const ErrorSchema = errorSchema(Object.keys(administrationErrors));

const everywhere = { "X-Request-Id": ref("XRequestId") };
const retryAfter = { "Retry-After": ref("RetryAfter") };

/** What a request is refused with, by status. */
const refusals: Record<
  number,
  { description: string; headers?: typeof retryAfter | { "WWW-Authenticate": { $ref: string } } }
> = {
  400: { description: "The request contains invalid values, or lacks required ones." },
  401: {
    description: "The token or the session is missing, invalid or over.",
    headers: { "WWW-Authenticate": ref("WWWAuthenticate") },
  },
  403: { description: "The operator's role does not allow this, or a page of another site asks for it." },
  404: { description: "There is no such thing." },
  409: { description: "It is in a state in which this cannot be done." },
  413: { description: "The request body is larger than 64 KiB." },
  415: { description: "The request body is not of the media type that is expected." },
  429: { description: "Too many attempts from this address.", headers: retryAfter },
  500: { description: "Something went wrong in the service." },
  503: { description: "The service cannot do this right now.", headers: retryAfter },
};

/** What any operation may be refused with. */
const ALWAYS = [401, 403, 429, 500, 503];

/** The refusals that all operations have, and these. */
export function refusalsOf(statuses: number[]): RouteConfig["responses"] {
  const all = [...ALWAYS, ...statuses].toSorted((a, b) => a - b);
  return Object.fromEntries(
    all.map((status) => {
      const { description = "", headers = {} } = refusals[status] ?? {};
      const content = { "application/json": { schema: ErrorSchema } };
      return [status, { description, headers: { ...everywhere, ...headers }, content }];
    }),
  );
}

/** The answer of a request that succeeds: with a JSON body, where there is a schema. */
export function succeeding(status: number, description: string, schema?: z.ZodType): RouteConfig["responses"] {
  const content = schema && { content: { "application/json": { schema } } };
  return { [status]: { description, headers: everywhere, ...content } };
}

/** The answer of a request that succeeds with a text of one of these media types, which may be long. */
export function streaming({ description, types }: { description: string; types: string[] }): RouteConfig["responses"] {
  const content = Object.fromEntries(types.map((type) => [type, { schema: { type: "string" as const } }]));
  return { 200: { description, headers: everywhere, content } };
}
