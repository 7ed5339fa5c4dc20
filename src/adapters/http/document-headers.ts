import type { HeaderReferences } from "./description.ts";

type Schema = { type: "integer" | "string"; [keyword: string]: unknown };
type Header = { description: string; required: boolean; schema: Schema; example?: string | number };

const wholeNumber: Schema = { type: "integer", minimum: 0 };
const text: Schema = { type: "string" };

export const headers = {
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
    description: "What both windows have left: `r` requests remain, for `t` more seconds, rounded up.",
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
    description: "How to authenticate, and on 403 the scope that is missing (RFC 6750).",
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
    description: "The path at which the new pet can be fetched.",
    required: true,
    schema: text,
    example: "/v1/pets/1",
  },
  IdempotencyReplayed: {
    description: "That the pet was added by an earlier request with this Idempotency-Key, whose answer this is.",
    required: false,
    schema: { type: "string", enum: ["true"] },
  },
  Deprecation: {
    description: "Since when the operation is deprecated (RFC 9745).",
    required: true,
    schema: text,
    example: "@1795132800",
  },
  Sunset: {
    description: "When the operation is removed (RFC 8594).",
    required: true,
    schema: text,
    example: "Thu, 05 Dec 2030 00:00:00 GMT",
  },
  Successor: {
    description: "What to use instead (`successor-version`) and where that is explained (`deprecation`).",
    required: true,
    schema: text,
  },
} satisfies Record<string, Header>;

export function ref(name: keyof typeof headers): { $ref: string } {
  return { $ref: `#/components/headers/${name}` };
}

/** What every answer under /v1 carries. */
export const everywhere: HeaderReferences = {
  "X-RateLimit-Limit": ref("XRateLimitLimit"),
  "X-RateLimit-Remaining": ref("XRateLimitRemaining"),
  "X-RateLimit-Reset": ref("XRateLimitReset"),
  "RateLimit-Policy": ref("RateLimitPolicy"),
  RateLimit: ref("RateLimit"),
  "X-Request-Id": ref("XRequestId"),
};
/** What every answer of an operation carries that will be removed. */
export const deprecated: HeaderReferences = {
  Deprecation: ref("Deprecation"),
  Sunset: ref("Sunset"),
  Link: ref("Successor"),
};
