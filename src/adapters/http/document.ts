import { OpenAPIRegistry, OpenApiGeneratorV31 } from "@asteasolutions/zod-to-openapi";
import { z } from "zod";
import type { Deployment } from "../../domain/deployment.ts";
import { INT64_MAX } from "../../domain/int64.ts";
import { MOST_IDS, PAGE } from "../../domain/pets/listing.ts";
import { NewPet, Pet, PetStatus, Pets } from "../../domain/pets/pet.ts";
import { SUNSET } from "./deprecation.ts";
import { deprecated, headers, ref } from "./document-headers.ts";
import { responses } from "./document-responses.ts";
import { IDEMPOTENCY_KEY } from "./idempotency-key.ts";
import { Usage } from "./usage.ts";

const query = z.object({
  limit: z.int().optional().meta({
    type: "integer",
    minimum: PAGE.min,
    maximum: PAGE.max,
    default: PAGE.default,
    description: "Maximum number of pets returned.",
  }),
  status: PetStatus.optional().meta({ description: "Only pets of this status." }),
  after: z
    .bigint()
    .optional()
    .meta({
      type: "integer",
      format: "int64",
      minimum: 0,
      maximum: INT64_MAX,
      description: `Only pets with an id above this one, an int64 of 0 to ${INT64_MAX}: the last id of the page before.`,
    }),
  ids: z
    .array(z.bigint().meta({ type: "integer", format: "int64", minimum: 1, maximum: INT64_MAX }))
    .min(1)
    .max(MOST_IDS)
    .optional()
    .meta({
      param: { style: "form", explode: false },
      description: "Only pets with these ids, separated by commas.",
      examples: [[1, 2, 3]],
    }),
});

const petId = z.object({
  petId: z.bigint().meta({
    type: "integer",
    format: "int64",
    param: { name: "petId", in: "path" },
    description: "Identifier of the pet. Whatever is not the id of a pet is answered with 404.",
    examples: [1],
  }),
});

const idempotencyKey = z.object({
  "Idempotency-Key": z
    .string()
    .optional()
    .meta({
      ...IDEMPOTENCY_KEY,
      description:
        "Names this creation among those of the API key, for 24 hours: whatever is made up for it, a UUID for example. Sent again with the same pet it is answered as the first time.",
      examples: ["7c0ff4d2-8a1c-4a8e-9c55-0d7c1c6f9b0e"],
    }),
});

const example = { id: 1, name: "Rex", categoryId: 1, status: "available" } satisfies Record<keyof Pet, unknown>;

const usageExample = {
  plan: "free",
  minute: { limit: 60, used: 3, remaining: 57, resetAt: "2026-12-02T10:01:00.000Z" },
  day: { limit: 1_000, used: 3, remaining: 997, resetAt: "2026-12-03T10:00:00.000Z" },
  strikes: 0,
  ban: null,
  last24Hours: [
    {
      at: "2026-12-02T10:00:00.000Z",
      requests: 4,
      byClass: { "2xx": 3, "4xx": 1, "429": 0, "5xx": 0 },
      byOperation: { listPets: 2, createPet: 1, getPet: 0, getUsage: 1, other: 0 },
    },
  ],
} satisfies z.input<typeof Usage>;

const DESCRIPTION = `A catalogue of pets: list them, add one, fetch one.

Every call needs an API key, sent as \`Authorization: Bearer <API_KEY>\`. Each key has a plan with two limits, a minute and
a day; every answer tells where you stand in both. When refused with 429, wait for the seconds in \`Retry-After\` and back
off exponentially: a key that goes on regardless is banned for a while, one that waits never is.

\`GET /usage\` is an addition to version 1.0.0 of the interface: what your key has used and has left, for free.

Integers are exact over the whole int64 range: read \`categoryId\` with a parser that keeps them so. Viewers
in a browser often round what they show beyond 2^53; the reference at \`/docs/reference\` does not.`;

/** The OpenAPI 3.1 document of the interface, made from the schemas that validate. Bounds of int64 are bigints in it. */
export function openApiDocument(baseUrls: Record<Deployment, string>) {
  const docs = `${baseUrls.production.slice(0, -"/v1".length)}/docs`;
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
    summary: "List pets",
    description:
      'Returns a page of pets, by id, ascending. Follow the `Link` with `rel="next"` for the page after it. Needs the scope `pets:read`.',
    request: { query },
    responses: responses(
      {
        status: 200,
        description: "A page of pets, perhaps empty.",
        schema: Pets,
        example: [example],
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
    summary: "Add a pet",
    description:
      "Adds a pet. Once it is answered with 201 the pet is on the disk. With an `Idempotency-Key` asking again is safe: for 24 hours it adds nothing more, and is given the first answer. Needs the scope `pets:write`.",
    request: { headers: idempotencyKey, body: { required: true, content: { "application/json": { schema: NewPet } } } },
    responses: responses(
      {
        status: 201,
        description: "The pet was added.",
        schema: Pet,
        example,
        headers: { Location: ref("Location"), "Idempotency-Replayed": ref("IdempotencyReplayed") },
      },
      [400, 401, 403, 409, 413, 415, 422, 429, 500, 503],
    ),
  });
  registry.registerPath({
    ...common,
    method: "get",
    path: "/pets/{petId}",
    operationId: "getPet",
    summary: "Get one pet",
    description:
      "Use `GET /pets?ids={petId}` instead: this operation is removed on 5 December 2030. Needs the scope `pets:read`.",
    deprecated: true,
    "x-sunset": new Date(SUNSET).toISOString().slice(0, 10),
    request: { params: petId },
    responses: responses(
      { status: 200, description: "The pet.", schema: Pet, example },
      [401, 403, 404, 410, 429, 500, 503],
      deprecated,
    ),
  });

  registry.registerPath({
    security: [{ apiKey: [] }],
    tags: ["usage"],
    method: "get",
    path: "/usage",
    operationId: "getUsage",
    summary: "Read your key's use",
    description: `What the key has used and has left: both windows, strikes, a ban, and what it did in the last 24 hours.
Free: it counts in no window, is answered when nothing is left and during a ban, and needs no scope. Only requests without
a valid key are refused, with 401 or 429. An addition to version 1.0.0 of the interface.`,
    "x-addition-to": "1.0.0",
    responses: responses(
      { status: 200, description: "What the key has used, and has left.", schema: Usage, example: usageExample },
      [401, 429, 500, 503],
    ),
  });

  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: "3.1.0",
    info: {
      title: "Pet Store Service Interface",
      version: "1.0.0",
      description: `${DESCRIPTION}\n\nThe [documentation](${docs}) has a quick start, and every error with what to do about it.`,
      license: { name: "MIT", identifier: "MIT" },
    },
    externalDocs: { url: docs, description: "Documentation" },
    servers: [
      { url: baseUrls.production, description: "Production" },
      { url: baseUrls.staging, description: "Staging" },
    ],
    tags: [
      { name: "pets", description: "The catalogue of pets." },
      { name: "usage", description: "What a key has used, and has left." },
    ],
  });
}
