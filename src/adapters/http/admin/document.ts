import { OpenAPIRegistry, OpenApiGeneratorV31, type RouteConfig } from "@asteasolutions/zod-to-openapi";
import { z } from "zod";
import { NewPet, Pet } from "../../../domain/pets/pet.ts";
import { headers } from "../document-headers.ts";
import { AuditQuery } from "./audit.ts";
import { refusalsOf, streaming, succeeding } from "./document-responses.ts";
import { KeysQuery } from "./keys.ts";
import { ExportQuery, PetsQuery } from "./pets.ts";
import {
  AuditEntries,
  Deprecations,
  IssuedKey,
  IssuedOperator,
  Key,
  KeyChange,
  Keys,
  NewKey,
  NewOperator,
  Operator,
  Operators,
  Overview,
  PetPage,
  Rotation,
  Session,
  SignIn,
  State,
  UsageSeries,
} from "./schemas.ts";
import { UsageQuery } from "./usage.ts";

const DESCRIPTION = `What those do who run the service. It is served on a listener of its own, never on the public one.

Programs send an operator's token as \`Authorization: Bearer <TOKEN>\`; \`petstore operators create\` makes one. The console
signs in with it once and keeps a session in a cookie. An operator with the role viewer looks at everything; what changes
something, or shows the operators, needs the role admin. Every change is in the audit log.`;

/** An operation, its successful answer, and the statuses that it may be refused with beside those that all have. */
type Operation = Omit<RouteConfig, "responses"> & {
  operationId: string;
  success: [status: number, description: string, schema?: z.ZodType] | { description: string; types: string[] };
  refusals?: number[];
};

const json = (schema: z.ZodType, isRequired = true) => ({
  body: { required: isRequired, content: { "application/json": { schema } } },
});
const id = (text: string) => z.object({ id: z.string().meta({ param: { name: "id", in: "path" }, examples: [text] }) });
const keyId = id("key_4kTn0aWq7JbYcX2z");
const operatorId = id("op_4kTn0aWq7JbYcX2z");

const operations: Operation[] = [
  {
    method: "post",
    path: "/session",
    tags: ["session"],
    operationId: "signIn",
    summary: "Sign in",
    description:
      "Begins a session of 12 hours, kept in the cookie `petstore_session`. Ten attempts a minute for each address.",
    security: [],
    request: json(SignIn),
    success: [201, "Signed in.", Session],
    refusals: [400, 413, 415],
  },
  {
    method: "get",
    path: "/session",
    tags: ["session"],
    operationId: "getSession",
    summary: "Who is signed in",
    success: [200, "Who is signed in, or whose token was sent.", Session],
  },
  {
    method: "delete",
    path: "/session",
    tags: ["session"],
    operationId: "signOut",
    summary: "Sign out",
    success: [204, "Signed out."],
  },
  {
    method: "get",
    path: "/keys",
    tags: ["keys"],
    operationId: "listKeys",
    summary: "List keys",
    description: "Keys, newest first, with what they used of their limits at this moment.",
    request: { query: KeysQuery },
    success: [200, "A page of keys, perhaps empty.", Keys],
    refusals: [400],
  },
  {
    method: "post",
    path: "/keys",
    tags: ["keys"],
    operationId: "createKey",
    summary: "Make a key",
    request: json(NewKey),
    success: [201, "The key and its secret, which is shown only now.", IssuedKey],
    refusals: [400, 413, 415],
  },
  {
    method: "get",
    path: "/keys/{id}",
    tags: ["keys"],
    operationId: "getKey",
    summary: "Get a key",
    request: { params: keyId },
    success: [200, "The key.", Key],
    refusals: [404],
  },
  {
    method: "patch",
    path: "/keys/{id}",
    tags: ["keys"],
    operationId: "updateKey",
    summary: "Change a key",
    description: "Changes its name, plan, limits or expiry, at once; what it used of its limits stays used.",
    request: { params: keyId, ...json(KeyChange) },
    success: [200, "The key as it is now.", Key],
    refusals: [400, 404, 409, 413, 415],
  },
  {
    method: "post",
    path: "/keys/{id}/rotate",
    tags: ["keys"],
    operationId: "rotateKey",
    summary: "Give a key a new secret",
    description: "Its present secrets work on for the grace, a day if that is left out. Limits and counts stay.",
    request: { params: keyId, ...json(Rotation, false) },
    success: [200, "The key and its new secret, which is shown only now.", IssuedKey],
    refusals: [400, 404, 409, 413, 415],
  },
  {
    method: "post",
    path: "/keys/{id}/revoke",
    tags: ["keys"],
    operationId: "revokeKey",
    summary: "End a key for good",
    request: { params: keyId },
    success: [200, "The key as it is now.", Key],
    refusals: [404],
  },
  {
    method: "post",
    path: "/keys/{id}/unban",
    tags: ["keys"],
    operationId: "unbanKey",
    summary: "Lift a key's ban",
    description: "Ends its ban and forgets its strikes.",
    request: { params: keyId },
    success: [200, "The key as it is now.", Key],
    refusals: [404],
  },
  {
    method: "get",
    path: "/pets",
    tags: ["pets"],
    operationId: "listCatalogue",
    summary: "List pets",
    request: { query: PetsQuery },
    success: [200, "A page of pets, by id, ascending.", PetPage],
    refusals: [400],
  },
  {
    method: "post",
    path: "/pets",
    tags: ["pets"],
    operationId: "addToCatalogue",
    summary: "Add a pet",
    request: json(NewPet),
    success: [201, "The pet.", Pet],
    refusals: [400, 413, 415],
  },
  {
    method: "get",
    path: "/pets/export",
    tags: ["pets"],
    operationId: "exportCatalogue",
    summary: "Read the whole catalogue",
    description: "All pets, or those of one status, as they are at one moment, as a file.",
    request: { query: ExportQuery },
    success: { description: "The file.", types: ["application/x-ndjson", "text/csv"] },
    refusals: [400],
  },
  {
    method: "post",
    path: "/pets/import",
    tags: ["pets"],
    operationId: "importCatalogue",
    summary: "Add the pets of a file",
    description: `A file of any size: NDJSON with a pet a line, or CSV whose first line names \`name\`, \`categoryId\` and, where
it likes, \`status\`. While it comes in, the answer tells line by line how far it is: \`{"imported":2000,"rejected":1}\`. The last
line has \`"done":true\` and the first 100 \`rejections\`, each with its \`line\` and \`problem\`; or \`"done":false\` and the
\`error\` that it was cut short by: what was imported by then stays.`,
    request: {
      body: {
        required: true,
        content: {
          "application/x-ndjson": { schema: z.string() },
          "text/csv": { schema: z.string() },
        },
      },
    },
    success: { description: "How far it is, line by line.", types: ["application/x-ndjson"] },
    refusals: [400, 415],
  },
  {
    method: "get",
    path: "/operators",
    tags: ["operators"],
    operationId: "listOperators",
    summary: "List operators",
    success: [200, "All operators, oldest first.", Operators],
  },
  {
    method: "post",
    path: "/operators",
    tags: ["operators"],
    operationId: "createOperator",
    summary: "Make an operator",
    request: json(NewOperator),
    success: [201, "The operator and its token, which is shown only now.", IssuedOperator],
    refusals: [400, 413, 415],
  },
  {
    method: "post",
    path: "/operators/{id}/revoke",
    tags: ["operators"],
    operationId: "revokeOperator",
    summary: "End an operator for good",
    description: "Its token and its sessions are refused from now on.",
    request: { params: operatorId },
    success: [200, "The operator as it is now.", Operator],
    refusals: [404],
  },
  {
    method: "get",
    path: "/overview",
    tags: ["usage"],
    operationId: "getOverview",
    summary: "How the service is doing",
    success: [200, "How it is doing, now and over the last hour, day and month.", Overview],
  },
  {
    method: "get",
    path: "/usage",
    tags: ["usage"],
    operationId: "getUsageOfAll",
    summary: "What all keys, and strangers, asked for",
    description: "Counted by minute for 30 days, by hour for 90 and by day for 400. At most 1,500 points.",
    request: { query: UsageQuery },
    success: [200, "What was asked of the interface.", UsageSeries],
    refusals: [400],
  },
  {
    method: "get",
    path: "/keys/{id}/usage",
    tags: ["usage"],
    operationId: "getUsageOfKey",
    summary: "What a key asked for",
    request: { params: keyId, query: UsageQuery },
    success: [200, "What the key asked for.", UsageSeries],
    refusals: [400, 404],
  },
  {
    method: "get",
    path: "/deprecations",
    tags: ["usage"],
    operationId: "listDeprecations",
    summary: "Who still calls what will be removed",
    success: [200, "Each such operation, with the keys that called it.", Deprecations],
  },
  {
    method: "get",
    path: "/audit",
    tags: ["audit"],
    operationId: "listAuditEntries",
    summary: "What was changed, and by whom",
    request: { query: AuditQuery },
    success: [200, "A page of the log, newest first.", AuditEntries],
    refusals: [400],
  },
  {
    method: "get",
    path: "/state",
    tags: ["state"],
    operationId: "getState",
    summary: "How the service is",
    success: [200, "How the service is.", State],
  },
];

/** The OpenAPI 3.1 document of the administration interface. Bounds of int64 are bigints in it. */
export function administrationDocument() {
  const registry = new OpenAPIRegistry();
  const { XRequestId, RetryAfter, WWWAuthenticate } = headers;
  for (const [name, header] of Object.entries({ XRequestId, RetryAfter, WWWAuthenticate })) {
    registry.registerComponent("headers", name, header);
  }
  registry.registerComponent("securitySchemes", "token", {
    type: "http",
    scheme: "bearer",
    description: "An operator's token: `pets_oper_…`.",
  });
  registry.registerComponent("securitySchemes", "session", {
    type: "apiKey",
    in: "cookie",
    name: "petstore_session",
    description: "What signing in left with the browser.",
  });
  for (const { success, refusals = [], ...operation } of operations) {
    registry.registerPath({
      security: [{ token: [] }, { session: [] }],
      ...operation,
      responses: { ...(Array.isArray(success) ? succeeding(...success) : streaming(success)), ...refusalsOf(refusals) },
    });
  }
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: "3.1.0",
    info: {
      title: "Pet Store Administration Interface",
      version: "1.0.0",
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/admin/v1", description: "The listener that has this document." }],
    tags: [
      { name: "session", description: "Signing in and out." },
      { name: "keys", description: "API keys." },
      { name: "operators", description: "Those who run the service." },
      { name: "pets", description: "The catalogue of pets." },
      { name: "usage", description: "What was asked of the interface." },
      { name: "audit", description: "What they changed." },
      { name: "state", description: "How the service is." },
    ],
  });
}
