import { z } from "zod";
import { type Deployment, rootOf } from "../../domain/deployment.ts";
import { type PublicErrorCode, publicErrors } from "../../domain/errors.ts";
import { MAX_DELAY, SIMULATE } from "../../domain/simulation.ts";
import { lacksScope } from "./checks.ts";
import { bodyOf, openApiOf } from "./openapi.ts";
import { deprecated, everywhere, headers, ofReads, onStaging } from "./openapi-headers.ts";
import type { Access } from "./operation.ts";
import { additionTo, operations } from "./operations/index.ts";
import { Preferring } from "./parameters.ts";
import { MAX_HEAD } from "./request.ts";

const DESCRIPTION = `A pet store: a catalogue of pets, their categories, orders, and an inventory.

Every call needs an API key, sent as \`Authorization: Bearer <API_KEY>\`. Each key has a plan with two limits, per minute and
per day; every response shows the remaining requests of both. After a 429, wait for the seconds in \`Retry-After\` and back
off exponentially: a key that does not wait is banned for a while, a key that waits is never banned.

**Additions.** Operations with \`x-addition-to\` are additions to version 1.0.0 of the interface: changing and removing pets,
categories, orders, the inventory, and \`GET /usage\`, \`GET /key\` and \`GET /key/requests\`, which return your key's usage and
remaining requests, the key itself, and its last requests, for free.

**Orders.** An order holds its pet: the pet is pending until the order is delivered, which makes it sold, or cancelled, which
makes it available again. Of any number of clients that order a pet at once, exactly one gets it.

**Retries.** Every \`POST\` takes an \`Idempotency-Key\`: a repeated request creates nothing, and gets the first response.

**Strict handling.** With \`Prefer: handling=strict\` a misspelt query parameter or field is refused, and the nearest known one is named.
Without it, unknown ones are ignored.

**Conditional requests.** Every successful read has an \`ETag\`: with it in \`If-None-Match\` you read only what has changed. The
\`ETag\` of a pet, a category or an order in \`If-Match\` makes \`PATCH\`, \`PUT\` and \`DELETE\` change only the state that you have seen.

**Integers** are exact over the whole int64 range: read \`categoryId\` and the \`id\` of a category with a parser that keeps all digits. Viewers
in a browser often round integers beyond 2^53; the reference at \`/docs/reference\` does not.`;

/** Of a request whose headers are not read, and so neither is its key. */
const TOO_LARGE_HEAD = {
  description:
    "The request line and the headers together exceed 16 KiB. The body is an Error with `request_header_too_large`; the limit headers are those of the client address.",
  headers: {},
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/Error" },
      examples: { request_header_too_large: { value: bodyOf("request_header_too_large") } },
    },
  },
};

/** The header by which a client on staging rehearses. Production refuses it: its document has it not. */
const Simulate = z.string().meta({
  maxLength: MAX_HEAD,
  description: `What to simulate: an error code, \`delay=<ms>\` up to ${MAX_DELAY}, \`disconnect\`, \`lost-answer\` or \`now=<time>\`; several, separated by commas, if they go together. See /docs/rehearsal.`,
  examples: ["rate_limit_exceeded"],
});

/** The OpenAPI 3.1 document of the public interface of a deployment. Bounds of int64 are bigints in it. */
export function openApiDocument(baseUrls: Record<Deployment, string>, deployment: Deployment = "production") {
  const isStaging = deployment === "staging";
  const { PetstoreSimulated, ...others } = headers;
  const docs = `${rootOf(baseUrls[deployment])}/docs`;
  const production = { url: baseUrls.production, description: "Production" };
  const staging = { url: baseUrls.staging, description: "Staging" };
  return openApiOf(operations, {
    head: {
      info: {
        title: "Pet Store Service Interface",
        version: "1.0.0",
        description: `${DESCRIPTION}\n\nThe [documentation](${docs}) has a quick start, and every error with what to do about it.`,
        contact: { name: "Pet Store Service", url: docs },
        license: { name: "MIT", identifier: "MIT" },
      },
      externalDocs: { url: docs, description: "Documentation" },
      // A generated client calls the first one.
      servers: isStaging ? [staging, production] : [production, staging],
      tags: [
        { name: "pets", description: "The catalogue of pets." },
        { name: "categories", description: "Names for the categories of pets." },
        { name: "orders", description: "Orders of pets, from placed to delivered or cancelled." },
        { name: "events", description: "What changes: a feed of all changes of pets, categories and orders." },
        { name: "inventory", description: "The number of pets of each status." },
        { name: "key", description: "Your key: what it may do, its last requests, and a new secret for it." },
        { name: "usage", description: "Usage and remaining requests of a key." },
      ],
    },
    securitySchemes: {
      apiKey: {
        type: "http",
        scheme: "bearer",
        description: "An API key: `pets_live_…` on production, `pets_stag_…` on staging.",
      },
    },
    codes: Object.keys(publicErrors),
    headers: isStaging ? headers : others,
    everywhere: isStaging ? { ...everywhere, ...onStaging } : everywhere,
    requestHeaders: { ...Preferring.shape, ...(isStaging && { [SIMULATE]: Simulate.optional() }) },
    ofDeprecated: deprecated,
    ofReads,
    others: { 431: TOO_LARGE_HEAD },
    security: () => [{ apiKey: [] }],
    refusals: refusalsBefore,
    messages: ({ scope }) => (scope ? { insufficient_scope: lacksScope(scope) } : {}),
    additionTo,
    remark: ({ scope }) => scope && `Needs the scope \`${scope}\`.`,
  });
}

/** The errors of the checks before an operation. A free one is refused without a valid key, or when it is sent too often. */
function refusalsBefore({ scope, isFree }: Access): PublicErrorCode[] {
  return [
    "missing_api_key",
    "invalid_api_key",
    "expired_api_key",
    "revoked_api_key",
    "disabled_api_key",
    "rate_limit_exceeded",
    ...(isFree ? [] : (["quota_exceeded", "key_banned"] as const)),
    ...(scope ? (["insufficient_scope"] as const) : []),
    // For the header Petstore-Simulate.
    "invalid_parameter",
    "internal_error",
    "service_unavailable",
  ];
}
