import type { OpenApiGeneratorV31 } from "@asteasolutions/zod-to-openapi";
import type { Deployment } from "../../../domain/deployment.ts";
import { type AdministrationErrorCode, administrationErrors } from "../../../domain/errors.ts";
import { openApiOf } from "../openapi.ts";
import { headers, ref } from "../openapi-headers.ts";
import { operations } from "./operations/index.ts";
import { cookieName } from "./sign-in.ts";

const DESCRIPTION = `The interface for operators of the service. It has its own listener, never the public one.

Programs send an operator's token as \`Authorization: Bearer <TOKEN>\`; \`petstore operators create\` creates one. The console
signs in with the token once and keeps a session in a cookie. Operators with the role viewer can read everything except
operators and backups; changes need the role admin. The audit log records every change.`;

const everyOperation: AdministrationErrorCode[] = [
  "invalid_credentials",
  "host_not_allowed",
  "cross_site_request",
  "rate_limit_exceeded",
  "internal_error",
  "service_unavailable",
];

/** The OpenAPI 3.1 document of a deployment's administration interface. Bounds of int64 are bigints in it. */
export function administrationDocument(deployment: Deployment): ReturnType<OpenApiGeneratorV31["generateDocument"]> {
  const { XRequestId, RetryAfter, RetryAfterInProgress, WWWAuthenticate, ETag, Location, IdempotencyReplayed } =
    headers;
  return openApiOf(operations, {
    head: {
      info: {
        title: "Pet Store Administration Interface",
        version: "1.0.0",
        description: DESCRIPTION,
        contact: { name: "Pet Store Service" },
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [{ url: "/admin/v1", description: "The listener that serves this document." }],
      tags: [
        { name: "session", description: "Signing in and out." },
        { name: "keys", description: "API keys." },
        { name: "operators", description: "The people and programs that operate the service." },
        { name: "pets", description: "The catalogue of pets." },
        { name: "categories", description: "The categories of pets." },
        { name: "orders", description: "The orders of pets." },
        { name: "events", description: "What changed in the catalogue and the orders." },
        { name: "webhooks", description: "The endpoints that get events or alerts." },
        { name: "alerts", description: "What operators should look at." },
        { name: "usage", description: "The requests to the public interface." },
        { name: "requests", description: "The requests of clients, one by one." },
        { name: "audit", description: "The log of changes." },
        { name: "state", description: "The state of the service." },
        { name: "backups", description: "The backups of a SQLite database." },
      ],
    },
    securitySchemes: {
      token: { type: "http", scheme: "bearer", description: "An operator's token: `pets_oper_…`." },
      session: {
        type: "apiKey",
        in: "cookie",
        name: cookieName(deployment),
        description: "The cookie that signing in sets.",
      },
    },
    codes: Object.keys(administrationErrors) as AdministrationErrorCode[],
    headers: {
      XRequestId,
      RetryAfter,
      RetryAfterInProgress,
      WWWAuthenticate,
      ETag,
      Location: {
        ...Location,
        description: "The path of what was created, or where a browser goes.",
        example: "/admin/v1/orders/1",
      },
      IdempotencyReplayed,
    },
    everywhere: { "X-Request-Id": ref("XRequestId") },
    security: ({ role }) => (role === "none" ? [] : [{ token: [] }, { session: [] }]),
    refusals: ({ role }) => [
      ...everyOperation,
      ...(role === "none" ? [] : (["missing_credentials", "invalid_parameter"] as const)),
      ...(role === "admin" ? (["insufficient_role"] as const) : []),
    ],
    remark: ({ role }) => (role === "none" ? "Needs no credentials." : `Needs the role ${role}.`),
  });
}
