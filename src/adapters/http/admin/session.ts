import { z } from "zod";
import { operatorJson } from "../../../domain/operators/json.ts";
import { SESSION_LENGTH, type Operator as StoredOperator } from "../../../domain/operators/operator.ts";
import { timestampOf } from "../../../domain/timestamp.ts";
import type { RequestContext } from "../request-context.ts";
import { sessionCookie } from "./cookie.ts";
import { isSecure } from "./cross-site.ts";
import { timestamp } from "./fields.ts";
import type { Services } from "./operations/operation.ts";
import { exampleOperator, Operator } from "./operator.ts";

export const Session = z
  .strictObject({
    operator: Operator,
    expiresAt: timestamp.nullable().meta({ description: "When the session ends; null for a request with a token." }),
  })
  .meta({
    id: "Session",
    description: "The signed-in operator.",
    examples: [{ operator: exampleOperator, expiresAt: "2026-12-02T22:00:00.250Z" }],
  });

/** The header that keeps the secret of a new session in the browser. */
export function cookieOf(
  { deployment, trustedProxies }: Pick<Services, "deployment" | "trustedProxies">,
  context: RequestContext,
  secret: string,
): Record<string, string> {
  return sessionCookie({
    deployment,
    secret,
    seconds: SESSION_LENGTH / 1000,
    isSecure: isSecure(context, trustedProxies),
  });
}

/** A session as JSON. `expiresAt` is Unix ms, and undefined for a request with a token, which has no end. */
export function sessionJson(operator: StoredOperator, expiresAt: number | undefined): z.infer<typeof Session> {
  return { operator: operatorJson(operator), expiresAt: timestampOf(expiresAt) };
}
