import type { HeaderReferences } from "./routes.ts";

type Schema = { type: "integer" | "string"; [keyword: string]: unknown };

type Header = { description: string; required: boolean; schema: Schema; example?: string | number };

const wholeNumber: Schema = { type: "integer", minimum: 0 };

const text: Schema = { type: "string" };

export const headers = {
  XRateLimitLimit: {
    description: "The limit of the window with fewer requests remaining (on a 429: the window that refused).",
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
    description: "When that window ends, as a Unix timestamp in seconds.",
    required: true,
    schema: wholeNumber,
    example: 1795000060,
  },
  RateLimitPolicy: {
    description: "The limits of both windows: `q` requests in `w` seconds.",
    required: true,
    schema: text,
    example: '"minute";q=60;w=60, "day";q=1000;w=86400',
  },
  RateLimit: {
    description: "The state of both windows: `r` requests remain for `t` more seconds, rounded up.",
    required: true,
    schema: text,
    example: '"minute";r=59;t=60, "day";r=999;t=86400',
  },
  XRequestId: {
    description:
      "Identifies this request in the service's log. The service keeps yours if it has 1 to 128 characters of `A-Z a-z 0-9 . _ -`.",
    required: true,
    schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,128}$" },
  },
  RetryAfter: {
    description: "Seconds to wait before you retry.",
    required: true,
    schema: { type: "integer", minimum: 1 },
    example: 42,
  },
  RetryAfterInProgress: {
    description: "Seconds to wait before you retry, with `idempotency_in_progress`.",
    required: false,
    schema: { type: "integer", minimum: 1 },
    example: 1,
  },
  WWWAuthenticate: {
    description: "How to authenticate, and on 403 the scope that is missing (RFC 6750).",
    required: true,
    schema: text,
    example: 'Bearer realm="petstore"',
  },
  NextPage: {
    description: 'The next page, if there is one: `<absolute URL>; rel="next"`.',
    required: false,
    schema: text,
  },
  Location: {
    description: "The path of what was created.",
    required: true,
    schema: text,
    example: "/v1/pets/1",
  },
  ETag: {
    description:
      "Identifies this state of the resource (RFC 9110): send it in `If-None-Match` to read only what has changed, in `If-Match` to change only this state.",
    required: true,
    schema: text,
    example: '"v1"',
  },
  IdempotencyReplayed: {
    description: "Present if an earlier request with this Idempotency-Key created the resource; this is its response.",
    required: false,
    schema: { type: "string", enum: ["true"] },
  },
  Deprecation: {
    description: "When the operation was deprecated (RFC 9745).",
    required: true,
    schema: text,
    example: "@1795132800",
  },
  Sunset: {
    description: "When the operation will be removed (RFC 8594).",
    required: true,
    schema: text,
    example: "Thu, 05 Dec 2030 00:00:00 GMT",
  },
  PetstoreSimulated: {
    description: "What was simulated, on staging. A response without it is real.",
    required: false,
    schema: text,
    example: "rate_limit_exceeded",
  },
  Successor: {
    description: "The replacement (`successor-version`) and its documentation (`deprecation`).",
    required: true,
    schema: text,
  },
} satisfies Record<string, Header>;

export function ref(name: keyof typeof headers): { $ref: string } {
  return { $ref: `#/components/headers/${name}` };
}

/** The headers of every response under /v1. */
export const everywhere: HeaderReferences = {
  "X-RateLimit-Limit": ref("XRateLimitLimit"),
  "X-RateLimit-Remaining": ref("XRateLimitRemaining"),
  "X-RateLimit-Reset": ref("XRateLimitReset"),
  "RateLimit-Policy": ref("RateLimitPolicy"),
  RateLimit: ref("RateLimit"),
  "X-Request-Id": ref("XRequestId"),
};

/** Further headers of every response under /v1 on staging. */
export const onStaging: HeaderReferences = { "Petstore-Simulated": ref("PetstoreSimulated") };

/** The headers of every successful read under /v1. */
export const ofReads: HeaderReferences = { ETag: ref("ETag") };

/** The headers of a page of a list, beside its ETag. */
export const ofPage: HeaderReferences = { Link: ref("NextPage") };

/** The headers of the response to a change. */
export const ofChange: HeaderReferences = { ETag: ref("ETag") };

/** The headers of the response to a creation. */
export const ofCreation: HeaderReferences = { ETag: ref("ETag"), Location: ref("Location") };

/** The headers of every response of a deprecated operation. */
export const deprecated: HeaderReferences = {
  Deprecation: ref("Deprecation"),
  Sunset: ref("Sunset"),
  Link: ref("Successor"),
};
