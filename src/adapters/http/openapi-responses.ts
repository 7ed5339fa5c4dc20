import type { RouteConfig } from "@asteasolutions/zod-to-openapi";
import { z } from "zod";
import { type ErrorCode, errorCatalogue } from "../../domain/error-catalogue.ts";
import type { Answer, Description, HeaderReferences } from "./description.ts";
import { ref } from "./document-headers.ts";
import { type ErrorBody, statusOf } from "./errors.ts";

type Responses = RouteConfig["responses"];

const ErrorDetail = z
  .strictObject({
    in: z.enum(["body", "query", "header"]).meta({ id: "RequestPart", description: "The part of the request." }),
    field: z.string().meta({ description: "The field, the parameter or the header.", examples: ["limit"] }),
    problem: z.string().meta({ description: "What it must be.", examples: ["must be an integer from 1 to 100"] }),
  })
  .meta({ id: "ErrorDetail", description: "A problem of a request." });

/** The schema of errors with these codes. Source: docs/errors.md, Error. */
export const errorSchema = (codes: string[]) =>
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

export type Messages = Partial<Record<ErrorCode, string>>;

const NOT_MODIFIED: Answer = { description: "You have the current representation: its ETag is in If-None-Match." };

export type ResponseParts = {
  errorSchema: z.ZodType;
  /** The errors that the operation may return. */
  refusals: readonly ErrorCode[];
  /** The messages of errors that depend on the operation. The others have the message of the catalogue. */
  messages?: Messages | undefined;
  /** The headers of every response. */
  everywhere: HeaderReferences;
  /** Further headers of every response of a deprecated operation. */
  ofDeprecated?: HeaderReferences;
  /** Further headers of the successful responses of a read, which may be conditional. */
  ofReads?: HeaderReferences | undefined;
  /** Responses that every operation has in addition to its own. */
  others?: Responses;
};

/** The responses of an operation: its answers, and one response per error status. */
export function responsesOf({ method, answers, deprecated }: Description, parts: ResponseParts): Responses {
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
export const withExample = (example: unknown) => example !== undefined && { example };

function headersOf(answer: Answer | string | undefined): HeaderReferences | undefined {
  return typeof answer === "object" ? answer.headers : undefined;
}

function answerOf(
  { description, schema, example, headers, types, examples }: Answer,
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
    content: Object.fromEntries((types ?? ["application/json"]).map((type) => [type, mediaOf(type)])),
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

/** The body of the error with this code. */
export function bodyOf(code: ErrorCode, messages: Messages = {}): ErrorBody {
  return { code, message: messages[code] ?? errorCatalogue[code].message, status: statusOf(code) };
}

function descriptionOf(bodies: ErrorBody[]): string {
  if (bodies.length > 1) return bodies.map(({ code, message }) => `\`${code}\`: ${message}`).join("\n\n");
  return bodies.map(({ message }) => message).join();
}
