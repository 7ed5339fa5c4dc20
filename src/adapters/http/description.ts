import type { z } from "zod";
import type { ErrorCode } from "../../domain/errors.ts";

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** What routes, the document, usage, metrics and traces know of an operation. */
export type Description = {
  /** Its name wherever it is counted or documented. */
  id: string;
  method: Method;
  /** Below the prefix of its interface, with parameters in braces: `/pets/{petId}`. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  /** The version of the interface that it is an addition to. */
  additionTo?: string;
  deprecated?: Deprecation;
  request?: RequestSchemas;
  /** What it answers when it succeeds, by status. */
  answers: Readonly<Record<number, string | Answer>>;
  /** The errors that are its own. Those that its interface or its request always have are not listed. */
  refusals?: readonly ErrorCode[];
};

export type RequestSchemas<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  H extends z.ZodObject = z.ZodObject,
  B extends z.ZodType = z.ZodType,
> = {
  /** A path parameter's schema raises the error for a text that names nothing. */
  params?: P;
  query?: Q;
  headers?: H;
  /** A JSON body. It may be left out where the schema takes undefined. */
  body?: B;
  /** The media types of the body: application/json if left out. Without a schema the handler reads the body itself. */
  types?: readonly string[];
};

/** Response headers by name, each a reference into the document's components. */
export type HeaderReferences = Record<string, { $ref: string }>;

/** A successful response. Without a schema it has no body, or, where it has media types, one that is streamed. */
export type Answer = {
  description: string;
  schema?: z.ZodType;
  example?: unknown;
  /** Its headers beside those that every response has. */
  headers?: HeaderReferences;
  /** The media types of its body: application/json if left out. */
  types?: readonly string[];
};

/** When an operation was deprecated and will be removed (Unix ms), and what to use instead. */
export type Deprecation = {
  deprecatedAt: number;
  removedAt: number;
  /** The method and path to use instead, for people. */
  replacement: string;
  /** The path and query below the base address to use instead, for a request with these path parameters. */
  successor: (params: Record<string, string>) => string;
  /** What every response of the operation says of it (RFC 9745, RFC 8594). */
  headers: { Deprecation: string; Sunset: string };
};

/** A deprecation with its headers. */
export function deprecation(its: Omit<Deprecation, "headers">): Deprecation {
  const { deprecatedAt, removedAt } = its;
  return {
    ...its,
    headers: { Deprecation: `@${deprecatedAt / 1000}`, Sunset: new Date(removedAt).toUTCString() },
  };
}

/** The schema of a JSON body takes undefined where the body may be left out. */
export function isBodyRequired({ body }: RequestSchemas): boolean {
  return body === undefined || !body.safeParse(undefined).success;
}
