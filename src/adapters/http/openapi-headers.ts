import type { HeaderReferences } from "./routes.ts";

type Schema = { type: "integer" | "string"; [keyword: string]: unknown };
type Header = { description: string; required: boolean; schema: Schema; example?: string | number };

const wholeNumber: Schema = { type: "integer", minimum: 0 };
const seconds: Schema = { type: "integer", minimum: 1 };
const text: Schema = { type: "string" };

const always = (description: string, example?: string | number, schema = text): Header => ({
  description,
  required: true,
  schema,
  ...(example !== undefined && { example }),
});

const sometimes: typeof always = (...header) => ({ ...always(...header), required: false });

export const headers = {
  XRateLimitLimit: always(
    "The limit of the window with fewer requests remaining (on a 429: the window that refused).",
    60,
    wholeNumber,
  ),
  XRateLimitRemaining: always("Requests that remain in that window.", 59, wholeNumber),
  XRateLimitReset: always("When that window ends, as a Unix timestamp in seconds.", 1795000060, wholeNumber),
  RateLimitPolicy: always(
    "The limits of both windows: `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers-10).",
    '"minute";q=60;w=60, "day";q=1000;w=86400',
  ),
  RateLimit: always(
    "The state of both windows: `r` requests remain for `t` more seconds, rounded up (draft-ietf-httpapi-ratelimit-headers-10; a later draft may call them `a` and `w`).",
    '"minute";r=59;t=60, "day";r=999;t=86400',
  ),
  XRequestId: always(
    "Identifies this request in the service's log. The service keeps yours if it has 1 to 128 characters of `A-Z a-z 0-9 . _ -`.",
    undefined,
    { type: "string", minLength: 1, maxLength: 128 },
  ),
  RetryAfter: always("Seconds to wait before you retry.", 42, seconds),
  RetryAfterInProgress: sometimes("Seconds to wait before you retry, with `idempotency_in_progress`.", 1, seconds),
  WWWAuthenticate: always(
    "How to authenticate, and on 403 the scope that is missing (RFC 6750).",
    'Bearer realm="petstore"',
  ),
  NextPage: sometimes('The next page, if there is one: `<absolute URL>; rel="next"`.'),
  NextEvents: always('Where to go on, also when nothing has happened yet: `<absolute URL>; rel="next"`.'),
  PetstoreCount: sometimes(
    "With `Prefer: count=exact`, how many pets match on all pages, if they could be counted.",
    42,
    wholeNumber,
  ),
  PreferenceApplied: sometimes("What of Prefer was applied (RFC 7240).", "handling=strict"),
  PetstorePosition: always(
    "A position in the feed of events: what the page shows is at least as new. Follow the events from that of the first page.",
    42,
    { type: "integer", format: "int64", minimum: 1 },
  ),
  Location: always("The URL of what was created.", "https://api.example.com/v1/pets/1"),
  ETag: always(
    "Identifies this state of the resource (RFC 9110): send it in `If-None-Match` to read only what has changed, in `If-Match` to change only this state.",
    '"v1"',
  ),
  IdempotencyReplayed: sometimes(
    "Present if an earlier request with this Idempotency-Key created the resource; this is its response.",
    undefined,
    { type: "string", enum: ["true"] },
  ),
  Deprecation: always("When the operation was deprecated (RFC 9745).", "@1795132800"),
  Sunset: always("When the operation will be removed (RFC 8594).", "Thu, 05 Dec 2030 00:00:00 GMT"),
  PetstoreSimulated: sometimes("What was simulated, on staging. A response without it is real.", "rate_limit_exceeded"),
  Successor: always("The replacement (`successor-version`) and its documentation (`deprecation`)."),
};

export function ref(name: keyof typeof headers): { $ref: string } {
  return { $ref: `#/components/headers/${name}` };
}

export const everywhere: HeaderReferences = {
  "X-RateLimit-Limit": ref("XRateLimitLimit"),
  "X-RateLimit-Remaining": ref("XRateLimitRemaining"),
  "X-RateLimit-Reset": ref("XRateLimitReset"),
  "RateLimit-Policy": ref("RateLimitPolicy"),
  RateLimit: ref("RateLimit"),
  "X-Request-Id": ref("XRequestId"),
  "Preference-Applied": ref("PreferenceApplied"),
};

export const onStaging: HeaderReferences = { "Petstore-Simulated": ref("PetstoreSimulated") };

export const ofReads: HeaderReferences = { ETag: ref("ETag") };

export const ofPage: HeaderReferences = { Link: ref("NextPage"), "Petstore-Position": ref("PetstorePosition") };

export const ofOwnRequests: HeaderReferences = { Link: ref("NextPage") };

export const ofPets: HeaderReferences = { ...ofPage, "Petstore-Count": ref("PetstoreCount") };

export const ofFeed: HeaderReferences = { Link: ref("NextEvents") };

export const ofChange: HeaderReferences = { ETag: ref("ETag") };

export const ofCreation: HeaderReferences = { ETag: ref("ETag"), Location: ref("Location") };

export const deprecated: HeaderReferences = {
  Deprecation: ref("Deprecation"),
  Sunset: ref("Sunset"),
  Link: ref("Successor"),
};
